"""Contriever, the retriever of the CoCoA paper, through transformers where its weights are at hand."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from counsel_core.errors import DataFileError
from counsel_core.language.embeddings import CachedEmbedder, Vectors

HUB_NAME = "facebook/contriever"
MAX_TOKENS = 512
BATCH = 32


@cache
def contriever(source: str = HUB_NAME, download: bool = False) -> CachedEmbedder:
    """Return Contriever: mean over the tokens of the last layer, scaled to length 1.

    Parameters
    ----------
    source
        A folder with config, tokenizer and weights, or a hub name.
    download
        Whether a hub name may be fetched; otherwise only what is on this machine is used.

    Raises
    ------
    DataFileError
        No usable model is there.

    Notes
    -----
    Izacard et al. 2022, section 3.1 (mean pooling). They compare by inner product; on vectors of
    length 1 that is the cosine which the CoCoA paper's retrieval asks for.
    """
    model = _Contriever(source, download)
    return CachedEmbedder("Contriever (mean pooling)", model.dimension, model.encode)


def holds_model(folder: Path) -> bool:
    """Tell whether a folder looks like a transformers model (without loading it)."""
    return (folder / "config.json").is_file()


class _Contriever:
    def __init__(self, source: str, download: bool) -> None:
        from transformers import AutoModel, AutoTokenizer

        try:
            # Neither class is typed as a callable that returns what it returns.
            tokenizer: Any = AutoTokenizer
            model: Any = AutoModel
            self._tokenizer = tokenizer.from_pretrained(source, local_files_only=not download)
            self._model = model.from_pretrained(source, local_files_only=not download).eval()
        except (OSError, ValueError) as error:
            reason = "holds no encoder that transformers can load; download facebook/contriever into it"
            raise DataFileError(source, f"{reason} ({error})") from error
        self.dimension = int(self._model.config.hidden_size)
        self._lock = threading.Lock()

    def encode(self, texts: Sequence[str]) -> Vectors:
        order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(order), BATCH):
            places = order[start : start + BATCH]
            rows[places] = self._encode_batch([texts[place] for place in places])
        return rows

    def _encode_batch(self, texts: list[str]) -> Vectors:
        import torch

        with self._lock, torch.inference_mode():
            inputs = self._tokenizer(
                texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt"
            )
            hidden = self._model(**inputs).last_hidden_state
            mask = inputs["attention_mask"].unsqueeze(-1)
            pooled = (hidden * mask).sum(dim=1) / mask.sum(dim=1)
            unit = torch.nn.functional.normalize(pooled, dim=1)
        return np.asarray(unit.numpy(), dtype=np.float32)
