"""Saying a client's words back to them: the person swapped, or nothing where that is not safe."""

from __future__ import annotations

import re
import unicodedata
from functools import partial

from counsel_core.agents import _words
from counsel_core.agents._sentences import sentence_pieces

MAX_WORDS = 18
"""A counsellor says back a clause, not a paragraph."""
LONGEST_WORD = 24
HANDY_WORDS = 14
SHORTEST_PART = 4
"""A piece of a sentence that is shorter than this says too little on its own."""
"""Of several clauses, those up to this length are preferred."""

any_of = partial(_words.any_of, "reflection")
words = partial(_words.words, "reflection")
pattern = partial(_words.pattern, "reflection")

_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_SWAPS = dict(entry.split() for entry in _words.entries("reflection", "swaps"))
_CUT_OFF = re.compile(
    r"\b(?:would|could|can|will|to|and|that|the|your|because|(?:about|of|on|for|with|at|from|by|know) what"
    r"|what to|whether|how|why|who|which|if|than|as)(?: never| not)?$",
    re.I,
)
_OPENERS = r"(?:and|but|so|then|also|well|ok|okay|or|first|maybe|perhaps|plus|you know|i guess)"
_LEADS = re.compile(rf"^(?:{any_of('leads')}[\s,.:;–—-]*)+", re.I)
_TAILS = re.compile(rf"[\s,]*{any_of('tails')}$", re.I)
_CLAUSE_START = r"(?=(?:i|i'\w+|my|it|it's|he|she|they|he's|she's|they're|there's|the|nobody|everyone)\b)"
_BREAKS = re.compile(
    rf"\s*(?:;|\s[–—-]+\s|,\s*(?:(?:and|but|so|or|yet|then|which|because)\s+)?{_CLAUSE_START}"
    r"|,\s*(?=(?:if|when)\b)|\b(?:but|because|although|whereas)\b)\s*",
    re.I,
)
_SUBORDINATE = re.compile(
    r"(?:and |but |so )?(?:if|when|whenever|since|after|before|while|as|until|unless|what)\b", re.I
)
_PLAN = r"(?:'ll|'d|'m going to|'m gonna| could| can| will| would| should| might| want| need| have to)\b"
_HEDGED_PLAN = re.compile(
    rf"^(?:i (?:think|guess|suppose|believe)|maybe|perhaps)(?: that)?,? (?=i{_PLAN})", re.I
)
_GUESS = re.compile(r"^i (?:guess|suppose),?\s+(?:that\s+)?", re.I)
_VERDICT = re.compile(
    r"^(?:i'm|i am|im) (?:(?:just|really|simply|such|nothing but|always|clearly|completely|totally) )*"
    rf"({any_of('verdicts')})$",
    re.I,
)
_ABSOLUTE = re.compile(rf"^{any_of('absolute_openings')}|{any_of('absolutes')}", re.I)
_OWN = re.compile(r"\b(?:i|i'\w+|me|my|myself|it's)\b", re.I)
_FELT_OR_THOUGHT = re.compile(r"\b(?:feels?|think|felt|thought|believe|know)\b")
# "ill" and "its" without their apostrophes, where no illness and no possession can be meant.
_ILL = re.compile(r"(^|[,;] )ill (?=[a-z])", re.I)
_ITS = re.compile(
    r"(^|[,;] |\b(?:and|but|think|know|because|if) )its (?=(?:a|weird|fine|ok|the|my|all|mostly|just|not"
    r"|so|like|always|only|really|been|too|easy|hard)\b)",
    re.I,
)
_DAYS = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b")
_WAS = re.compile(rf"\b(i(?: (?:{'|'.join(sorted(words('adverbs')))}))*) (am|was|wasn't)\b", re.I)
_BE = {"am": "are", "was": "were", "wasn't": "weren't"}


def plain_words(text: str) -> str:
    """Return a text with straight apostrophes, single spaces, and without emoji or emoticons."""
    text = text.replace("’", "'").replace("‘", "'").replace("`", "'")
    text = re.sub(r"(?<!\w)[:;=xX][-']?[()DPp/\\|3](?!\w)|<3", " ", text)
    kept = (
        c for c in text if unicodedata.category(c) not in ("So", "Sk", "Cs", "Co", "Cf") and c != "\ufe0f"
    )
    return " ".join("".join(kept).split())


