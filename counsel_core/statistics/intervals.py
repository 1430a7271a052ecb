"""Bootstrap intervals: bias-corrected and accelerated (BCa), seeded, many statistics at once.

Efron and Tibshirani (1993), An Introduction to the Bootstrap, equations 14.9 to 14.15. Held against
``scipy.stats.bootstrap`` with the same random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import special

Floats = npt.NDArray[np.floating[Any]]
"""Numbers of any float width; NaN is missing."""

REPEATS, LEVEL = 10_000, 0.95
MOST_MISSING = 0.05
"""Share of resamples that may lack the statistic; above it there is no interval."""
_CELLS_AT_ONCE, _RESAMPLES_AT_ONCE = 2_000_000, 2_000
"""Of a chunk: resamples times questions (16 MB), and resamples."""

FEW, SAME, MISSING, BEYOND, SPARSE = (
    "an interval needs at least 2 questions",
    "resampling the questions changes nothing: there is no spread to judge by",
    "the value is missing",
    "the value lies beyond its resamples: too few questions",
    "too many resamples lack the value: too few questions have it",
)
OUTSIDE = "resampling gives other values than the sample: an interval would leave the estimate out"


@dataclass(frozen=True, slots=True)
class Interval:
    """Bounds of one statistic; None where there are none, with the reason."""

    low: float | None
    high: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Intervals:
    """Bounds of many statistics, each array of their shape; NaN where there is none, with the reason."""

    low: Floats
    high: Floats
    reason: npt.NDArray[np.object_]


def resamples(n: int, repeats: int, seed: int | Sequence[int]) -> Iterator[npt.NDArray[np.int64]]:
    """Yield indices of resampled questions, chunks of shape (resamples, n); the same for one seed."""
    generator = np.random.default_rng(seed)
    at_once = min(_RESAMPLES_AT_ONCE, max(1, _CELLS_AT_ONCE // max(n, 1)))
    for start in range(0, repeats, at_once):
        yield generator.integers(0, n, (min(at_once, repeats - start), n))


def resampled_counts(n: int, repeats: int, seed: int | Sequence[int]) -> Iterator[Floats]:
    """Yield how often each question is in each resample: chunks of shape (resamples, n)."""
    for chosen in resamples(n, repeats, seed):
        rows = len(chosen)
        cells = chosen + n * np.arange(rows)[:, None]
        yield np.bincount(cells.ravel(), minlength=rows * n).reshape(rows, n).astype(float)


def bca_intervals(
    observed: Floats, draws: Floats, left_out: Sequence[Floats], level: float = LEVEL
) -> Intervals:
    """Return the BCa interval of each statistic.

    Parameters
    ----------
    observed
        The statistics, any shape.
    draws
        The same of each resample, which is the last axis; NaN where a resample lacks it.
    left_out
        The same with one question left out, which is the last axis: one array a sample of questions,
        two where the statistic compares two topics.
    """
    size = draws.shape[-1]
    ordered = np.sort(draws, axis=-1)  # missing ones come last
    valid = np.isfinite(draws).sum(axis=-1)
    here = observed[..., None].astype(draws.dtype)
    below, upto = (draws < here).sum(axis=-1), (draws <= here).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        bias = special.ndtri((below + upto) / (2 * valid))
        speed = _acceleration(left_out)
        edges = []
        for share in ((1 - level) / 2, (1 + level) / 2):
            z = bias + special.ndtri(share)
            edges.append(_quantile(ordered, valid, special.ndtr(bias + z / (1 - speed * z))))
    last = np.take_along_axis(ordered, np.maximum(valid - 1, 0)[..., None], -1)[..., 0]
    # what the same numbers added up in another order may differ by
    flat = last - ordered[..., 0] <= 8 * np.finfo(draws.dtype).eps * np.abs(last)
    reason = np.full(observed.shape, "", dtype=object)
    slack = 8 * np.finfo(draws.dtype).eps * np.abs(observed)
    # A distance that is nearly 0 can only grow by resampling: its BCa interval may lie beside it.
    reason[(observed < edges[0] - slack) | (observed > edges[1] + slack)] = OUTSIDE
    edges = [np.minimum(edges[0], np.where(observed >= edges[0] - slack, observed, np.inf)), edges[1]]
    edges[1] = np.maximum(edges[1], np.where(observed <= edges[1] + slack, observed, -np.inf))
    reason[~np.isfinite(bias) & (valid > 0)] = BEYOND
    reason[flat] = SAME
    reason[valid < (1 - MOST_MISSING) * size] = SPARSE
    reason[np.full(observed.shape, min((part.shape[-1] for part in left_out), default=0) < 2)] = FEW
    reason[~np.isfinite(observed)] = MISSING
    none = reason != ""
    return Intervals(np.where(none, np.nan, edges[0]), np.where(none, np.nan, edges[1]), reason)


def _acceleration(left_out: Sequence[Floats]) -> Floats:
    """Return the acceleration from the jackknife; 0 where leaving out changes nothing."""
    cubes: Any = 0.0
    squares: Any = 0.0
    for part in left_out:
        known = np.isfinite(part)
        n = np.maximum(known.sum(axis=-1), 1)
        mean = np.where(known, part, 0).sum(axis=-1) / n
        change = np.where(known, mean[..., None] - part, 0) * ((n - 1) / n)[..., None]
        cubes = cubes + (change**3).sum(axis=-1)
        squares = squares + (change**2).sum(axis=-1)
    found: Floats = np.where(squares > 0, cubes / (6 * squares**1.5), 0.0)
    return found


def _quantile(ordered: Floats, valid: npt.NDArray[np.int64], share: Floats) -> Floats:
    """Interpolate quantiles linearly among the valid draws, as numpy does by default."""
    place = np.nan_to_num(share) * np.maximum(valid - 1, 0)
    below = np.floor(place).astype(int)
    above = np.minimum(below + 1, np.maximum(valid - 1, 0))
    low = np.take_along_axis(ordered, below[..., None], -1)[..., 0]
    high = np.take_along_axis(ordered, above[..., None], -1)[..., 0]
    found: Floats = low + (high - low) * (place - below)
    return found


def bca(
    statistic: Callable[[npt.NDArray[np.int64]], Floats],
    n: int,
    repeats: int = REPEATS,
    seed: int = 0,
    level: float = LEVEL,
) -> Interval:
    """Return the BCa interval of any statistic of n questions.

    Parameters
    ----------
    statistic
        Takes indices of questions, of shape (resamples, k), and returns a value for each resample.

    Examples
    --------
    >>> values = np.array([1.0, 2.0, 4.0, 7.0, 8.0, 9.0])
    >>> found = bca(lambda index: values[index].mean(axis=-1), len(values), repeats=2000)
    >>> found.low < values.mean() < found.high
    True
    >>> bca(lambda index: values[index].mean(axis=-1), 1).reason
    'an interval needs at least 2 questions'
    """
    if n < 2:
        return Interval(None, None, FEW)
    everyone = np.arange(n)
    others = np.array([np.delete(everyone, i) for i in range(n)])
    draws = np.concatenate([statistic(chosen) for chosen in resamples(n, repeats, seed)])
    found = bca_intervals(statistic(everyone[None])[0:1], draws[None], [statistic(others)[None]], level)
    if found.reason[0]:
        return Interval(None, None, str(found.reason[0]))
    return Interval(float(found.low[0]), float(found.high[0]))
