"""Pearson's correlation, its p value and critical value, and the Z that the framework's paper uses."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

PAPER_N = 10
"""The n in the paper's Z: ten where six metrics were compared."""

FLAT = 1e-13
"""Spread beside size below which values count as constant, as in scipy.stats.pearsonr."""
_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation r over n pairs with its two-sided p; None where there is none, with the reason."""

    r: float | None
    p: float | None
    n: int
    reason: str = ""


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> Correlation:
    """Correlate two rows of values; a pair with a missing value (NaN) is left out.

    Parameters
    ----------
    x, y
        Values of the same things in the same order; any unit, NaN where missing.

    Returns
    -------
    Correlation
        r in -1 to 1, p from Student's t with n - 2 degrees of freedom. Of two pairs r is -1 or 1 whatever
        they are, so that p is missing; with fewer, or constant values, r is too.

    Notes
    -----
    Framework paper, section 5.2, Table 3. Held against ``scipy.stats.pearsonr`` and that table.

    Examples
    --------
    >>> round(pearson([1, 2, 3, 4], [1, 3, 2, 5]).r, 4)
    0.8315
    >>> pearson([1, 1, 1], [1, 2, 3]).reason
    'the first values are all the same'
    """
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"two rows of one length are needed, not of shapes {first.shape} and {second.shape}")
    both = np.isfinite(first) & np.isfinite(second)
    first, second = first[both], second[both]
    n = int(both.sum())
    if n < 2:
        return Correlation(None, None, n, f"{n} complete pairs; a correlation needs at least 2")
    for values, name in ((first, "first"), (second, "second")):
        if _is_flat(values):
            return Correlation(None, None, n, f"the {name} values are all the same")
    r = _on_the_line(float(np.dot(_unit(first), _unit(second))))
    if n == 2:
        return Correlation(math.copysign(1.0, r), None, n, "two pairs always lie on a line")
    return Correlation(r, p_of_r(r, n), n)


def _is_flat(values: npt.NDArray[np.float64]) -> bool:
    spread = float(np.abs(values - values.mean()).max())
    return float(np.ptp(values)) == 0 or spread < FLAT * abs(float(values.mean()))


def _on_the_line(r: float) -> float:
    """Return 1 or -1 for what differs from it by rounding alone."""
    return math.copysign(1.0, r) if 1 - abs(r) < _ROUNDING else r


def _unit(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    centred = values - values.mean()
    largest = np.abs(centred).max()  # so that squares of extreme values neither overflow nor vanish
    scaled: npt.NDArray[np.float64] = centred / largest
    return scaled / np.linalg.norm(scaled)


def p_of_r(r: float, n: int) -> float | None:
    """Return the two-sided p of a correlation r over n pairs; None below three pairs.

    p = 2 P(T > abs(r) sqrt((n - 2) / (1 - r^2))), T Student's with n - 2 degrees of freedom:
    the formula that gives Table 5 of the framework paper from its Table 4 with n = 6.

    Examples
    --------
    >>> round(p_of_r(0.830253, 6), 4)  # GPT4 Preview in Table 3, where 0.040775 is printed
    0.0408
    """
    if n < 3 or not -1 <= r <= 1:
        return None
    if abs(r) == 1:
        return 0.0
    from scipy import stats

    return float(2 * stats.t.sf(abs(r) * math.sqrt((n - 2) / ((1 - r) * (1 + r))), n - 2))


def critical_r(n: int, alpha: float = 0.05) -> float | None:
    """Return the abs(r) from which n pairs are significant at alpha, two-sided; None below three pairs.

    Examples
    --------
    >>> round(critical_r(6), 3)  # every table of critical values of r, 4 degrees of freedom
    0.811
    """
    if n < 3:
        return None
    from scipy import special

    t = float(special.stdtrit(n - 2, 1 - alpha / 2))
    return t / math.sqrt(n - 2 + t * t)


def paper_z(r1: float, r2: float, n: int = PAPER_N) -> float | None:
    """Return the framework paper's Z between two correlations; None where it is 0/0 or x/0.

    (r1 - r2) sqrt((n - 3) / (2 (1 - r1 r2))). The paper calls it Steiger's Z, which it is not: for
    that see `dependent`. Its n is 10 while six metrics are compared. Reproduces Tables 6 and 7.

    Examples
    --------
    >>> round(paper_z(0.784736, 0.573245), 4)  # Mistral 7_2, Table 6: 0.533439 is printed
    0.5334
    """
    room = 1 - r1 * r2
    return None if room <= 0 else (r1 - r2) * math.sqrt((n - 3) / (2 * room))


def two_sided(z: float) -> float:
    """Return the two-sided p of a standard normal z."""
    from scipy import special

    return float(2 * special.ndtr(-abs(z)))
