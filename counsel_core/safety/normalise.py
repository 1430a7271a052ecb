"""Undo disguises before matching: one plain spelling of a text that still knows where it came from."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from counsel_core.safety.spelling import Spelling, load_spelling

_LOOKALIKES = str.maketrans(
    "‘’‚‛ʼ`´′＇" + "“”„‟″«»「」『』" + "‐‑‒–—―−⁃" + "аеорсухіѕјԁһԛԝкмнтвɑɡıⅼοαερτυκνιχ",
    "'" * 9 + '"' * 11 + "-" * 8 + "aeopcyxisjdhqwkmhtbagiloaeptukvix",
)
"""Characters drawn like an ASCII one that Unicode's compatibility forms leave alone."""

_HAN = "\u3400-\u9fff"
_BETWEEN_HAN = re.compile(rf"(?<=[{_HAN}])[ *_.·•~|/+\\^#=-]+(?=[{_HAN}])")
_SCRIPT_BORDER = re.compile(rf"(?<=[{_HAN}])(?=[a-z0-9])|(?<=[a-z0-9])(?=[{_HAN}])")
_WORD = re.compile(r"[@$]?[a-z0-9](?:[a-z0-9'@$!*#|_]*[a-z0-9@$])?")
_SIMPLE_WORD = re.compile(r"[a-z0-9](?:[a-z0-9']*[a-z0-9])?")
_GAP = re.compile(r"[ .\-_*~,/|]{1,3}")
_SEPARATORS = frozenset("._*~|/-")
"""What may stand between letters that are spelt out, so that a word may end at it too."""
_BLANKS = {"\u2800"}
_FILLERS = {"\u115f", "\u1160", "\u3164", "\uffa0"}
_INSIDE_A_WORD = frozenset("abcdefghijklmnopqrstuvwxyzI")
_MAX_LETTERS = 12
"""The longest word that is looked for in a run of fragments."""
_FAR = 99
"""The width of the gap before the first word and after the last."""


@dataclass(frozen=True, slots=True)
class Normalised:
    """A text made plain. `starts` and `ends` give, for each character, its place in `source`."""

    source: str
    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def original(self, start: int, end: int) -> str:
        """Return the words of the source behind the characters from `start` up to `end`."""
        return self.source[self.starts[start] : self.ends[end - 1]] if start < end else ""


def normalise(source: str) -> Normalised:
    """Return a text in lower case with disguises undone.

    Compatibility forms (NFKD, marks dropped), look-alikes, curly apostrophes, zero-width characters,
    white space; then, word by word, letters set apart, leetspeak, repeated letters, misspellings and
    contractions (`data/safety/spelling.toml`); Chinese in simplified characters without separators.

    Examples
    --------
    >>> normalise("I’m gonna k1ll  m y s e l f").text
    'i am going to kill myself'
    >>> normalise("我想 自*殺").text
    '我想自杀'
    """
    spelling = load_spelling()
    plain = _characters(source, spelling)
    plain = _rebuild(source, plain, _words(plain, spelling))
    plain = _rebuild(source, plain, [(m.start(), m.end(), "") for m in _BETWEEN_HAN.finditer(plain.text)])
    return _rebuild(source, plain, [(m.start(), m.end(), " ") for m in _SCRIPT_BORDER.finditer(plain.text)])


def _characters(source: str, spelling: Spelling) -> Normalised:
    """Make each character plain; runs of white space become one space."""
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for place, character in enumerate(source):
        if character == "I" and place and source[place - 1] in _INSIDE_A_WORD:
            character = "l"  # noqa: PLW2901 - "kiII myseIf": drawn alike in most typefaces
        for letter in _plain_character(character):
            if letter == " " and letters and letters[-1] == " ":
                continue
            letters.append(spelling.simplified.get(letter, letter))
            starts.append(place)
            ends.append(place + 1)
    return Normalised(source, "".join(letters), tuple(starts), tuple(ends))


@lru_cache(8192)
def _plain_character(character: str) -> str:
    if character.isspace() or character in _BLANKS:
        return " "
    if character in _FILLERS:
        return ""
    forms = unicodedata.normalize("NFKD", character).casefold().translate(_LOOKALIKES)
    kept = [form for form in forms if unicodedata.category(form) not in {"Mn", "Me", "Cf", "Cc", "Cs"}]
    return "".join(" " if form.isspace() else form for form in kept)


