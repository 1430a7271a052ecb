"""Dependent correlations against published worked examples and against simulation.

The examples are those by which the R package cocor 1.1-4 (Diedenhofen and Musch 2015, PLoS ONE 10(4),
e0121945) is tested, `tests/testthat/tests.r`; each names the publication it is from.
"""

from __future__ import annotations

import numpy as np
import pytest

from counsel_core.statistics.dependent import nonoverlapping, overlapping

STEIGER, DUNN = "steiger1980", "dunn1969"


@pytest.mark.parametrize(
    ("r_jk", "r_jh", "r_kh", "n", "method", "z", "digits"),
    [
        # Steiger (1980), p. 249, case A; -.8913 is printed there, from rounded intermediate values
        (0.4, 0.5, 0.1, 103, STEIGER, -0.8887185, 7),
        # Silver, Hittner and May (2006), Applied Psychological Measurement 30, 152-153 (depcor)
        (0.3, 0.4, 0.5, 100, STEIGER, -1.0718, 4),
        (0.3, 0.4, 0.5, 100, DUNN, -1.0730, 4),
        # spreadsheet of stat-help.com
        (0.5, 0.6, 0.7, 100, DUNN, -1.5838851123, 10),
    ],
)
def test_overlapping_gives_the_published_z(
    r_jk: float, r_jh: float, r_kh: float, n: int, method: str, z: float, digits: int
) -> None:
    assert round(overlapping(r_jk, r_jh, r_kh, n, method).z, digits) == z


@pytest.mark.parametrize(
    ("r", "n", "method", "z", "digits"),
    [
        # Steiger (1980), p. 249, case B; -1.4045 is printed there, from rounded intermediate values
        (
            {"r_jk": 0.5, "r_hm": 0.6, "r_jh": 0.8, "r_jm": 0.5, "r_kh": 0.5, "r_km": 0.7},
            103,
            STEIGER,
            -1.4050,
            4,
        ),
        # Silver, Hittner and May (2006)
        (
            {"r_jk": 0.3, "r_hm": 0.4, "r_jh": 0.5, "r_kh": 0.6, "r_km": 0.7, "r_jm": 0.8},
            100,
            STEIGER,
            -1.0744,
            4,
        ),
        (
            {"r_jk": 0.3, "r_hm": 0.4, "r_jh": 0.5, "r_kh": 0.6, "r_km": 0.7, "r_jm": 0.8},
            100,
            DUNN,
            -1.0723,
            4,
        ),
        # spreadsheet of stat-help.com
        ({"r_jk": 0.3, "r_hm": 0.4, "r_jh": 0.5, "r_jm": 0.6, "r_kh": 0.7, "r_km": 0.8}, 100, DUNN, -1.06, 2),
    ],
)
def test_nonoverlapping_gives_the_published_z(
    r: dict[str, float], n: int, method: str, z: float, digits: int
) -> None:
    assert round(nonoverlapping(**r, n=n, method=method).z, digits) == z


def test_p_values_as_published() -> None:
    assert round(overlapping(0.3, 0.4, 0.5, 100).p, 4) == 0.2838  # depcor
    assert round(overlapping(0.5, 0.6, 0.7, 100, DUNN).p, 10) == 0.1132198659  # stat-help.com
    r = {"r_jk": 0.3, "r_hm": 0.4, "r_jh": 0.5, "r_kh": 0.6, "r_km": 0.7, "r_jm": 0.8}
    assert round(nonoverlapping(**r, n=100).p, 4) == 0.2827  # depcor
    r = {"r_jk": 0.3, "r_hm": 0.4, "r_jh": 0.5, "r_jm": 0.6, "r_kh": 0.7, "r_km": 0.8}
    assert round(nonoverlapping(**r, n=100, method=DUNN).p, 10) == 0.2892685563  # stat-help.com


def _simulated(covariance: np.ndarray, n: int, times: int) -> np.ndarray:
    """Sample correlation matrices of n cases: shape (times, variables, variables)."""
    generator = np.random.default_rng(20)
    size = len(covariance)
    cases = generator.standard_normal((times, n, size)) @ np.linalg.cholesky(covariance).T
    cases -= cases.mean(axis=1, keepdims=True)
    cases /= np.sqrt((cases**2).sum(axis=1, keepdims=True))
    return cases.transpose(0, 2, 1) @ cases


def test_without_a_difference_one_in_twenty_is_significant() -> None:
    # overlapping: j with k and j with h correlate 0.4 alike; nonoverlapping: j with k and h with m
    # do. Of 4000 tests at 0.05 the count is binomial: sd 0.0034, so 0.04 to 0.06 is three of them.
    three = np.array([[1, 0.4, 0.4], [0.4, 1, 0.6], [0.4, 0.6, 1]])
    four = np.array([[1, 0.4, 0.5, 0.3], [0.4, 1, 0.3, 0.5], [0.5, 0.3, 1, 0.4], [0.3, 0.5, 0.4, 1]])
    shared = [overlapping(r[0, 1], r[0, 2], r[1, 2], 60).p < 0.05 for r in _simulated(three, 60, 4000)]
    apart = [
        nonoverlapping(r[0, 1], r[2, 3], r[0, 2], r[0, 3], r[1, 2], r[1, 3], 60).p < 0.05
        for r in _simulated(four, 60, 4000)
    ]
    assert 0.04 < np.mean(shared) < 0.06
    assert 0.04 < np.mean(apart) < 0.06


def test_the_papers_z_would_hardly_ever_be_significant() -> None:
    # why it is no substitute: under the same conditions its rate is far from one in twenty
    from counsel_core.statistics.correlation import paper_z

    three = np.array([[1, 0.4, 0.4], [0.4, 1, 0.6], [0.4, 0.6, 1]])
    found = [abs(paper_z(r[0, 1], r[0, 2], 60)) > 1.96 for r in _simulated(three, 60, 4000)]
    assert np.mean(found) < 0.02


def test_refusals_have_their_reasons() -> None:
    assert "no Fisher transform" in overlapping(1.0, 0.5, 0.2, 50).reason
    assert "at least 4" in overlapping(0.4, 0.5, 0.2, 3).reason
    assert "missing" in overlapping(float("nan"), 0.5, 0.2, 50).reason
    assert "outside" in nonoverlapping(0.4, 1.5, 0.1, 0.1, 0.1, 0.1, 50).reason
    assert "depend on each other entirely" in overlapping(0.5, 0.5, 1.0, 50).reason
    assert nonoverlapping(0.4, -1.0, 0.1, 0.1, 0.1, 0.1, 50).z is None
