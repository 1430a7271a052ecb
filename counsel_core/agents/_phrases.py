"""The phrases of the guided rules, and which of them was said least recently."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from counsel_core.agents._utterance import split_sentences

OPENING_WORDS = 3
Families = Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True)
class Said:
    """What the counsellor has said in a session: digests of sentences and of whole replies, with the turn."""

    sentences: Mapping[str, int] = field(default_factory=dict)
    replies: frozenset[str] = frozenset()

    def last_said(self, phrase: str) -> int:
        """Return the turn in which all sentences of a phrase were last said; -1 if one never was."""
        return min((self.sentences.get(digest(part), -1) for part in split_sentences(phrase)), default=-1)

    def has_replied(self, reply: str) -> bool:
        """Whether this very reply was given before."""
        return digest(reply) in self.replies


@cache
def read_families(package: str, file: str) -> Families:
    """Read a file of phrases that lies beside the code."""
    return tomllib.loads(resources.files(package).joinpath(file).read_text("utf-8"))


def shared(section: str, family: str) -> tuple[str, ...]:
    """Return a family of the phrases that all guided rules share."""
    return tuple(read_families("counsel_core.agents", "phrases_en.toml")[section][family])


def digest(text: str) -> str:
    """Return a short digest of a text, for telling whether it was said before."""
    return hashlib.blake2s(" ".join(text.split()).encode(), digest_size=4).hexdigest()


def sentence_digests(reply: str) -> tuple[str, ...]:
    """Return the digests of a reply's sentences, and of the words that open them."""
    sentences = split_sentences(reply)
    openings = (opening for sentence in sentences if (opening := opening_of(sentence)))
    return tuple(digest(text) for text in (*sentences, *openings))


def framed(frames: Sequence[str], said: Said, **slots: str) -> list[str]:
    """Return frames filled in, in the order in which to use them by what in them is the counsellor's own.

    >>> framed(["I hear you: {c}.", "{C}. That counts."], said_in(["I hear you: it hurts."]), c="x", C="X")
    ['X. That counts.', 'I hear you: x.']
    """

    def last(frame: str) -> int:
        return max((said.sentences.get(digest(part), -1) for part in _own_words(frame)), default=-1)

    return [frame.format(**slots) for frame in sorted(frames, key=last)]


def _own_words(frame: str) -> list[str]:
    """Return what a frame adds to the client's words: how it opens, and its further sentences."""
    before, _, after = re.split(r"(\{\w\})", frame, maxsplit=1)
    *sentences, lead_in = split_sentences(before.strip(" “")) or ("",)
    further = split_sentences(after.lstrip(".:,;”“ "))
    return [part for part in (*sentences, opening_of(lead_in), *further) if part]


def opening_of(sentence: str) -> str:
    """Return the few words that a sentence opens with: those by which a stock phrase is known.

    >>> opening_of("I hear you: you sleep badly."), opening_of("So you sleep badly.")
    ('i hear you', 'so')
    """
    words = sentence.split(":", maxsplit=1)[0].lower().split()
    return "so" if words[:1] == ["so"] else " ".join(words[:OPENING_WORDS]).rstrip(",.“ ")


def ranked(family: Iterable[str], said: Said) -> list[str]:
    """Return phrases in the order in which to use them: never said first, then the least recent."""
    return sorted(family, key=said.last_said)


def said_in(replies: Sequence[str]) -> Said:
    """Return what was said in a list of replies, the first being turn 0."""
    sentences = {part: turn for turn, reply in enumerate(replies) for part in sentence_digests(reply)}
    return Said(sentences, frozenset(digest(reply) for reply in replies))
