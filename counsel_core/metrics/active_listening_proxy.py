"""A proxy for active listening where no language model judges: the answer's nearness to the question."""

from __future__ import annotations

import numpy as np

from counsel_core.metrics._base import Metric, MetricContext, Scored, ScoreInput
from counsel_core.metrics._similarity import best_matches, embedder_of, sentences_of
from counsel_core.metrics._texts import guarded

NEEDS = frozenset({"question"})


def _score(given: ScoreInput, context: MetricContext) -> Scored:
    embedder = embedder_of(context)
    sentences = sentences_of(given.question or "")
    nearness = best_matches(embedder, sentences, sentences_of(given.answer))
    value = float(np.clip(10 * nearness.mean(), 0, 10))
    return Scored(value, detail={"sentences": len(sentences), "encoder": embedder.name})


ACTIVE_LISTENING_PROXY = Metric(
    name="active_listening_proxy",
    label="Active listening (proxy)",
    description="A proxy, judged by no one: how near the answer comes to each sentence of the question, 0 to "
    "10.",
    source="This project: mean over the question's sentences of the best cosine with a sentence of the "
    "answer, times 10; MiniLM embeddings",
    bounds=(0.0, 10.0),
    scale=1 / 10,
    work="encoder",
    needs=NEEDS,
    differs="The paper has no proxy. `paper` reads the texts as given; `standard` reads the mended ones "
    "and leaves other languages than English out. Never compare its values with judged ones.",
    score=guarded(_score, NEEDS),
    proxy_of="active_listening",
)
