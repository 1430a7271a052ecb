"""Scores to compute with: drawn at random, seeded, around means that are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from counsel_core.records import OTHER_THERAPISTS, REFERENCE

SCALES = {
    "sentiment_change": 1.0,
    "intra_sentiment": 1.0,
    "simplicity": 0.01,
    "recycling": 1.0,
    "agreeability": 0.1,
    "active_listening": 0.1,
}
MEANS = {
    REFERENCE: [0.70, 0.50, 60.0, 0.08, 6.6, 7.3],
    OTHER_THERAPISTS: [0.71, 0.50, 58.0, 0.09, 6.5, 7.1],
    "near": [0.69, 0.51, 55.0, 0.10, 6.9, 7.6],
    "far": [0.55, 0.52, 30.0, 0.20, 6.1, 6.7],
}
SPREAD = np.array([0.2, 0.05, 20.0, 0.05, 1.5, 1.5])


def make_scores(
    questions: int = 60,
    topics: int = 3,
    missing: float = 0.0,
    sources: tuple[str, ...] = tuple(MEANS),
    metrics: tuple[str, ...] = tuple(SCALES),
    seed: int = 5,
) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    rows = []
    for question in range(questions):
        for source in sources:
            values = np.array(MEANS[source]) + SPREAD * generator.standard_normal(len(SCALES))
            for metric, value in zip(SCALES, values, strict=True):
                if metric in metrics:
                    lost = generator.random() < missing
                    cell = (float("nan"), "not scored") if lost else (value, "")
                    rows.append((f"q{question:03}", f"t{question % topics}", source, metric, *cell, 0))
    columns = ["item", "topic", "source", "metric", "value", "reason", "position"]
    return pd.DataFrame(rows, columns=columns)


@pytest.fixture(scope="session")
def scales() -> dict[str, float]:
    return dict(SCALES)


@pytest.fixture(scope="session")
def scores_of() -> Callable[..., pd.DataFrame]:
    return make_scores
