"""Reading what a client said in one turn: its sentences, and what kind of thing each of them is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Literal

from counsel_core.agents import _words
from counsel_core.agents._reflection import plain_words
from counsel_core.agents._sentences import sentence_pieces

Kind = Literal["filler", "question", "undecided", "request", "complaint", "joke", "foreign", "content"]
Answer = Literal["agree", "decline", "unsure", "thanks", "greeting", "farewell", "apology", "done", ""]

LONG_WORDS = 40
"""From this many words on, a line is a long telling."""
VENTING_WORDS = 5
_MAX_SENTENCE = 40

pattern = partial(_words.pattern, "utterance")
_FILLERS = _words.words("utterance", "filler_words")
_DENIED = re.compile(
    r"\b(?:not|never|no longer|less|don't feel|isn't|aren't)"
    r"(?: (?:so|as|that|too|very|really|just|only|to|be|feel))* \w+",
    re.I,
)
_ASKING = re.compile(
    r"^(?:(?:so|and|but|well|ok|okay|hey|hi|sorry|or|seriously),? )*"
    r"(?:(?:what|what's|why|who|how|where|which) )?"
    r"(?:(?:what's|who's|where's) |(?:do|does|did|is|are|am|can|could|would|will|should|shall|may|have|has) "
    r"(?:i|you|we|he|she|they|it|this|that|there|my|the)\b|(?:tell|give|write|sing|show) me\b)"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of the client's, to the letter, and what kind of thing it is."""

    text: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Line:
    """What a client said in one turn. `answer` says what a line without content amounts to."""

    text: str
    sentences: tuple[Sentence, ...]
    answer: Answer
    wants_back: bool
    wants_on: bool
    raised: bool = False

    @property
    def content(self) -> tuple[str, ...]:
        """The sentences that tell something."""
        return tuple(sentence.text for sentence in self.sentences if sentence.kind == "content")

    @property
    def questions(self) -> tuple[str, ...]:
        """The sentences that ask something."""
        return tuple(sentence.text for sentence in self.sentences if sentence.kind == "question")

    def has(self, kind: Kind) -> bool:
        """Whether one of the sentences is of a kind."""
        return any(sentence.kind == kind for sentence in self.sentences)

    @property
    def undecided(self) -> bool:
        """Whether the client declines to choose."""
        return self.has("undecided")

    @property
    def in_danger(self) -> bool:
        """Whether the line speaks of danger to the client or to others; the risk check may have said so."""
        return self.raised or bool(_words.pattern("reflection", "danger").search(plain_words(self.text)))

    @property
    def defers(self) -> bool:
        """Whether the client leaves the choice to the counsellor."""
        return bool(pattern("deferring").search(plain_words(self.text)))

    @property
    def long(self) -> bool:
        """Whether it is a long telling."""
        return len(self.text.split()) >= LONG_WORDS


def read_line(text: str, *, raised: bool = False) -> Line:
    """Read one line of a client's; `raised` says that the risk check found danger in it.

    >>> read_line("Ok. My rent went up. What should I do?").content
    ('My rent went up.',)
    >>> read_line("I don't know").answer
    'unsure'
    """
    sentences = tuple(Sentence(sentence, _kind(sentence)) for sentence in split_sentences(text))
    plain = plain_words(text).lower().rstrip(" .!?")
    requests = any(sentence.kind == "request" for sentence in sentences)
    back = requests and bool(pattern("back").search(plain))
    on = requests and not back
    return Line(text, sentences, _answer(plain), back, on, raised)


def split_sentences(text: str) -> tuple[str, ...]:
    """Split a text into its sentences, each to the letter; an endless one is cut at its commas.

    >>> split_sentences("It's 9.30 at Mr. Hall's. I wait… then what?")
    ("It's 9.30 at Mr. Hall's.", 'I wait…', 'then what?')
    """
    return tuple(cut for part in sentence_pieces(text) for cut in _cut_long(part))


def is_filler(text: str) -> bool:
    """Whether a text says nothing about any topic: "ok", "I don't know", "Thank you very much!"."""
    tokens = re.findall(r"[a-z]+(?:['-][a-z]+)?", plain_words(text).lower())
    return not re.search(r"\d|[^\W\d_a-zA-Z]", plain_words(text)) and all(
        token in _FILLERS for token in tokens
    )


def sounds(how: str, text: str) -> bool:
    """Whether a text has a word of a list ("distress", "bleak") that it does not deny."""
    return bool(pattern(how).search(_DENIED.sub(" ", plain_words(text))))


def sounds_distressed(text: str) -> bool:
    """Whether a text has a word of distress that is not denied."""
    return sounds("distress", text)


def sounds_hopeful(text: str) -> bool:
    """Whether a text has a word of hope or relief, and none of distress."""
    return sounds("hopeful", text) and not sounds_distressed(text)


def _kind(sentence: str) -> Kind:
    plain = plain_words(sentence).lower()
    bare = plain.rstrip(" .!?,")
    letters = [character for character in plain if character.isalpha()]
    if sum(character > "\u036f" for character in letters) > len(letters) / 2:
        return "foreign"
    if pattern("back").search(bare) or pattern("on").search(bare):
        return "request"
    if pattern("undecided").search(bare):
        return "undecided"
    venting = len(bare.split()) <= VENTING_WORDS and _words.pattern("reflection", "swearing").search(bare)
    if venting or pattern("complaint").fullmatch(bare):
        return "complaint"
    supposed = re.match(r"should \w+ .*, ", plain) and not plain.endswith("?")
    if re.match(r"(?:and |but )?what if i (?:don't|can't|forget|oversleep|lose|get too|chicken)\b", plain):
        return "content"
    if pattern("meaning").fullmatch(bare) or (_ASKING.match(plain) and not supposed):
        return "question"
    if is_filler(sentence) or pattern("meta").fullmatch(bare):
        return "filler"
    if plain.endswith("?"):
        return "question"
    return "joke" if pattern("joke").search(bare) else "content"


def _answer(plain: str) -> Answer:
    if pattern("done").search(plain):
        return "done"
    if not is_filler(plain) and len(plain.split()) > 4:
        return ""
    kinds: tuple[Answer, ...] = ("farewell", "unsure", "decline", "thanks", "apology", "agree", "greeting")
    return next((kind for kind in kinds if pattern(kind).search(plain)), "")


def _cut_long(sentence: str) -> list[str]:
    """Cut at commas, so that no piece is longer than about 40 words; nothing is left out or changed."""
    if len(sentence.split()) <= _MAX_SENTENCE:
        return [sentence]
    pieces: list[str] = []
    for part in re.split(r"(?<=[,;])\s+", sentence):
        if pieces and len(pieces[-1].split()) + len(part.split()) <= _MAX_SENTENCE // 2:
            pieces[-1] = f"{pieces[-1]} {part}"
        else:
            pieces.append(part)
    return pieces