def reflect(text: str) -> str | None:
    """Return one clause of what a client said, said back in the second person, or None.

    The clause begins in lower case (a name apart), has no final stop, is at most 18 words long and
    reads well after "So": the caller chooses the frame. Verdicts on oneself come back as feelings,
    never as facts. None where nothing can be said back safely: a question, a fragment, a quotation,
    swearing, words of death or violence, a line that speaks to the counsellor.

    >>> reflect("I'm worried about my rent.")
    "you're worried about your rent"
    >>> reflect("I'm such a failure")
    'you feel like a failure'
    >>> reflect("What should I do?") is None
    True
    """
    found = find_clause(text)
    return found[1] if found else None


def find_clause(text: str) -> tuple[str, str] | None:
    """Return the clause that `reflect` says back, as the client said it, and as it is said back."""
    said = [
        (weight + _weight(clause), clause, back)
        for sentence in _sentences(text)
        for clause, weight in _clauses(sentence)
        if (back := _say_back(clause))
    ]
    if not said:
        return None
    _, clause, back = max(said, key=lambda found: found[0])
    return clause, back


def echo(text: str) -> str | None:
    """Return a short answer that is no sentence ("my sister, mostly"), said back; None where unsafe.

    >>> echo("My sister, mostly.")
    'your sister'
    >>> echo("I don't know") is None
    True
    """
    answer = _stripped(plain_words(text).strip(" .!,…"))
    answer = re.sub(r",? (?:mostly|mainly|i think|probably|really|and so on|etc)$", "", answer, flags=re.I)
    tokens = _tokens(answer)
    longest = 10 if tokens and tokens[0] in words("prepositions") else 6
    wordy = any(len(token) > LONGEST_WORD for token in tokens)
    if not 1 <= len(tokens) <= longest or wordy or "?" in text or is_unsafe(answer):
        return None
    subject = {tokens[0], tokens[0].partition("'")[0]} & words("empty_answers")
    verb = any(
        token in words("finite") or re.match(r"im?$|i'|(?:that|it|there|he|she|what)'s$", token)
        for token in tokens
    )
    told_to_do = len(tokens) <= 4 and tokens[0] in words("doings")
    if (subject or verb) and not told_to_do:
        return None
    return _lower_first(_swapped(answer))


def turn_round(text: str) -> str | None:
    """Return a whole short text in the second person, without its final stop; None where unsafe.

    >>> turn_round("After my shift, at home.")
    'after your shift, at home'
    """
    plain = re.sub(r",? i (?:think|guess|suppose)(?=[.,!;]|$)", "", plain_words(text), flags=re.I).strip(
        " .!,;…"
    )
    plain = re.sub(rf"^(?:{_OPENERS},? )+", "", plain, flags=re.I)
    if not plain or "?" in plain or is_unsafe(plain) or len(max(plain.split(), key=len)) > LONGEST_WORD:
        return None
    return _lower_first(_swapped(plain))


def is_unsafe(text: str) -> bool:
    """Whether a text must not be said back, because of what it says or what a swap would make of it."""
    both = re.search(r"\bi(?:'\w+)?\b", text, re.I) and re.search(r"\bwe(?:'\w+)?\b", text, re.I)
    marked = re.search(r"[\"“”«»:()\[\]{}<>@#*_|\\/]", text)
    lists = ("unsafe", "swearing", "danger", "heavy")
    return bool(both or marked or any(pattern(name).search(text) for name in lists))


def _sentences(text: str) -> list[str]:
    plain = plain_words(text)
    letters = [c for c in plain if c.isalpha()]
    if letters and sum(c.isupper() for c in letters) > 0.7 * len(letters):
        plain = plain.lower()
    return [piece for piece in sentence_pieces(plain) if "?" not in piece]


def _clauses(sentence: str) -> list[tuple[str, float]]:
    """Return the whole sentence and its clauses, weighted: the first one, and what comes after "but"."""
    whole = sentence.strip(" .!,;…")
    parts = [
        part.strip(" .!,;…") for part in _BREAKS.split(whole) if part and len(part.split()) >= SHORTEST_PART
    ]
    turned = 1.0 if re.search(r"\bbut\b", whole, re.I) else 0.0
    weights = [0.6 * (not at) + turned * (at == len(parts) - 1) for at in range(len(parts))]
    cut = [
        (part, weight) for part, weight in zip(parts, weights, strict=True) if not _SUBORDINATE.match(part)
    ]
    return [(whole, 0.8 + turned * whole.lower().startswith("but")), *cut]


def _weight(clause: str) -> float:
    """Prefer what the client says of themselves and how it is for them, in a handy length."""
    own = bool(re.match(r"(?:i|i'm|i've|i'd|i'll|my)\b", _stripped(clause), re.I))
    felt = re.search(rf"\b(?:{'|'.join(_words.entries('reflection', 'feelings'))})", clause, re.I)
    return 0.5 * own + 1.5 * bool(felt) + 2 * (4 <= len(clause.split()) <= HANDY_WORDS)


