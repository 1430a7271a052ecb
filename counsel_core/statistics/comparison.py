"""Two sources compared question by question: a paired test, its effect size and an interval."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from counsel_core.records import REFERENCE
from counsel_core.statistics.intervals import Floats, Intervals, bca_intervals, resampled_counts
from counsel_core.statistics.sample import source_order

_PAIRS_AT_ONCE = 300
"""Pairs whose 10,000 resamples are held at once: 24 MB."""
VALUE, CLOSENESS = "value", "closeness"
"""What is compared: the values of a source and the reference, or two sources' distances to it."""


@dataclass(frozen=True, slots=True)
class Paired:
    """Wilcoxon's signed-rank test of n paired values.

    `difference` is the mean of first minus second; `effect` the matched-pairs rank-biserial
    correlation, -1 (the first always lower) to 1. None where there is none, with the reason.
    """

    n: int
    difference: float | None
    statistic: float | None
    p: float | None
    effect: float | None
    reason: str = ""


def compare_paired(x: Floats, y: Floats) -> Paired:
    """Compare two rows of values of the same questions; a question with a missing value is left out.

    Notes
    -----
    Wilcoxon (1945) as in ``scipy.stats.wilcoxon``, which drops equal pairs; rank-biserial correlation by
    Kerby (2014), "The simple difference formula", Comprehensive Psychology 3, 11.IT.3.1.

    Examples
    --------
    >>> found = compare_paired(np.array([3.0, 4, 6, 9, 11]), np.array([2.0, 2, 3, 5, 6]))
    >>> found.n, found.difference, found.effect, found.p
    (5, 3.0, 1.0, 0.0625)
    """
    gaps = np.asarray(x, dtype=float) - np.asarray(y, dtype=float)
    gaps = gaps[np.isfinite(gaps)]
    n = len(gaps)
    if n < 2:
        reason = f"{n} questions have both values; a test needs at least 2"
        return Paired(n, float(gaps[0]) if n else None, None, None, None, reason)
    unequal = gaps[gaps != 0]
    if not len(unequal):
        return Paired(n, 0.0, None, None, 0.0, "the values are equal in every question")
    ranks = stats.rankdata(np.abs(unequal))
    effect = float((ranks * np.sign(unequal)).sum() / ranks.sum())
    found = stats.wilcoxon(unequal)
    return Paired(n, float(gaps.mean()), float(found.statistic), float(found.pvalue), effect)


def paired_rows(scores: pd.DataFrame, repeats: int, seed: int, level: float) -> pd.DataFrame:
    """Return the rows of the table `paired`, without correction: see there. `scores` are checked ones."""
    parts = [
        _rows_of_metric(str(metric), rows, repeats, seed, level)
        for metric, rows in scores.groupby("metric", sort=True)
    ]
    columns = ["metric", "measure", "source_1", "source_2", "n", "difference", "ci_low", "ci_high"]
    columns += ["statistic", "p", "effect", "reason"]
    kept = [part for part in parts if len(part)]
    return pd.concat(kept, ignore_index=True)[columns] if kept else pd.DataFrame(columns=columns)


def _rows_of_metric(metric: str, scores: pd.DataFrame, repeats: int, seed: int, level: float) -> pd.DataFrame:
    # a source's several answers to a question are one value, their mean
    ordered = scores.sort_values(["item", "source", "value"])
    wide = ordered.pivot_table(index="item", columns="source", values="value", aggfunc="mean")
    pairs = list(_pairs(wide))
    if not pairs:
        return pd.DataFrame()
    gaps = np.array([first - second for *_, first, second in pairs])
    blocks = [gaps[start : start + _PAIRS_AT_ONCE] for start in range(0, len(gaps), _PAIRS_AT_ONCE)]
    bounds = [_mean_intervals(block, repeats, seed, level) for block in blocks]
    low, high, why = (
        np.concatenate([getattr(b, name) for b in bounds]) for name in ("low", "high", "reason")
    )
    rows = []
    for number, (measure, source_1, source_2, first, second) in enumerate(pairs):
        found = compare_paired(first, second)
        numbers = (found.n, found.difference, low[number], high[number])
        tested = (found.statistic, found.p, found.effect, found.reason or why[number])
        rows.append((metric, measure, source_1, source_2, *numbers, *tested))
    columns = ["metric", "measure", "source_1", "source_2", "n", "difference", "ci_low", "ci_high"]
    frame = pd.DataFrame(rows, columns=[*columns, "statistic", "p", "effect", "reason"])
    floats = ["difference", "ci_low", "ci_high", "statistic", "p", "effect"]
    return frame.astype(dict.fromkeys(floats, float))


def _pairs(wide: pd.DataFrame) -> Iterator[tuple[str, str, str, Floats, Floats]]:
    """Yield each source with the reference by value, then each two sources by closeness to it."""
    if REFERENCE not in wide:
        return
    reference = wide[REFERENCE].to_numpy(dtype=float)
    others = [name for name in source_order(wide.columns) if name != REFERENCE]
    values = {name: wide[name].to_numpy(dtype=float) for name in others}
    for name in others:
        yield VALUE, name, REFERENCE, values[name], reference
    for one, two in itertools.combinations(others, 2):
        first, second = np.abs(values[one] - reference), np.abs(values[two] - reference)
        yield CLOSENESS, one, two, first, second


def _mean_intervals(gaps: Floats, repeats: int, seed: int, level: float) -> Intervals:
    """Return the BCa intervals of the mean of each row, resampling questions (columns)."""
    known = np.isfinite(gaps)
    sums, counts = np.where(known, gaps, 0.0), known.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = sums.sum(axis=1) / counts.sum(axis=1)
        left = (sums.sum(axis=1, keepdims=True) - sums) / (counts.sum(axis=1, keepdims=True) - counts)
        draws = np.concatenate(
            [
                (sums @ times.T) / (counts @ times.T)
                for times in resampled_counts(gaps.shape[1], repeats, seed)
            ],
            axis=1,
        )
    found = bca_intervals(observed, draws, [left], level)
    found.reason[(counts.sum(axis=1) == 1)] = "an interval needs at least 2 questions"
    return found
