"""What the proxies compare: the sentences of two texts, by their embeddings."""

from __future__ import annotations

from counsel_core.errors import InputError
from counsel_core.language.embeddings import Embedder, Vectors
from counsel_core.language.sentences import split
from counsel_core.metrics._base import MetricContext

MOST_SENTENCES = 60
"""Sentences of a text that are compared; a counselling answer has about eight."""


def embedder_of(context: MetricContext) -> Embedder:
    """Return the encoder of a run; InputError without one."""
    if context.embedder is None:
        raise InputError("A proxy metric needs a sentence encoder; give one, that of `minilm()` for example.")
    return context.embedder


def sentences_of(text: str) -> list[str]:
    """Return the first sentences of a text; the text itself where it has none."""
    return split(text)[:MOST_SENTENCES] or [text]


def best_matches(embedder: Embedder, texts: list[str], candidates: list[str]) -> Vectors:
    """Return for each text the highest cosine with a candidate: shape (len(texts),)."""
    best: Vectors = (embedder.embed(texts) @ embedder.embed(candidates).T).max(axis=1)
    return best
