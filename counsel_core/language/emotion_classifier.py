"""Emotion models of transformers: any text classifier, by its folder or its hub name."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from counsel_core.errors import DataFileError
from counsel_core.language.emotion import WINDOW, Ranking, ranked

EXAMPLE = "SamLowe/roberta-base-go_emotions"
"""A RoBERTa model with the labels of GoEmotions."""

BATCH = 16


@cache
def classifier(source: str, download: bool = False) -> Classifier:
    """Return a text classifier, loaded once.

    Raises
    ------
    DataFileError
        There is none, or its head was never trained.
    """
    return Classifier(source, download)


class Classifier:
    """A sequence classifier: sigmoid where it was trained for several labels at once, else softmax."""

    def __init__(self, source: str, download: bool) -> None:
        tokenizer, model, missing = _load(source, download)
        if missing:
            reason = f"this model has no trained classification head ({missing} would be drawn at random)"
            raise DataFileError(source, f"{reason}; choose one trained for emotions, such as {EXAMPLE}")
        config = model.config
        self.name = source
        self.labels = tuple(str(config.id2label[place]) for place in range(config.num_labels))
        if len(self.labels) < 2:
            reason = f"it has {len(self.labels)} label; a ranking needs two at least"
            raise DataFileError(source, f"{reason}; choose a model trained for emotions, such as {EXAMPLE}")
        self.weights = _digest(source, config)
        self._several = config.problem_type == "multi_label_classification"
        self._tokenizer, self._model = tokenizer, model
        self._limit = _limit(tokenizer, config)
        self._lock = threading.Lock()
        self._known: dict[str, Ranking] = {}

    def rank(self, texts: Sequence[str]) -> list[Ranking]:
        """Return every label with its probability for each text, the most probable first."""
        return [self._rank(text) for text in texts]

    def _rank(self, text: str) -> Ranking:
        with self._lock:  # tokenizer and model are not safe in several threads at once
            if text not in self._known:
                if len(self._known) >= 4096:
                    self._known.clear()
                self._known[text] = ranked(self.labels, self._probabilities(text).mean(axis=0))
            return self._known[text]

    def _probabilities(self, text: str) -> NDArray[np.float32]:
        """Return a row of probabilities for the text, or for each of its windows if it is over the limit."""
        import torch

        tokens = self._tokenizer(text, truncation=False, verbose=False)["input_ids"]
        longest = self._limit if len(tokens) <= self._limit else min(WINDOW, self._limit)
        windows = self._tokenizer(
            text, truncation=True, max_length=longest, return_overflowing_tokens=True, padding=True
        )
        rows = []
        with torch.inference_mode():
            for start in range(0, len(windows["input_ids"]), BATCH):
                batch = {
                    key: torch.tensor(windows[key][start : start + BATCH])
                    for key in ("input_ids", "attention_mask")
                }
                logits = self._model(**batch).logits
                rows.append(torch.sigmoid(logits) if self._several else torch.softmax(logits, dim=-1))
        return np.asarray(torch.cat(rows).numpy(), dtype=np.float32)


def _load(source: str, download: bool) -> tuple[Any, Any, list[str]]:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    # Neither class is typed as a callable that returns what it returns.
    for_text: Any = AutoTokenizer
    for_labels: Any = AutoModelForSequenceClassification
    try:
        tokenizer = for_text.from_pretrained(source, local_files_only=not download)
        model, report = for_labels.from_pretrained(
            source, local_files_only=not download, output_loading_info=True
        )
    except (OSError, ValueError, KeyError) as error:
        reason = (
            "there is no emotion model here that transformers can load. Give a folder with config, tokenizer "
            f"and weights of a text classifier (download {EXAMPLE} into one, for example), or leave it at "
            "'embedded'. A hub name is fetched only when local-only mode is off"
        )
        raise DataFileError(source, f"{reason} ({' '.join(str(error).split())})") from error
    return tokenizer, model.eval(), sorted(report["missing_keys"])


def _limit(tokenizer: Any, config: Any) -> int:
    """Return how many tokens the encoder takes, special ones too; RoBERTa's positions begin after padding."""
    positions = int(getattr(config, "max_position_embeddings", 512))
    if "roberta" in config.model_type:
        positions -= int(config.pad_token_id) + 1
    return min(int(tokenizer.model_max_length), positions)


def _digest(source: str, config: Any) -> str:
    """Return the revision of a model from the hub, or the digest of the weights in a folder."""
    revision = getattr(config, "_commit_hash", None)
    if revision:
        return f"revision:{revision}"
    digest = hashlib.sha256()
    folder = Path(source)
    for file in sorted((*folder.glob("*.safetensors"), *folder.glob("*.bin"))):
        with file.open("rb") as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return f"sha256:{digest.hexdigest()[:16]}"
