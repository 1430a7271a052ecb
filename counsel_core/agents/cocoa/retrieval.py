"""What of the two memories bears on cd* and the latest exchange (Lee et al. 2024, equation 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from counsel_core.agents.cocoa.memory import Distortion, Insight
from counsel_core.language.embeddings import Embedder, Vectors, cosine
from counsel_core.records import Json

Memory = Literal["basic", "distortion"]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """One memory found, and its cosine similarity with the query, from −1 to 1."""

    memory: Memory
    text: str
    similarity: float
    turn: int

    def as_json(self) -> Json:
        """Return it as a JSON object."""
        return {
            "memory": self.memory,
            "text": self.text,
            "similarity": round(self.similarity, 4),
            "turn": self.turn,
        }


def retrieve(
    insights: Sequence[Insight],
    distortions: Sequence[Distortion],
    query: str,
    embedder: Embedder,
    top_k: int,
) -> tuple[Retrieved, ...]:
    """Return the `top_k` entries of each memory that are nearest to the query, each nearest first.

    The query is cd* and U. A distortion is compared as "type: utterance"; of equally near entries
    the later one comes first.
    """
    vector = embedder.embed([query])[0]
    basic = [(entry.text, entry.turn) for entry in insights]
    distorted = [(f"{entry.type}: {entry.utterance}", entry.turn) for entry in distortions]
    return (
        *_nearest("basic", basic, vector, embedder, top_k),
        *_nearest("distortion", distorted, vector, embedder, top_k),
    )


def _nearest(
    memory: Memory, entries: Sequence[tuple[str, int]], vector: Vectors, embedder: Embedder, top_k: int
) -> list[Retrieved]:
    if not entries:
        return []
    # What was said more than once is one memory, of the last time: the prompt has no room for repeats.
    entries = list(dict(entries).items())
    similarities = cosine(vector, embedder.embed([text for text, _ in entries]))
    turns = np.array([turn for _, turn in entries])
    best = np.lexsort((-turns, -similarities))[:top_k]
    return [Retrieved(memory, entries[at][0], float(similarities[at]), entries[at][1]) for at in best]
