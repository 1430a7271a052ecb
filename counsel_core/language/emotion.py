"""Emotions of a text: every label of a model with its probability, the strongest first."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from counsel_core.errors import DataFileError
from counsel_core.language.embeddings import MAX_TOKENS, minilm, open_tokenizer
from counsel_core.settings import DATA

EMBEDDED = "embedded"
HEAD = DATA / "models" / "emotion" / "head.npz"

WINDOW = 256
"""Tokens of a window: a text over the encoder's limit is read in windows, their probabilities averaged."""

Ranking = list[tuple[str, float]]


class EmotionModel(Protocol):
    """Ranks emotions. Name, labels and weights are recorded with a run, so that it can be repeated."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels, in its own order, which decides ties."""
        ...

    @property
    def weights(self) -> str:
        """What tells these weights from others: a digest, or a revision."""
        ...

    def rank(self, texts: Sequence[str]) -> list[Ranking]:
        """Return every label with its probability for each text, the most probable first."""
        ...


def emotion_model(name: str = EMBEDDED, *, download: bool = False) -> EmotionModel:
    """Return the embedded model, or a text classifier of transformers by its folder or hub name.

    Parameters
    ----------
    name
        `embedded`, a folder with config, tokenizer and weights, or a hub name.
    download
        Whether a hub name may be fetched; otherwise only what is on this machine is used.

    Raises
    ------
    DataFileError
        There is no usable model of that name; the message says what to do.
    """
    if name == EMBEDDED:
        return embedded()
    from counsel_core.language.emotion_classifier import classifier

    return classifier(name, download)


@cache
def embedded() -> EmotionModel:
    """Return the model that comes with the project: a linear head on the frozen MiniLM encoder.

    Trained on GoEmotions (Demszky et al. 2020; 27 emotions and neutral, English); its figures and limits
    are in data/models/emotion/README.md.

    Raises
    ------
    DataFileError
        Its weights are missing or damaged.
    """
    return _Head()


def ranked(labels: Sequence[str], probabilities: NDArray[np.floating[Any]]) -> Ranking:
    """Return labels with their probabilities, the highest first, equal ones in the labels' order.

    Examples
    --------
    >>> ranked(("joy", "fear", "grief"), np.array([0.25, 0.5, 0.25]))
    [('fear', 0.5), ('joy', 0.25), ('grief', 0.25)]
    """
    order = np.argsort(-probabilities, kind="stable")
    return [(labels[place], float(probabilities[place])) for place in order]


class _Head:
    """The embedded model; texts are encoded by the encoder that the whole project shares."""

    name = "MiniLM with a head for GoEmotions"

    def __init__(self) -> None:
        try:
            with np.load(io.BytesIO(HEAD.read_bytes()), allow_pickle=False) as stored:
                matrix, bias, labels = stored["weights"], stored["bias"], stored["labels"]
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            reason = f"the weights of the emotion model are missing or damaged ({error}); restore the file"
            raise DataFileError(str(HEAD), reason) from error
        # Of the numbers, not of the file: the same training gives the same digest.
        digest = hashlib.sha256(matrix.tobytes() + bias.tobytes() + "\n".join(labels).encode())
        self.weights = f"sha256:{digest.hexdigest()[:16]}"
        self.labels = tuple(str(label) for label in labels)
        self._matrix, self._bias = matrix.astype(np.float32), bias.astype(np.float32)
        self._tokenizer: Any = None

    def rank(self, texts: Sequence[str]) -> list[Ranking]:
        """Return every label with its probability for each text, the most probable first."""
        parts = [self._windows(text) for text in texts]
        vectors = minilm().embed([window for windows in parts for window in windows])
        found = 1 / (1 + np.exp(-(vectors @ self._matrix + self._bias)))
        ends = np.cumsum([len(windows) for windows in parts])
        rows = np.split(found, ends[:-1]) if texts else []
        return [ranked(self.labels, row.mean(axis=0)) for row in rows]

    def _windows(self, text: str) -> list[str]:
        """Cut a text into pieces that the encoder reads whole, between words."""
        room = WINDOW - 2  # [CLS] and [SEP]
        if len(text) <= room:  # a token stands for a character at least
            return [text]
        if self._tokenizer is None:
            self._tokenizer = open_tokenizer()
            self._tokenizer.no_truncation()
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return _cut(text, encoding.word_ids, encoding.offsets, min(room, MAX_TOKENS - 2))


def _cut(text: str, words: Sequence[int | None], offsets: Sequence[tuple[int, int]], room: int) -> list[str]:
    """Cut a text after at most `room` tokens, before a word; a longer word is cut within."""
    pieces, start = [], 0
    while len(words) - start > room:
        end = start + room
        while end > start and words[end] == words[end - 1]:
            end -= 1
        end = end if end > start else start + room
        pieces.append(text[offsets[start][0] : offsets[end][0]])
        start = end
    pieces.append(text[offsets[start][0] :] if len(words) > start else text)
    return pieces
