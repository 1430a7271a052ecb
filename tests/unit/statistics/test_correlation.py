"""Pearson's r and its p equal scipy's; what has no r has a reason."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from counsel_core.statistics.correlation import critical_r, p_of_r, paper_z, pearson, two_sided

VALUES = st.lists(
    st.tuples(st.floats(-1e6, 1e6, width=32), st.floats(-1e6, 1e6, width=32)), min_size=0, max_size=30
)
CORRELATIONS = st.floats(-0.999, 0.999)


@pytest.mark.parametrize("n", [3, 6, 50, 900])
def test_equals_scipy(n: int) -> None:
    x, y = np.random.default_rng(n).standard_normal((2, n))
    ours, theirs = pearson(x, y), stats.pearsonr(x, y)
    assert ours.r == pytest.approx(theirs.statistic, abs=1e-14)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-10)
    assert (ours.n, ours.reason) == (n, "")


def test_a_pair_with_a_missing_value_is_left_out() -> None:
    x, y = [1.0, math.nan, 3, 4, 5], [2.0, 9, math.nan, 4, 7]
    assert pearson(x, y) == pearson([1, 4, 5], [2, 4, 7])


def test_extreme_sizes_neither_overflow_nor_vanish() -> None:
    x = np.array([1.0, 2, 4, 3])
    for size in (1e-200, 1e200):
        assert pearson(x * size, x[::-1]).r == pytest.approx(pearson(x, x[::-1]).r)


def test_exact_correlations_have_p_0() -> None:
    assert pearson([1, 2, 3], [2, 4, 6]).r == 1
    assert pearson([1, 2, 3], [2, 4, 6]).p == 0
    assert pearson([1, 2, 3, 4], [4, 3, 2, 1]).r == pytest.approx(-1)


def test_two_pairs_have_r_but_no_p() -> None:
    found = pearson([1, 2], [5, 3])
    assert (found.r, found.p, found.reason) == (-1, None, "two pairs always lie on a line")


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 1, 1], [1, 2, 3], "the first values are all the same"),
        ([1, 2, 3], [0.1, 0.1, 0.1], "the second values are all the same"),
        ([1, math.nan], [math.nan, 1], "0 complete pairs"),
        ([1], [2], "1 complete pairs"),
        ([], [], "0 complete pairs"),
    ],
)
def test_no_r_has_its_reason(x: list[float], y: list[float], reason: str) -> None:
    found = pearson(x, y)
    assert (found.r, found.p) == (None, None)
    assert found.reason.startswith(reason)


def test_rows_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        pearson([1, 2], [1, 2, 3])


@settings(deadline=None)
@given(VALUES, st.randoms(use_true_random=False))
def test_bounds_symmetry_and_permutation(pairs: list[tuple[float, float]], random: object) -> None:
    x, y = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = pearson(x, y)
    assert found.n == len(pairs)
    if found.r is None:
        assert found.reason
        return
    assert -1 <= found.r <= 1
    assert found.p is None or 0 <= found.p <= 1
    assert pearson(y, x).r == found.r
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    again = pearson([pair[0] for pair in shuffled], [pair[1] for pair in shuffled])
    assert again.r is None or again.r == pytest.approx(found.r, abs=1e-6)


@settings(deadline=None)
@given(CORRELATIONS, st.integers(3, 1000))
def test_p_falls_as_r_grows_and_is_alpha_at_the_critical_value(r: float, n: int) -> None:
    p = p_of_r(r, n)
    assert p == p_of_r(-r, n)
    critical = critical_r(n)
    assert p_of_r(critical, n) == pytest.approx(0.05)
    assert (p <= 0.05 + 1e-12) == (abs(r) >= critical - 1e-12)


def test_critical_values_as_tabulated() -> None:
    # tables of critical values of r, two-sided 0.05 and 0.01 (degrees of freedom n - 2)
    assert [round(critical_r(n), 3) for n in (5, 6, 7, 12)] == [0.878, 0.811, 0.754, 0.576]
    assert round(critical_r(6, 0.01), 3) == 0.917
    assert critical_r(2) is None


def test_p_of_impossible_correlations_is_missing() -> None:
    assert p_of_r(0.5, 2) is None
    assert p_of_r(1.5, 10) is None
    assert p_of_r(math.nan, 10) is None
    assert p_of_r(-1, 10) == 0


@settings(deadline=None)
@given(CORRELATIONS, CORRELATIONS)
def test_paper_z_is_antisymmetric(r1: float, r2: float) -> None:
    assert paper_z(r1, r2) == -paper_z(r2, r1)
    assert 0 <= two_sided(paper_z(r1, r2)) <= 1


def test_paper_z_without_room_is_missing() -> None:
    assert paper_z(1, 1) is None
    assert paper_z(-1, -1) is None
    assert paper_z(1, -1) == pytest.approx(2 * math.sqrt(7 / 4))


def test_two_sided_p_of_1_96_is_5_percent() -> None:
    assert two_sided(1.959964) == pytest.approx(0.05, abs=1e-7)
    assert two_sided(-1.959964) == two_sided(1.959964)
