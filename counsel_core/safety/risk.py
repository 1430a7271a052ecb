"""The risk check: local, deterministic, English and Chinese, before any model sees an utterance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from counsel_core.records import LANGUAGES, RISK_LEVELS, Language, Risk, RiskLevel
from counsel_core.safety.frames import Reading, find_frames, load_frames
from counsel_core.safety.normalise import Normalised, normalise
from counsel_core.safety.patterns import Pattern, PatternBook, load_patterns

REMEMBERED = 8
"""How many earlier utterances a sign may belong to ("I want to die" … "I have the pills here")."""

REFERRED = 2
"""How many earlier utterances "them" or "it" may point to ("I have forty tablets" … "I'll take them all")."""

_SCRIPT = {"en": re.compile("[a-z]"), "zh": re.compile("[\u3400-\u9fff]")}
_SENTENCE_END = ".!?;。！？；\n"
_REACH = 240
"""How far, in characters, a sentence is looked at around a phrase."""
_BLANK = "\x00"
_OWN = ("suicide", "self-harm")
_TELLING = {"means", "time", "preparation", "resolve"}
"""Signs that say little alone, but something together."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One phrase that a pattern found: its level after the words around it were weighed."""

    pattern: Pattern
    level: RiskLevel
    phrase: str


def check_risk(text: str, *, previous: Sequence[str] = ()) -> Risk:
    """Return how much danger a client's utterance speaks of, and the phrases that say so.

    Deterministic and local. `imminent` means intent, plan, means at hand, a time, or already done;
    `concern` passive ideation, self-harm, abuse, commanding voices, fear for another; in doubt `concern`.

    Parameters
    ----------
    text
        What the client wrote, in English, Chinese or both.
    previous
        The client's earlier utterances, oldest first. A means, a date or a farewell that says little
        alone counts beside an earlier wish to die; taking a danger back does not clear it.

    Examples
    --------
    >>> check_risk("This homework is killing me.").level
    'none'
    >>> check_risk("I wish I wouldn’t wake up.").evidence
    ('wish I wouldn’t wake up',)
    >>> check_risk("我今晚就要自杀").level
    'imminent'
    """
    return assess(find_signals(text, previous=previous))


def assess(signals: Iterable[Signal]) -> Risk:
    """Sum signals up: the highest level, and the phrases behind it and behind every lower one, gravest first.

    A phrase that only repeats part of a graver or longer one is left out.
    """
    raised = [signal for signal in signals if signal.level != "none"]
    raised.sort(key=lambda signal: (-RISK_LEVELS.index(signal.level), -len(signal.phrase)))
    evidence: list[str] = []
    for signal in raised:
        if not any(signal.phrase in phrase for phrase in evidence):
            evidence.append(signal.phrase)
    return Risk(raised[0].level, tuple(evidence)) if raised else Risk()


def category_of(signals: Iterable[Signal]) -> str | None:
    """Return the one category of the gravest signals: None if there are none, or of several categories."""
    raised = [signal for signal in signals if signal.level != "none"]
    gravest = max((signal.level for signal in raised), key=RISK_LEVELS.index, default="none")
    categories = {signal.pattern.category for signal in raised if signal.level == gravest}
    return categories.pop() if len(categories) == 1 else None


_FIRST_PERSON = re.compile(r"\b(?:i|myself)\b|我(?!的?(?:$|爸|妈|弟|哥|姐|妹|儿|女|老|朋|室|同|丈|妻|孩))")


def is_of_another(text: str, signals: Iterable[Signal]) -> bool:
    """Whether the first phrase of a danger to oneself stands in a sentence about somebody else.

    >>> line = "She has saved up her pills."
    >>> is_of_another(line, find_signals(line))
    True
    """
    own = [one for one in signals if one.level != "none" and one.pattern.category in _OWN]
    return bool(own) and _led_by_another(text, min(own, key=lambda one: text.find(one.phrase)))


def _led_by_another(text: str, signal: Signal) -> bool:
    phrase = signal.phrase
    before, _ = _sentence_around(text, (place := text.find(phrase), place + len(phrase)))
    whole = f"{before}{phrase}".lower()
    language: Language = "zh" if _SCRIPT["zh"].search(phrase) else "en"
    someone = load_patterns(language).contexts["someone"].search(whole)
    return someone is not None and not _FIRST_PERSON.search(whole)


def find_signals(text: str, *, previous: Sequence[str] = ()) -> tuple[Signal, ...]:
    """Return every dangerous phrase of an utterance with its pattern, weighed in context."""
    found = _signals_alone(text, previous[-REFERRED:])
    open_ended = any(signal.pattern.sign or signal.pattern.raised_by for signal in found)
    before = [_signals_alone(line) for line in previous[-REMEMBERED:]] if open_ended else []
    earlier = [signal for signals in before for signal in signals]
    return tuple(_combined(found, earlier, before[-1] if before else ()))