def _words(plain: Normalised, spelling: Spelling) -> list[tuple[int, int, str]]:
    """Find the words to be respelt: (start, end, new spelling) in the order of the text."""
    spans = _word_spans(plain.text, spelling)
    gaps = [_FAR, *(_width(plain, *pair) for pair in pairwise(spans)), _FAR]
    changes: list[tuple[int, int, str]] = []
    number, spelt_out = 0, False
    while number < len(spans):
        taken, word = _joined(plain.text, spans, gaps, number, spelling)
        if taken < (letters := _set_off(spans, gaps, number)):
            taken = letters
            word = spelling.respell(
                "".join(plain.text[slice(*span)] for span in spans[number : number + taken])
            )
        start, end = spans[number][0], spans[number + taken - 1][1]
        if taken == 1:
            after_number = number > 0 and plain.text[spans[number - 1][0]].isdigit()
            word = spelling.respell(plain.text[start:end], after_number=after_number)
        if spelt_out and plain.text[spans[number - 1][1] : start] in _SEPARATORS:
            changes.append((spans[number - 1][1], start, " "))
        if word != plain.text[start:end]:
            changes.append((start, end, word))
        spelt_out = taken > 1 or end - start == 1
        number += taken
    return changes


def _word_spans(text: str, spelling: Spelling) -> list[tuple[int, int]]:
    """Return where the words are: "k!ll" is one word, "enough!then" is two."""
    spans: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        if spelling.disguises(match.group()):
            spans.append(match.span())
        else:
            spans += [part.span() for part in _SIMPLE_WORD.finditer(text, *match.span())]
    return spans


def _width(plain: Normalised, before: tuple[int, int], after: tuple[int, int]) -> int:
    """Return how many visible characters of the source stand between two words."""
    between = plain.source[plain.ends[before[1] - 1] : plain.starts[after[0]]]
    return sum(bool(_plain_character(character)) for character in between)


def _set_off(spans: list[tuple[int, int]], gaps: list[int], first: int) -> int:
    """Return how many single letters from `first` on stand closer together than to their surroundings."""
    last = first
    while last < len(spans) and spans[last][1] - spans[last][0] == 1 and last - first < _MAX_LETTERS:
        last += 1
        if gaps[last] > 1:
            break
    whole_text = first == 0 and last == len(spans)
    set_off = last - first > 1 and gaps[first] > 1 and gaps[last] > 1 and not whole_text
    return last - first if set_off else 0


def _joined(
    text: str, spans: list[tuple[int, int]], gaps: list[int], first: int, spelling: Spelling
) -> tuple[int, str]:
    """Join as many fragments, evenly apart, as make a known word: (how many, the word)."""
    best = (1, "")
    start, end = spans[first]
    joined, shown, single = text[start:end], text[start:end], end - start == 1
    whole = joined in spelling.risk_words
    for number in range(first + 1, min(first + _MAX_LETTERS, len(spans))):
        start, end = spans[number]
        gap = text[spans[number - 1][1] : start]
        if whole and end - start == 1:
            break  # "die" followed by a stray "s" is not "dies": a word of danger stands as it is
        single = single and end - start == 1
        joined += text[start:end]
        shown += " " + text[start:end]
        if len(joined) > _MAX_LETTERS or gaps[number] != gaps[first + 1] or not _GAP.fullmatch(gap):
            break
        if single and gaps[number] > gaps[number + 1]:
            break
        if not single and gap.strip(".-_*~|/") not in {"", " "}:
            break
        if word := spelling.join(joined, shown, single=single):
            best = (number - first + 1, word)
    return best


def _rebuild(source: str, plain: Normalised, changes: list[tuple[int, int, str]]) -> Normalised:
    """Put the changed stretches in; each new character points at the whole stretch it stands for."""
    if not changes:
        return plain
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for start, end, new in changes:
        letters.append(plain.text[done:start] + new)
        starts += plain.starts[done:start]
        ends += plain.ends[done:start]
        first = plain.starts[start] if start < len(plain.starts) else len(source)
        last = plain.ends[end - 1] if end > start else first
        starts += [first] * len(new)
        ends += [last] * len(new)
        done = end
    letters.append(plain.text[done:])
    return Normalised(source, "".join(letters), (*starts, *plain.starts[done:]), (*ends, *plain.ends[done:]))
