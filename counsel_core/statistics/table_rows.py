"""Rows of the tables, made from one part of an analysis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import numpy as np
import pandas as pd

from counsel_core.records import OTHER_THERAPISTS, REFERENCE
from counsel_core.statistics.adjust import holm
from counsel_core.statistics.analysis import Analysis, Part
from counsel_core.statistics.correlation import FLAT, paper_z, two_sided
from counsel_core.statistics.dependent import Comparison, nonoverlapping, overlapping
from counsel_core.statistics.intervals import Floats

Formula = Literal["paper", "standard"]
Row = tuple[Any, ...]

NO_REFERENCE = "there are no reference answers to compare with"
NO_METRIC = "no metric of the profile is known for both it and the reference"
NOT_SCORED = "no answer has a value"

_FLOATS: tuple[str, ...] = (
    "mean",
    "ci_low",
    "ci_high",
    "r",
    "p",
    "p_holm",
    "r_low",
    "r_high",
    "z",
    "distance",
    "rank",
)
_FLOATS += ("r_difference", "r_difference_low", "r_difference_high")
_FLOATS += ("distance_difference", "distance_low", "distance_high")


def frame_of(rows: Iterable[Row], columns: list[str]) -> pd.DataFrame:
    """Return rows as a frame whose columns have their types even when there is no row."""
    frame = pd.DataFrame(list(rows), columns=columns)
    types: dict[str, Any] = {name: float for name in columns if name in _FLOATS}
    return frame.astype(types | ({"n": int} if "n" in columns else {}))


def adjusted(frame: pd.DataFrame) -> pd.DataFrame:
    """Fill the column p_holm from p, all rows being one family of tests."""
    frame["p_holm"] = pd.Series(holm(frame["p"].tolist()), index=frame.index, dtype=float)
    return frame


def mean_rows(analysis: Analysis, part: Part) -> Iterator[Row]:
    """Yield source, metric, mean, n, ci_low, ci_high, reason."""
    bounds = part.mean_intervals
    for i, source in enumerate(analysis.sources):
        for k, metric in enumerate(analysis.metrics):
            n = int(part.counts[i, k])
            reason = bounds.reason[i, k] if n else NOT_SCORED
            yield source, metric, part.means[i, k], n, bounds.low[i, k], bounds.high[i, k], reason


def correlation_rows(analysis: Analysis, part: Part, yardstick: bool) -> Iterator[Row]:
    """Yield source, r, p, p_holm (to be filled), n, r_low, r_high, reason."""
    bounds = part.r.intervals(analysis.level)
    for source in analysis.sources:
        if source == REFERENCE or (source == OTHER_THERAPISTS and not yardstick):
            continue
        at = analysis.place(source)
        found = part.correlations[at]
        low, high = (bounds.low[at], bounds.high[at]) if found.n > 2 else (np.nan, np.nan)
        reason = _said_of_r(analysis, part, at) or bounds.reason[at] or lacking(analysis, part, at)
        yield source, found.r, found.p, None, found.n, low, high, reason


def _said_of_r(analysis: Analysis, part: Part, at: int) -> str:
    found = part.correlations[at]
    if analysis.reference is None:
        return NO_REFERENCE
    if not found.n:
        return NO_METRIC
    if found.n == 1:
        return "one metric is known for both it and the reference; a correlation needs at least 2"
    if found.n == 2:
        return "two metrics always lie on a line" if found.r is not None else found.reason
    if found.r is not None and abs(found.r) == 1:
        return "its metrics lie on one line with the reference's: a perfect correlation"
    whose = {"first": "its", "second": "the reference's"}
    return next(
        (f"{name} metrics all have the same value" for word, name in whose.items() if word in found.reason),
        "",
    )


def lacking(analysis: Analysis, part: Part, at: int) -> str:
    """Name the metrics of the profile that a source or the reference has no value of; '' if none."""
    names = [name for name, known in zip(analysis.profile_metrics, part.known[at], strict=True) if not known]
    return f"without {', '.join(names)}: no value" if names else ""


def distance_rows(analysis: Analysis, part: Part) -> list[Row]:
    """Return source, distance, ci_low, ci_high, n, rank, reason; nearest first, without a rank last.

    A distance over fewer metrics is smaller for that alone: a model that lacks some has no rank.
    """
    bounds = part.distance.intervals(analysis.level)
    most = max((int(part.known[analysis.place(source)].sum()) for source in analysis.models), default=0)
    whole = [source for source in analysis.models if part.known[analysis.place(source)].sum() == most > 0]
    ranked = [part.distance.observed[analysis.place(source)] for source in whole]
    rows: list[Row] = []
    for source in analysis.sources:
        if source == REFERENCE:
            continue
        at = analysis.place(source)
        distance, n = part.distance.observed[at], int(part.known[at].sum())
        none = NO_REFERENCE if analysis.reference is None else NO_METRIC
        reason = none if not n else bounds.reason[at] or lacking(analysis, part, at)
        rank = 1 + sum(other < distance for other in ranked) if source in whole else np.nan
        rows.append((source, distance, bounds.low[at], bounds.high[at], n, rank, reason))
    return sorted(rows, key=_nearest_first)


def _nearest_first(row: Row) -> tuple[bool, bool, float, str]:
    """Put what has no rank after what has one: a shorter distance over fewer metrics is no lead."""
    source, distance, _, _, n, rank, _ = row
    unranked = bool(np.isnan(rank)) and source != OTHER_THERAPISTS
    return bool(np.isnan(distance)), unranked, distance if n else 0.0, source


def z_between(analysis: Analysis, one: Part, two: Part, at: int, formula: Formula) -> Comparison:
    """Compare a source's correlation with the reference in two topics."""
    reference = analysis.reference
    if reference is None:
        return Comparison(None, None, NO_REFERENCE)
    if formula == "paper":
        return _paper(one.correlations[at].r, two.correlations[at].r)
    rows = [part.profile[place] for part in (one, two) for place in (at, reference)]
    r, n = _matrix(rows)
    return nonoverlapping(r[0, 1], r[2, 3], r[0, 2], r[0, 3], r[1, 2], r[1, 3], n)


def _paper(r1: float | None, r2: float | None) -> Comparison:
    if r1 is None or r2 is None:
        return Comparison(None, None, "a correlation is missing")
    z = paper_z(r1, r2)
    if z is None:
        return Comparison(None, None, "both correlations are 1 or both are -1")
    return Comparison(z, two_sided(z))


def z_of_two(analysis: Analysis, part: Part, one: int, two: int) -> tuple[Comparison, int]:
    """Compare two sources' correlations with the reference; with it the number of metrics."""
    reference = analysis.reference
    if reference is None:
        return Comparison(None, None, NO_REFERENCE), 0
    r, n = _matrix([part.profile[place] for place in (reference, one, two)])
    return overlapping(r[0, 1], r[0, 2], r[1, 2], n), n


def _matrix(rows: list[Floats]) -> tuple[Floats, int]:
    """Correlate every two rows over the metrics that all of them have; NaN where one is constant."""
    values = np.array(rows)
    values = values[:, np.isfinite(values).all(axis=0)]
    n = values.shape[1]
    if n < 2:
        return np.full((len(rows), len(rows)), np.nan), n
    centred = values - values.mean(axis=1, keepdims=True)
    length = np.sqrt((centred * centred).sum(axis=1))
    flat = length <= FLAT * np.abs(values.mean(axis=1))
    unit = centred / np.where(flat, np.nan, length)[:, None]
    r: Floats = np.clip(unit @ unit.T, -1.0, 1.0)
    return r, n
