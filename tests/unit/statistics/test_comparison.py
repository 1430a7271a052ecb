"""Paired comparisons equal scipy's Wilcoxon; their effect size is counted by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from counsel_core.statistics.comparison import CLOSENESS, VALUE, compare_paired
from counsel_core.statistics.tables import paired

PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), max_size=25)


def test_equals_scipy() -> None:
    x, y = np.random.default_rng(4).standard_normal((2, 80))
    found, theirs = compare_paired(x, y), stats.wilcoxon(x, y)
    assert (found.statistic, found.p) == (theirs.statistic, theirs.pvalue)
    assert found.difference == pytest.approx((x - y).mean())


def test_effect_by_hand() -> None:
    # differences 1, -2, 3, 4: ranks 1, 2, 3, 4; (1 + 3 + 4 - 2) / 10 = 0.6
    found = compare_paired(np.array([1.0, -2, 3, 4, np.nan]), np.array([0.0, 0, 0, 0, 1]))
    assert (found.n, found.effect, found.difference) == (4, pytest.approx(0.6), 1.5)


def test_what_cannot_be_tested_has_its_reason() -> None:
    equal = compare_paired(np.array([1.0, 2, 3]), np.array([1.0, 2, 3]))
    assert (equal.p, equal.effect, equal.difference) == (None, 0, 0)
    assert "equal in every question" in equal.reason
    one = compare_paired(np.array([1.0, np.nan]), np.array([0.0, 1]))
    assert (one.n, one.difference, one.p) == (1, 1, None)
    assert "at least 2" in one.reason
    none = compare_paired(np.array([np.nan]), np.array([1.0]))
    assert (none.n, none.difference) == (0, None)


@settings(deadline=None)
@given(PAIRS)
def test_bounds_and_antisymmetry(pairs: list[tuple[int, int]]) -> None:
    x, y = (np.array([pair[side] for pair in pairs], dtype=float) for side in (0, 1))
    one, other = compare_paired(x, y), compare_paired(y, x)
    assert (one.p is None) == bool(one.reason)
    if one.p is not None:
        assert 0 <= one.p <= 1
        assert -1 <= one.effect <= 1
        assert one.effect == pytest.approx(-other.effect)
        assert one.difference == pytest.approx(-other.difference)
        assert one.p == pytest.approx(other.p)


def test_table_compares_with_the_reference_and_sources_with_each_other(
    scores_of: Callable[..., pd.DataFrame],
) -> None:
    scores = scores_of(metrics=("simplicity", "recycling"))
    frame = paired(scores, repeats=500)
    columns = ["metric", "measure", "source_1", "source_2", "n", "difference", "ci_low", "ci_high"]
    assert frame.columns.tolist() == [*columns, "statistic", "p", "p_holm", "effect", "reason"]
    assert len(frame) == 2 * (3 + 3)  # three sources with the reference, three pairs of sources
    assert (frame["p_holm"] >= frame["p"]).all()
    row = frame.set_index(["metric", "measure", "source_1", "source_2"]).loc
    wide = scores[scores["metric"] == "simplicity"].pivot_table(
        index="item", columns="source", values="value"
    )
    by_hand = (wide["far"] - wide["reference"]).mean()
    found = row[("simplicity", VALUE, "far", "reference")]
    assert found["difference"] == pytest.approx(by_hand)
    assert found["ci_low"] < by_hand < found["ci_high"] < 0
    gap = (wide["far"] - wide["reference"]).abs() - (wide["near"] - wide["reference"]).abs()
    assert row[("simplicity", CLOSENESS, "far", "near")]["difference"] == pytest.approx(gap.mean())
    assert row[("simplicity", CLOSENESS, "far", "near")]["effect"] > 0


def test_interval_of_the_difference_equals_scipy(scores_of: Callable[..., pd.DataFrame]) -> None:
    scores = scores_of(metrics=("recycling",), sources=("reference", "near"))
    found = paired(scores, repeats=1000, seed=3).iloc[0]
    wide = scores.pivot_table(index="item", columns="source", values="value")
    theirs = stats.bootstrap(
        ((wide["near"] - wide["reference"]).to_numpy(),),
        np.mean,
        n_resamples=1000,
        rng=np.random.default_rng(3),
    ).confidence_interval
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_without_a_reference_or_scores_there_is_a_header_only(scores_of: Callable[..., pd.DataFrame]) -> None:
    for scores in (
        scores_of(sources=("near", "far")),
        scores_of(questions=0),
        scores_of(sources=("reference",)),
    ):
        frame = paired(scores, repeats=50)
        assert len(frame) == 0
        assert "p_holm" in frame.columns


def test_missing_values_shorten_the_pairs(scores_of: Callable[..., pd.DataFrame]) -> None:
    scores = scores_of(missing=0.3, metrics=("recycling",), sources=("reference", "near"))
    frame = paired(scores, repeats=200)
    wide = scores.pivot_table(index="item", columns="source", values="value")
    assert frame["n"].tolist() == [len(wide.dropna())]
