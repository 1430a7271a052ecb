"""Emotions of a text: every label of a model with its probability, the strongest first."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counsel_core.errors import DataFileError
from counsel_core.language.embeddings import CACHED_TEXTS, open_tokenizer
from counsel_core.settings import DATA

EMBEDDED = "embedded"
FOLDER = DATA / "models" / "emotion"

WINDOW = 256
"""Tokens of a window: a text over the encoder's limit is read in windows, their probabilities averaged."""

MOST_THREADS = 8

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
def embedded() -> EmbeddedModel:
    """Return the model that comes with the project: MiniLM, fine-tuned as a whole.

    Trained on GoEmotions (Demszky et al. 2020; 27 emotions and neutral, English); its figures and limits
    are in data/models/emotion/README.md.

    Raises
    ------
    DataFileError
        A file of it is missing or damaged.
    """
    return EmbeddedModel(FOLDER)


def ranked(labels: Sequence[str], probabilities: NDArray[np.floating[Any]]) -> Ranking:
    """Return labels with their probabilities, the highest first, equal ones in the labels' order.

    Examples
    --------
    >>> ranked(("joy", "fear", "grief"), np.array([0.25, 0.5, 0.25]))
    [('fear', 0.5), ('joy', 0.25), ('grief', 0.25)]
    """
    order = np.argsort(-probabilities, kind="stable")
    return [(labels[place], float(probabilities[place])) for place in order]


class EmbeddedModel:
    """The embedded model: an int8 ONNX file, opened when the first text comes.

    `threshold` is the probability from which on a label counts as given: one for all labels, chosen on the
    dev texts of GoEmotions.
    """

    def __init__(self, folder: Path) -> None:
        about = _read_about(folder / "model.json")
        self._file = folder / about["file"]
        self.name = str(about.get("name", "MiniLM fine-tuned on GoEmotions (int8)"))
        self.labels = tuple(about["labels"])
        self.threshold = float(about["threshold"])
        digest = _digest(self._file)
        if digest != about["sha256"]:
            raise _unusable(self._file, "it is not the file that model.json describes")
        self.weights = f"sha256:{digest[:16]}"
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def rank(self, texts: Sequence[str]) -> list[Ranking]:
        """Return every label with its probability for each text, the most probable first."""
        with self._lock:
            known = {text: self._known[text] for text in texts if text in self._known}
        fresh = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(fresh, self._read(fresh), strict=True))
        with self._lock:
            for text in dict.fromkeys(texts):
                self._known[text] = known[text]
                self._known.move_to_end(text)
            while len(self._known) > CACHED_TEXTS:
                self._known.popitem(last=False)
        return [ranked(self.labels, known[text]) for text in texts]

    def labels_of(self, ranking: Ranking) -> tuple[str, ...]:
        """Return the labels that a ranking gives a text: those from the threshold on, perhaps none."""
        return tuple(label for label, probability in ranking if probability >= self.threshold)

    def _read(self, texts: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return each text's probabilities, read on all cores."""
        threads = min(_cores(), MOST_THREADS, len(texts))
        if threads <= 1:
            return [self._probabilities(text) for text in texts]
        self._load()
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self._probabilities, texts))

    def _probabilities(self, text: str) -> NDArray[np.float32]:
        """Return the probabilities of one text, the mean over its windows.

        Every window is a run of its own: int8 activations are scaled over a run, so that in a batch a text's
        probabilities would depend on its neighbours.
        """
        _, session = self._load()
        rows = [session.run(None, {"ids": np.array([ids])})[0][0] for ids in self._windows(text)]
        return np.asarray(np.mean(rows, axis=0), dtype=np.float32)

    def _windows(self, text: str) -> list[list[int]]:
        """Return the token numbers of a text, cut between words into windows that the encoder takes."""
        tokenizer, _ = self._load()
        encoding = tokenizer.encode(text, add_special_tokens=False)
        first, last = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
        return [[first, *part, last] for part in _cut(encoding.ids, encoding.word_ids, WINDOW - 2)]

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                tokenizer = open_tokenizer()
                tokenizer.no_truncation()
                self._loaded = tokenizer, _open(self._file)
            return self._loaded


def _read_about(file: Path) -> dict[str, Any]:
    """Return what stands beside the weights: file, sha256, labels and threshold."""
    try:
        about = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise _unusable(file, str(error)) from error
    if not isinstance(about, dict) or not {"file", "sha256", "labels", "threshold"} <= about.keys():
        raise _unusable(file, "file, sha256, labels and threshold are expected in it")
    return about


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise _unusable(file, str(error)) from error


def _unusable(file: Path, reason: str) -> DataFileError:
    what = "this file of the emotion model is missing or damaged"
    return DataFileError(str(file), f"{what} ({reason}); restore data/models/emotion from the repository")


def _open(file: Path) -> Any:
    """Return an ONNX session whose runs take one thread each: texts are spread over the cores."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _cut(ids: Sequence[int], words: Sequence[int | None], room: int) -> list[Sequence[int]]:
    """Cut tokens after at most `room` of them, before a word; a longer word is cut within."""
    pieces, start = [], 0
    while len(ids) - start > room:
        end = start + room
        while end > start and words[end] == words[end - 1]:
            end -= 1
        end = end if end > start else start + room
        pieces.append(ids[start:end])
        start = end
    return [*pieces, ids[start:]]