def _signals_alone(text: str, previous: Sequence[str] = ()) -> list[Signal]:
    plain, lines = normalise(text), [normalise(line) for line in previous]
    found: list[Signal] = []
    for language in LANGUAGES:  # both, whatever language a session has
        if _SCRIPT[language].search(plain.text):
            book = load_patterns(language)
            harmless = _without_idioms(plain.text, book)
            found += _matches(plain, harmless, book)
            found += _framed(plain, harmless, book, [_without_idioms(line.text, book) for line in lines])
    return found


def _without_idioms(text: str, book: PatternBook) -> str:
    for idiom in book.idioms:
        text = idiom.regex.sub(lambda match: _BLANK * len(match.group()), text)
    return text


def _matches(plain: Normalised, text: str, book: PatternBook) -> Iterable[Signal]:
    for pattern in book.patterns:
        for match in pattern.regex.finditer(text):
            level = _weighed(pattern, text, match.span(), book)
            if level is not None:
                yield Signal(pattern, level, plain.original(*_trimmed(text, match.span())))


def _framed(plain: Normalised, text: str, book: PatternBook, previous: Sequence[str]) -> Iterable[Signal]:
    """Find the frames: one signal for each part, at the level of the whole."""
    reading, *earlier = (Reading(one, book.contexts["denial"]) for one in (text, *previous))
    for frame, spans, around in find_frames(reading, load_frames(book.language), earlier):
        pattern, level = frame.pattern, frame.pattern.level
        if pattern.fiction and book.contexts["fiction"].search(around):
            continue
        sentence = "".join((*_sentence_around(text, spans[0]), text[slice(*spans[0])]))
        long_ago = book.contexts["past"].search(sentence) and not book.contexts["recent"].search(sentence)
        if pattern.past and level == "imminent" and long_ago:
            level = "concern"
        for span in spans:
            yield Signal(pattern, level, plain.original(*_trimmed(text, span)))


def _weighed(pattern: Pattern, text: str, span: tuple[int, int], book: PatternBook) -> RiskLevel | None:
    """Return a phrase's level given the words around it; None if they clear it."""
    before, after = _sentence_around(text, span)
    sentence = before + text[slice(*span)] + after
    context = book.contexts
    if pattern.someone and not context["someone"].search(before):
        return None
    if pattern.deniable and context["denial"].search(before):
        halved = context["residue_before"].search(before) or context["residue_after"].search(after)
        return "concern" if halved and pattern.level != "none" else None
    if pattern.fiction and context["fiction"].search(sentence):
        return None
    if pattern.level != "imminent" or context["recent"].search(sentence):
        return pattern.level
    hedged = context["hedge_before"].search(before) or context["hedge_after"].search(after)
    if (pattern.hedge and hedged) or (pattern.past and context["past"].search(sentence)):
        return "concern"
    return pattern.level


def _sentence_around(text: str, span: tuple[int, int]) -> tuple[str, str]:
    """Return what stands before and after a phrase in its sentence, a bounded stretch of it."""
    before = text[max(0, span[0] - _REACH) : span[0]]
    after = text[span[1] : span[1] + _REACH]
    start = max(before.rfind(end) for end in _SENTENCE_END) + 1
    ends = [place for end in _SENTENCE_END if (place := after.find(end)) >= 0]
    return before[start:], after[: min(ends, default=len(after))]


def _trimmed(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Leave blanks and punctuation at the borders of a phrase out of the evidence."""
    start, end = span
    while start < end - 1 and not text[start].isalnum():
        start += 1
    while end > start + 1 and not text[end - 1].isalnum():
        end -= 1
    return start, end


def _combined(found: Sequence[Signal], earlier: Sequence[Signal], last: Sequence[Signal]) -> Iterable[Signal]:
    """Raise what the signs in the same utterance, or before, make worse; keep what was taken back."""
    signs = {signal.pattern.sign for signal in found}
    known = signs | {signal.pattern.sign for signal in earlier}
    telling = len(signs & _TELLING)
    for signal in found:
        sign, level = signal.pattern.sign, signal.level
        if (
            signal.pattern.raised_by & known
            or (sign and any(sign in other.pattern.raised_by for other in earlier))
            or (sign in _TELLING and telling > 2)
        ):
            level = "imminent"
        elif level == "none" and (
            (sign in _TELLING and telling > 1)
            or (sign == "retraction" and _dangerous(earlier))
            or (sign == "assent" and _dangerous(last))
        ):
            level = "concern"
        yield replace(signal, level=level)


def _dangerous(signals: Iterable[Signal]) -> bool:
    return any(signal.level != "none" for signal in signals)
