"""Steiger's tests: antisymmetric, blind to the order of the variables, bounded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from counsel_core.statistics.dependent import nonoverlapping, overlapping


@st.composite
def matrices(draw: st.DrawFn, size: int) -> np.ndarray:
    """A correlation matrix, made from vectors."""
    number = st.floats(-3, 3).filter(lambda x: abs(x) > 1e-3)
    vectors = np.array(draw(st.lists(st.lists(number, min_size=6, max_size=6), min_size=size, max_size=size)))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    r = unit @ unit.T
    assume((np.abs(r[np.triu_indices(size, 1)]) < 0.98).all())
    return r


@settings(deadline=None)
@given(matrices(3), st.sampled_from(["steiger1980", "dunn1969"]))
def test_overlapping_is_antisymmetric(r: np.ndarray, method: str) -> None:
    one = overlapping(r[0, 1], r[0, 2], r[1, 2], 30, method)
    other = overlapping(r[0, 2], r[0, 1], r[1, 2], 30, method)
    assert one.z == pytest.approx(-other.z, rel=1e-9, abs=1e-12)
    assert 0 <= one.p <= 1
    assert np.sign(one.z) == np.sign(r[0, 1] - r[0, 2])


@settings(deadline=None)
@given(matrices(4), st.sampled_from(["steiger1980", "dunn1969"]))
def test_nonoverlapping_does_not_mind_the_order_of_variables(r: np.ndarray, method: str) -> None:
    def z(j: int, k: int, h: int, m: int) -> float | None:
        return nonoverlapping(r[j, k], r[h, m], r[j, h], r[j, m], r[k, h], r[k, m], 30, method).z

    usual = z(0, 1, 2, 3)
    assume(usual is not None)
    assert z(1, 0, 2, 3) == pytest.approx(usual, rel=1e-6, abs=1e-9)
    assert z(0, 1, 3, 2) == pytest.approx(usual, rel=1e-6, abs=1e-9)
    assert z(2, 3, 0, 1) == pytest.approx(-usual, rel=1e-6, abs=1e-9)


def test_independent_pairs_give_fishers_test() -> None:
    # without any correlation across, c = 0 and z is that of two independent samples of one size
    expected = (np.arctanh(0.6) - np.arctanh(0.3)) * np.sqrt((50 - 3) / 2)
    assert nonoverlapping(0.6, 0.3, 0, 0, 0, 0, 50).z == pytest.approx(expected)
