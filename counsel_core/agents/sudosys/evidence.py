"""Guided rules: how plainly a sentence is about a topic, and what a topic's value is made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from counsel_core.agents import _words
from counsel_core.agents._reflection import plain_words
from counsel_core.agents._sentences import sentence_pieces
from counsel_core.agents.sudosys.protocol import Topic
from counsel_core.language.embeddings import Embedder, cosine

CUE = 0.2
"""What a cue adds to the cosine of a sentence and a topic; more than two cues add nothing."""
STEM = 5
HALF_WORDS = 4
"""A half of a sentence that is shorter than this does not stand alone."""
KEPT_CHARACTERS = 600
PLAINLY = 0.42
"""From this evidence on it is plainly about the topic, whatever was asked."""
ALSO = 0.36
"""From this evidence on, with a cue, it also fills an empty topic besides the one it fits best."""


def cue_hits(topic: Topic, text: str) -> int:
    """Return how many of a topic's cues are in a text."""
    plain = plain_words(text).lower()
    return sum(bool(_cue(cue).search(plain)) for cue in topic.cues)


def evidence(topic: Topic, sentence: str, embedder: Embedder) -> float:
    """Score how plainly a sentence is about a topic: cosine to its description or question, plus cues."""
    vectors = embedder.embed([sentence, topic.about, *topic.questions[:1]])
    return float(cosine(vectors[0], vectors[1:]).max()) + CUE * min(2, cue_hits(topic, sentence))


def join_value(old: str, new: Sequence[str]) -> str:
    """Return a topic's value with sentences added; if it grows too long, its first and newest ones stay."""
    kept = [*value_sentences(old), *(text.strip(" ,;") for text in new)]
    while len(kept) > 2 and sum(map(len, kept)) > KEPT_CHARACTERS:
        kept.pop(1)
    ended = [text if text[-1] in ".!?…" else f"{text};" for text in kept[:-1]]
    return " ".join([*ended, kept[-1]])


def value_sentences(value: str) -> tuple[str, ...]:
    """Return the sentences that a topic's value holds."""
    return tuple(part for piece in sentence_pieces(value) for part in re.split(r";\s+", piece) if part)


def split_halves(sentence: str) -> list[str]:
    """Return the halves of a sentence that "and", "so" or "because" joins, if each could stand alone.

    >>> split_halves("I'm behind on my rent and I lie awake at night.")
    ["I'm behind on my rent", 'I lie awake at night.']
    >>> split_halves("My sister and I quarrel.")
    ['My sister and I quarrel.']
    """
    if re.search(
        r"(?:^|\b(?:that|because|when|if|where|how|why|both|and) )(?:my|his|her|our|the) \w+ and i\b",
        sentence,
        re.I,
    ):
        return [sentence]
    cut = re.split(
        r",? (?:and|so|because) (?=(?:i|i'\w+|my|it|it's|he|she|they|we)\b)", sentence, maxsplit=1, flags=re.I
    )
    return cut if len(cut) == 2 and all(len(half.split()) >= HALF_WORDS for half in cut) else [sentence]


def naming_words(text: str) -> set[str]:
    """Return the words of a text that may name what it is about."""
    return set(re.findall(r"[a-z]{4,}", plain_words(text).lower())) - _words.words("utterance", "common")


@cache
def _cue(cue: str) -> re.Pattern[str]:
    number = r"(?:\d[\d.:]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)"
    if cue.startswith("^"):
        return re.compile(rf"^{re.escape(cue[1:].lower())}(?!\w)")
    if cue.endswith("day"):
        return re.compile(
            rf"(?<!\w){re.escape(cue.lower())}(?! (?:figures|meeting|shift|paper|class|job)|\w)"
        )
    escaped = re.escape(cue.lower()).replace(r"\*", r"\w*").replace(r"\#", number)
    return re.compile(rf"(?<!\w){escaped}(?!\w)")