def _say_back(clause: str) -> str | None:
    plain = _HEDGED_PLAN.sub("", _stripped(clause))
    if len(max(plain.split(), key=len, default="")) > LONGEST_WORD:
        return None
    if not 3 <= len(plain.split()) <= MAX_WORDS or is_unsafe(plain) or not _is_statement(plain):
        return None
    if verdict := _VERDICT.match(plain):
        like = "like " if re.match(r"an? ", verdict[1], re.I) else ""
        return f"you feel {like}{verdict[1].lower()}"
    said = _lower_first(_swapped(_GUESS.sub("", plain)))
    if said is None:
        return None
    own, *rest = _tokens(said)
    if _CUT_OFF.search(said):
        return None
    if own.startswith("you") and set(rest) <= words("empty_clause"):
        return None
    if _ABSOLUTE.search(plain) and _OWN.search(plain) and not _FELT_OR_THOUGHT.search(said):
        return f"it feels as if {said}"
    return f"you think {said}" if _GUESS.match(plain) and not re.match(r"you\b", said) else said


def _stripped(text: str) -> str:
    text = re.sub(r"(?<=\w)(?:,? (?:i guess|i suppose)|, you know)\b(?=,| )", "", text, flags=re.I)
    text = _LEADS.sub("", text.strip(" ,.;"))
    for _ in range(3):
        text = _TAILS.sub("", text).rstrip(" ,.!;…")
    return text


def _tokens(text: str) -> list[str]:
    return [token.lower() for token in _WORD.findall(text)]


def _is_statement(text: str) -> bool:
    first, *rest = _tokens(text) or [""]
    if not rest or not _may_open(text, first, rest):
        return False
    if first == "im" or re.fullmatch(r"(?:i|we|he|she|they|it|that|there)'\w+", first):
        return True
    if first in ("i", "we"):
        return rest[0] not in ("and", "or", "of", "in", "to")
    if first in words("prepositions") | words("conjunctions"):
        return _has_main_clause(first, rest)
    contracted = any(
        re.search(r"(?:n't|'ll|'re|'ve|'d)$|^(?:that|it|there|he|she)'s$", token) for token in rest
    )
    third = len(rest) > 1 and first in ("my", "the", "our", "his") and bool(re.search(r"[^s]s$|ed$", rest[1]))
    return (
        contracted or third or first in words("pronouns") or any(token in words("finite") for token in rest)
    )


def _has_main_clause(first: str, rest: list[str]) -> bool:
    """Whether somebody does something after "on Mondays …", or after the first half of "if …, …"."""
    subjects = [
        at for at, token in enumerate(rest[:-1]) if token.partition("'")[0] in words("subject_pronouns")
    ]
    if first in words("conjunctions"):
        return any(at > 0 for at in subjects)
    return bool(subjects) and not words("relatives") & set(rest[: subjects[0]])


def _may_open(text: str, first: str, rest: list[str]) -> bool:
    """Whether a first word is known, or a doing ("asking him …"), or the name of someone who acts."""
    named = text[0].isupper() and rest[0] in words("persons_do")
    known = words("subjects") | words("nouns") | words("prepositions")
    return first in known or first.endswith("ing") or named


def _swapped(text: str) -> str | None:
    """Return a text with the persons swapped; None where a verb would no longer agree."""
    text = _ILL.sub(r"\1i'll ", text)
    text = _ITS.sub(r"\1it's ", text)
    text = _DAYS.sub(lambda found: found[0].capitalize(), text)
    text = _WAS.sub(lambda found: f"{found[1]} {_BE[found[2].lower()]}", text)
    text = _WORD.sub(
        lambda found: found[0] if found[0] == "US" else _SWAPS.get(found[0].lower(), found[0]), text
    )
    text = re.sub(r"\byou (you(?:'\w+)?)\b", r"you that \1", text)
    text = re.sub(r"^(your \w+) and you\b(?!')", r"you and \1", text, flags=re.I)
    return None if re.search(r"\byou (?:am|was|wasn't)\b", text, re.I) else text


def _lower_first(text: str | None) -> str | None:
    if text is None:
        return None
    first = _WORD.match(text)
    known = (
        words("subjects") | words("nouns") | words("prepositions") | words("doings") | set(_SWAPS.values())
    )
    lower = first and (first[0].lower() in known or first[0].endswith("ing"))
    return text[:1].lower() + text[1:] if lower else text
