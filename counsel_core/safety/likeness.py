"""The second opinion by likeness: how like labelled utterances a text is, by models trained on them.

The rules match words; this hears some of what is put in new ones, and can only raise what the rules found.
English is read by MiniLM, fine-tuned as a whole (`data/models/risk`); Chinese, for which no encoder can be
shipped, by hashed character n-grams under a logistic regression (`data/safety/train_likeness.py`): they
compare characters, not meaning.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counsel_core.errors import DataFileError
from counsel_core.language.emotion import EmbeddedModel
from counsel_core.records import RISK_LEVELS, Language, RiskLevel
from counsel_core.safety.normalise import normalise
from counsel_core.safety.patterns import SAFETY_DATA
from counsel_core.settings import DATA

MODEL = DATA / "models" / "risk"
WEIGHTS = SAFETY_DATA / "likeness.npz"
NGRAM_DIMENSION = 4096
NGRAM_LENGTHS = (1, 2, 3)
LONGEST = 40
"""Pieces of one utterance that are weighed at most: the last, where a long message comes to its point."""

_CHINESE = re.compile("[\u3400-\u9fff]")
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")
_SHORTEST = {"en": 12, "zh": 4}
"""Characters; a shorter sentence says too little alone and is only weighed with the others."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The probabilities from which on a model speaks: of any danger, and of an imminent one."""

    danger: float
    imminent: float

    def level(self, danger: float, imminent: float) -> RiskLevel:
        """Return the level that two probabilities speak for; nothing is imminent that is no danger."""
        if danger < self.danger:
            return RISK_LEVELS[0]
        return RISK_LEVELS[2] if imminent >= self.imminent else RISK_LEVELS[1]


@dataclass(frozen=True, slots=True)
class Likeness:
    """The piece of a text that is likest to labelled danger; the probabilities of danger and imminence."""

    level: RiskLevel
    piece: str
    danger: float
    imminent: float


@dataclass(frozen=True)
class Head:
    """A multinomial logistic regression: `weights` of shape (dimension, 3), `bias` (3,).

    The columns are none, concern, imminent.
    """

    weights: Floats
    bias: Floats

    def probabilities(self, vectors: Floats) -> Floats:
        """Return danger (concern or imminent) and imminence of each vector: shape (n, 2)."""
        logits = vectors @ self.weights + self.bias
        grown = np.exp(logits - logits.max(axis=1, keepdims=True))
        found = grown / grown.sum(axis=1, keepdims=True)
        return np.column_stack([found[:, 1] + found[:, 2], found[:, 2]]).astype(np.float32)


def weigh_likeness(text: str) -> Likeness:
    """Return how like labelled danger a text is; deterministic and local.

    Raises
    ------
    DataFileError
        A model is missing or damaged.

    Examples
    --------
    >>> weigh_likeness("The rent went up again.").level
    'none'
    """
    language = language_of(text)
    pieces = pieces_of(text, language)
    if not pieces:
        return Likeness("none", "", 0.0, 0.0)
    found, thresholds = _english(pieces) if language == "en" else _chinese(pieces)
    place = int(np.argmax(found[:, 0]))
    danger, imminent = float(found[place, 0]), float(found[:, 1].max())
    return Likeness(thresholds.level(danger, imminent), pieces[place], danger, imminent)


def language_of(text: str) -> Language:
    """Return who reads a text: Chinese as soon as a Chinese character is in it."""
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


def _english(pieces: Sequence[str]) -> tuple[Floats, Thresholds]:
    model, thresholds = load_model()
    ranked = [dict(ranking) for ranking in model.rank(pieces)]
    found = np.array([[one["danger"], one["imminent"]] for one in ranked], dtype=np.float32)
    return found, thresholds


@cache
def load_model(folder: Path = MODEL) -> tuple[EmbeddedModel, Thresholds]:
    """Return the model for English; DataFileError where it is missing or damaged."""
    model = EmbeddedModel(folder)
    about = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    return model, Thresholds(*map(float, about["thresholds"]))


def _chinese(pieces: Sequence[str]) -> tuple[Floats, Thresholds]:
    head, thresholds = load_head()
    return head.probabilities(ngrams_of(pieces)), thresholds


def ngrams_of(texts: Sequence[str]) -> Floats:
    """Return which hashed n-grams of characters occur in each text, as unit vectors."""
    rows = np.zeros((len(texts), NGRAM_DIMENSION), dtype=np.float32)
    for place, text in enumerate(texts):
        characters = "".join(normalise(text).text.split())
        for n in NGRAM_LENGTHS:
            for start in range(len(characters) - n + 1):
                rows[place, zlib.crc32(characters[start : start + n].encode()) % NGRAM_DIMENSION] = 1.0
        rows[place] /= float(np.linalg.norm(rows[place])) or 1.0
    return rows


@cache
def load_head(path: Path = WEIGHTS) -> tuple[Head, Thresholds]:
    """Read the weights for Chinese; DataFileError where they are missing or damaged."""
    try:
        with np.load(path, allow_pickle=False) as stored:
            about: Mapping[str, list[float]] = json.loads(str(stored["about"]))
            head = Head(stored["weights"].astype(np.float32), stored["bias"].astype(np.float32))
            return head, Thresholds(*about["thresholds"])
    except (OSError, ValueError, KeyError, EOFError, TypeError) as error:
        reason = f"the weights are missing or damaged ({error}); restore the file from the repository"
        raise DataFileError(str(path), reason) from error
