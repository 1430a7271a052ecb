"""Read a disguised or misspelt word as the word it stands for; the lists are in `spelling.toml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase

from counsel_core.safety.patterns import SAFETY_DATA, read_toml

SPELLING_FILE = SAFETY_DATA / "spelling.toml"

_LEET = [str.maketrans("01345789@$!|+", f"o{one}eastbga{'s'}{one}{one}t") for one in "il"]
_MASKED = re.compile(r"[*#_]")
_REPEATED = re.compile(r"(.)\1+")
_DRAWN_OUT = re.compile(r"([a-z])\1{2,}")
_DIGIT_INSIDE = re.compile(r"[a-z][0-9]+[a-z]")
_LONGEST_RUN, _LONGEST_WORD = 40, 10
_SHORT_FORMS = {"n't": " not", "'m": " am", "'ll": " will", "'ve": " have", "'re": " are", "'d": " would"}


@dataclass(frozen=True)
class Spelling:
    """The word lists, and for speed the words by their letters without repeats."""

    risk_words: frozenset[str]
    plain_words: frozenset[str]
    ordinary: frozenset[str]
    apart: frozenset[str]
    respelt: Mapping[str, str]
    longer: Mapping[str, str]
    by_letters: Mapping[str, str]
    simplified: Mapping[str, str]

    def respell(self, word: str, *, after_number: bool = False) -> str:
        """Return what a word is read as; most words are returned as they are.

        >>> spelling = load_spelling()
        >>> [spelling.respell(word) for word in ("su1c1de", "killlll", "d*e", "can't", "Tuesday")]
        ['suicide', 'kill', 'die', 'can not', 'Tuesday']
        """
        if word in self.longer:
            return word if after_number and word == "kms" else self.longer[word]
        if word in self.risk_words or word in self.plain_words or word in self.ordinary:
            return word
        if word in self.respelt:
            return self.respelt[word]
        for ending, full in _SHORT_FORMS.items():
            if word.endswith(ending):
                return word.removesuffix(ending) + full
        plainest = _plainest(word)
        return self._undisguised(word) or self._taken_apart(word) or self.longer.get(plainest, plainest)

    def join(self, joined: str, shown: str, *, single: bool) -> str:
        """Return the word that fragments make, or '': `shown` has them as written, with spaces.

        Single letters may make any word of the lists, longer fragments a risky word only.
        """
        if shown in self.apart:
            return ""
        if single and joined in self.plain_words:
            return self.longer.get(joined, joined)
        word = joined if joined.isalpha() else self._undisguised(joined) if single else ""
        return word if word in self.risk_words else ""

    def disguises(self, word: str) -> bool:
        """Tell whether signs inside a word hide a risky word, and are no punctuation."""
        return word.replace("'", "").isalnum() or bool(self._undisguised(word))

    def _undisguised(self, word: str) -> str:
        """Find the risky word behind leetspeak, masked or repeated letters: '' if there is none."""
        if not any(letter in ascii_lowercase for letter in word):
            return ""
        if _MASKED.search(word):
            return self._unmasked(word) or self._undisguised(_MASKED.sub("", word))
        forms = [word] if word.isalpha() else [word.translate(table) for table in _LEET]
        for form in forms:
            if form in self.plain_words:
                return form
            for found in (self.respelt.get(form), self.by_letters.get(_REPEATED.sub(r"\1", form))):
                if found:
                    return found
        return ""

    def _taken_apart(self, word: str) -> str:
        """Put the spaces into words written as one: '' unless two of them are risky."""
        if not 7 < len(word) <= _LONGEST_RUN:
            return ""
        best: list[list[str] | None] = [[]] + [None] * len(word)
        for end in range(1, len(word) + 1):
            for start in range(max(0, end - _LONGEST_WORD), end):
                before, last = best[start], word[start:end]
                if before is not None and (last in self.risk_words or last in self.plain_words):
                    best[end] = [*before, last]
                    break
        words = best[-1] or []
        return " ".join(words) if sum(part in self.risk_words for part in words) > 1 else ""

    def _unmasked(self, word: str) -> str:
        shown = len(_MASKED.sub("", word))
        if shown * 2 < len(word) or len(word) > _LONGEST_WORD:
            return ""
        pattern = re.compile(_MASKED.sub("[a-z]", re.escape(word).replace("\\", "")))
        return next((known for known in sorted(self.risk_words) if pattern.fullmatch(known)), "")


def _plainest(word: str) -> str:
    """Read a digit between letters as a letter, and a letter drawn out as one."""
    if _DIGIT_INSIDE.search(word):
        word = word.translate(_LEET[0])
    return _DRAWN_OUT.sub(r"\1", word)


@cache
def load_spelling() -> Spelling:
    """Read the word lists once."""
    lists = read_toml(SPELLING_FILE)
    risk_words = lists["risk_words"].split()
    respelt = {slip: word for word in lists["one_slip"].split() for slip in _one_slip(word)}
    respelt |= {wrong: word for word, wrongs in lists["misspelt"].items() for wrong in wrongs.split()}
    return Spelling(
        risk_words=frozenset(risk_words),
        plain_words=frozenset(lists["plain_words"].split()),
        ordinary=frozenset(lists["ordinary"].split()),
        apart=frozenset(lists["apart"]),
        respelt=respelt,
        longer=lists["longer"],
        by_letters={_REPEATED.sub(r"\1", word): word for word in reversed(risk_words)},
        simplified={pair[0]: pair[1] for pair in lists["simplified"]["pairs"].split()},
    )


def _one_slip(word: str) -> Iterator[str]:
    """Yield every spelling with one letter lost, added, changed, or swapped with the next."""
    for place in range(len(word) + 1):
        left, right = word[:place], word[place:]
        for letter in ascii_lowercase:
            yield left + letter + right
            if right:
                yield left + letter + right[1:]
        if right:
            yield left + right[1:]
        if len(right) > 1:
            yield left + right[1] + right[0] + right[2:]
