"""The reference row of the framework's Tables 2 and 4, from the data set it was computed with."""

from __future__ import annotations

import statistics

import pandas as pd
import pytest

from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext, Scored, ScoreInput
from counsel_core.records import Preset
from counsel_core.settings import PROJECT

FILE = PROJECT.parent / "shared" / "data" / "20220401_counsel_chat.csv"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="Counsel Chat is not at hand")


@pytest.fixture(scope="module")
def gold() -> list[ScoreInput]:
    """The first answer to each question by upvotes, then views; questions without one are left out."""
    rows = pd.read_csv(FILE).sort_values(["upvotes", "views"], ascending=False, kind="stable")
    first = rows.drop_duplicates("questionID").dropna(subset=["answerText"])
    return [
        ScoreInput(answer, question if isinstance(question, str) else None)
        for answer, question in zip(first["answerText"], first["questionText"], strict=True)
    ]


def _scored(name: str, gold: list[ScoreInput], preset: Preset) -> list[Scored]:
    context = MetricContext(preset)
    found = [find_metric(name).score(given, context) for given in gold]
    return [scored for scored in found if scored.value is not None]


@pytest.mark.parametrize(
    ("name", "mean", "n"),
    [
        # printed: 0.7017, 0.5003, 86.8240, 0.0725
        ("sentiment_change", 0.701744, 861),
        ("intra_sentiment", 0.500324, 935),
        ("simplicity", 86.823994, 702),
        ("recycling", 0.072461, 861),
    ],
)
def test_paper_gives_the_published_means(gold: list[ScoreInput], name: str, mean: float, n: int) -> None:
    scored = _scored(name, gold, "paper")
    assert len(scored) == n
    assert statistics.fmean(one.value for one in scored) == pytest.approx(mean, abs=5e-7)


def test_standard_gives_reading_ease_of_the_same_702_answers(gold: list[ScoreInput]) -> None:
    scored = _scored("simplicity", gold, "standard")
    assert len(scored) == 702
    # Splitting at every full stop, even within web addresses, gives 71.1 and 8.3.
    assert statistics.fmean(one.value for one in scored) == pytest.approx(71.1, abs=0.3)
    assert statistics.fmean(one.detail["grade"] for one in scored) == pytest.approx(8.3, abs=0.15)
