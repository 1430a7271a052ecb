"""Whether two correlations measured on the same things differ: Dunn and Clark 1969, Steiger 1980.

Variables are named as in Steiger (1980), "Tests for comparing elements of a correlation matrix",
Psychological Bulletin 87, 245-251, and in the R package cocor (Diedenhofen and Musch 2015, PLoS ONE
10(4), e0121945), whose published examples the tests hold these functions against.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from counsel_core.statistics.correlation import two_sided

Method = Literal["steiger1980", "dunn1969"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A standard normal z and its two-sided p; None where there is none, with the reason."""

    z: float | None
    p: float | None
    reason: str = ""


def overlapping(r_jk: float, r_jh: float, r_kh: float, n: int, method: Method = "steiger1980") -> Comparison:
    """Compare r_jk with r_jh, which share the variable j, over the same n cases.

    z = (Z_jk - Z_jh) sqrt(n - 3) / sqrt(2 - 2c), where Z is Fisher's transform and c the covariance of
    the two: with the two correlations themselves (Dunn and Clark) or with their mean (Steiger, eq. 14).

    Parameters
    ----------
    r_jk, r_jh
        The correlations compared, such as two models' with the reference.
    r_kh
        The correlation of the other two variables, such as that of the two models.
    n
        Cases behind each correlation; from 4 on.

    Examples
    --------
    >>> round(overlapping(0.3, 0.4, 0.5, 100).z, 4)  # Silver, Hittner and May (2006): -1.0718
    -1.0718
    """
    if reason := _refusal((r_jk, r_jh, r_kh), (r_jk, r_jh), n):
        return Comparison(None, None, reason)
    first, second = _centre(r_jk, r_jh, method)
    squares = 1 - first**2 - second**2
    psi = r_kh * squares - 0.5 * first * second * (squares - r_kh**2)
    return _compare(r_jk, r_jh, psi / ((1 - first**2) * (1 - second**2)), n)


def nonoverlapping(
    r_jk: float,
    r_hm: float,
    r_jh: float,
    r_jm: float,
    r_kh: float,
    r_km: float,
    n: int,
    method: Method = "steiger1980",
) -> Comparison:
    """Compare r_jk with r_hm, which share no variable, over the same n cases (Steiger, eq. 15).

    One source's correlation with the reference in two topics is such a pair: j and k are the source and
    the reference in the first topic, h and m in the second, and the n cases are the metrics.

    Examples
    --------
    >>> found = nonoverlapping(0.3, 0.4, r_jh=0.5, r_jm=0.8, r_kh=0.6, r_km=0.7, n=100)
    >>> round(found.z, 4)  # Silver, Hittner and May (2006): -1.0744
    -1.0744
    """
    if reason := _refusal((r_jk, r_hm, r_jh, r_jm, r_kh, r_km), (r_jk, r_hm), n):
        return Comparison(None, None, reason)
    first, second = _centre(r_jk, r_hm, method)
    psi = 0.5 * (
        (r_jh - first * r_kh) * (r_km - r_kh * second)
        + (r_jm - r_jh * second) * (r_kh - first * r_jh)
        + (r_jh - r_jm * second) * (r_km - first * r_jm)
        + (r_jm - first * r_km) * (r_kh - r_km * second)
    )
    return _compare(r_jk, r_hm, psi / ((1 - first**2) * (1 - second**2)), n)


def _refusal(all_of_them: tuple[float, ...], compared: tuple[float, float], n: int) -> str:
    if any(math.isnan(r) for r in all_of_them):
        return "a correlation is missing"
    if any(abs(r) > 1 for r in all_of_them):
        return "a correlation is outside -1 to 1"
    if n < 4:
        return f"{n} cases; the test needs at least 4"
    if any(abs(r) == 1 for r in compared):
        return "a correlation of -1 or 1 has no Fisher transform"
    return ""


def _centre(r1: float, r2: float, method: Method) -> tuple[float, float]:
    """Return the correlations that the covariance is taken at."""
    mean = (r1 + r2) / 2
    return (mean, mean) if method == "steiger1980" else (r1, r2)


def _compare(r1: float, r2: float, covariance: float, n: int) -> Comparison:
    room = 2 - 2 * covariance
    if room <= 1e-12:
        return Comparison(None, None, "the two correlations depend on each other entirely")
    z = (math.atanh(r1) - math.atanh(r2)) * math.sqrt((n - 3) / room)
    return Comparison(z, two_sided(z))
