"""The second opinion by likeness: an utterance as vectors, weighed by a head trained on labelled ones.

The rules match words; this hears some of what is put in new ones, and can only raise what the rules found.
English is read by the offline MiniLM and by hashed character n-grams side by side; Chinese, for which no
encoder can be shipped, by character n-grams alone: they compare characters, not meaning.
`data/safety/train_likeness.py` makes the weights from the labelled set.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counsel_core.errors import DataFileError
from counsel_core.language.embeddings import minilm
from counsel_core.records import RISK_LEVELS, Language, RiskLevel
from counsel_core.safety.normalise import normalise
from counsel_core.safety.patterns import SAFETY_DATA

WEIGHTS = SAFETY_DATA / "likeness.npz"
NGRAM_DIMENSION = 4096
NGRAM_SHARE = 0.7
"""Weight of the n-grams beside the embedding, whose length is 1."""

LONGEST = 40
"""Pieces of one utterance that are weighed at most: the last, where a long message comes to its point."""

_CHINESE = re.compile("[\u3400-\u9fff]")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_NGRAMS = {"en": (3, 4, 5), "zh": (1, 2, 3)}
_SHORTEST = {"en": 12, "zh": 4}
"""Characters; a shorter sentence says too little alone and is only weighed with the others."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """The piece of a text that is likest to labelled danger, and its probabilities of two levels."""

    level: RiskLevel
    piece: str
    concern: float
    imminent: float


@dataclass(frozen=True)
class Head:
    """A multinomial logistic regression, and the probabilities from which on it speaks.

    `weights` has shape (dimension, 3), `bias` (3,): the columns are none, concern, imminent. The first
    threshold is for concern and imminent together, the second for imminent.
    """

    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    raised_from: float
    imminent_from: float

    def probabilities(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the probabilities of none, concern and imminent: shape (n, 3), rows of sum 1."""
        logits = vectors.astype(np.float64) @ self.weights + self.bias
        grown = np.exp(logits - logits.max(axis=1, keepdims=True))
        found: NDArray[np.float64] = grown / grown.sum(axis=1, keepdims=True)
        return found


def weigh_likeness(text: str) -> Likeness:
    """Return what labelled utterances a text is like; deterministic and local.

    Raises
    ------
    DataFileError
        The weights or the encoder are missing or damaged.

    Examples
    --------
    >>> weigh_likeness("The rent went up again.").level
    'none'
    """
    language = language_of(text)
    pieces = pieces_of(text, language)
    if not pieces:
        return Likeness("none", "", 0.0, 0.0)
    head = load_heads()[language]
    found = head.probabilities(vectors_of(pieces, language))
    place = int(np.argmax(found[:, 1] + found[:, 2]))
    concern, imminent = float(found[place, 1]), float(found[:, 2].max())
    level = level_of(concern + float(found[place, 2]), imminent, head)
    return Likeness(level, pieces[place], concern, imminent)


def level_of(raised: float, imminent: float, head: Head) -> RiskLevel:
    """Return the level that the probabilities of any danger and of an imminent one speak for."""
    if raised < head.raised_from:
        return RISK_LEVELS[0]
    return RISK_LEVELS[2] if imminent >= head.imminent_from else RISK_LEVELS[1]


def language_of(text: str) -> Language:
    """Return whose head reads a text: Chinese as soon as a Chinese character is in it."""
    return "zh" if _CHINESE.search(text) else "en"


def pieces_of(text: str, language: Language) -> list[str]:
    """Return the whole text and, of several sentences, each that is long enough to say something.

    >>> pieces_of("I am tired. I do not want to wake up. No.", "en")
    ['I am tired. I do not want to wake up. No.', 'I do not want to wake up.']
    """
    whole = " ".join(text.split())
    sentences = [found.strip() for found in _SENTENCE.findall(text)]
    told = [sentence for sentence in sentences if len(sentence) >= _SHORTEST[language]]
    return list(dict.fromkeys([whole, *told[1 - LONGEST :]])) if whole else []


def vectors_of(texts: Sequence[str], language: Language) -> NDArray[np.float32]:
    """Return what the head reads: shape (len(texts), dimension), of the language's own dimension."""
    ngrams = np.vstack([_ngrams(normalise(text).text, _NGRAMS[language]) for text in texts])
    return ngrams if language == "zh" else np.hstack([minilm().embed(texts), NGRAM_SHARE * ngrams])


def _ngrams(text: str, lengths: Sequence[int]) -> NDArray[np.float32]:
    """Return which hashed n-grams of characters occur, as a unit vector."""
    characters = "".join(text.split())
    row = np.zeros(NGRAM_DIMENSION, dtype=np.float32)
    for n in lengths:
        for start in range(len(characters) - n + 1):
            row[zlib.crc32(characters[start : start + n].encode()) % NGRAM_DIMENSION] = 1.0
    length = float(np.linalg.norm(row))
    return row / length if length else row


@cache
def load_heads(path: Path = WEIGHTS) -> Mapping[Language, Head]:
    """Read the weights of both languages; DataFileError where they are missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            about = json.loads(str(stored["about"]))
            return {"en": _head(stored, about, "en"), "zh": _head(stored, about, "zh")}
    except (OSError, ValueError, KeyError, EOFError) as error:
        reason = f"the weights are missing or damaged ({error}); restore the file from the repository"
        raise DataFileError(str(path), reason) from error


def _head(stored: Any, about: Mapping[str, Any], language: Language) -> Head:
    raised_from, imminent_from = about["thresholds"][language]
    weights = stored[f"{language}_weights"].astype(np.float32)
    return Head(weights, stored[f"{language}_bias"], float(raised_from), float(imminent_from))
