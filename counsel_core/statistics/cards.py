"""A card for each model: in which metrics it is closest, its ranks, and where its correlation is high."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from counsel_core.statistics.analysis import Analysis, analyse
from counsel_core.statistics.correlation import critical_r
from counsel_core.statistics.intervals import Floats
from counsel_core.statistics.table_rows import distance_rows, lacking

FEWEST = 2
"""Metrics beyond which a correlation says anything."""


def model_cards(
    given: pd.DataFrame | Analysis,
    scales: Mapping[str, float] | None = None,
    *,
    best_at_one: Iterable[str] = ("emotion_consistency",),
) -> pd.DataFrame:
    """Return what is known of each model, a row each, as in Table 8 of the framework paper.

    Columns source, closest_metrics (in which no other model's mean is nearer to the reference's, names
    joined by "; "), r, r_rank, distance, distance_rank, topics_above_critical (topics where r reaches
    the critical value at 0.05 for its number of metrics), topics (with an r), n (metrics), reason. What lacks
    a metric that others have is not ranked.

    Parameters
    ----------
    best_at_one
        Metrics that hold the comparison with the reference already: the closest is the highest.
    """
    analysis = given if isinstance(given, Analysis) else analyse(given, scales)
    part = analysis.overall
    closest = _closest(analysis, tuple(best_at_one))
    ranks = {row[0]: row[5] for row in distance_rows(analysis, part)}
    all_r = [part.correlations[analysis.place(name)].r for name in analysis.models]
    rows = []
    for name, r in zip(analysis.models, all_r, strict=True):
        at = analysis.place(name)
        above, known = _topics(analysis, at)
        counts = [part.correlations[analysis.place(one)].n for one in analysis.models]
        n, most = part.correlations[at].n, max(counts)
        rivals = [other for other, count in zip(all_r, counts, strict=True) if count == most]
        rank = np.nan
        if r is not None and n == most > FEWEST:
            rank = 1 + sum(other is not None and other > r for other in rivals)
        metrics = "; ".join(metric for metric, names in closest.items() if name in names)
        numbers = (r, rank, part.distance.observed[at], ranks[name])
        reason = part.correlations[at].reason or lacking(analysis, part, at)
        rows.append((name, metrics, *numbers, "; ".join(above), known, n, reason))
    columns = ["source", "closest_metrics", "r", "r_rank", "distance", "distance_rank"]
    frame = pd.DataFrame(rows, columns=[*columns, "topics_above_critical", "topics", "n", "reason"])
    return frame.astype(dict.fromkeys(columns[2:], float) | {"topics": int, "n": int})


def _closest(analysis: Analysis, best_at_one: tuple[str, ...]) -> dict[str, list[str]]:
    """Return for each metric the models that are closest; several at a tie."""
    means = analysis.overall.means
    places = [analysis.place(name) for name in analysis.models]
    found = {}
    for k, metric in enumerate(analysis.metrics):
        target = 1.0 if metric in best_at_one else np.nan
        if analysis.reference is not None and metric not in best_at_one:
            target = means[analysis.reference, k]
        gaps: Floats = np.abs(means[places, k] - target)
        if np.isfinite(gaps).any():
            nearest = np.nanmin(gaps)
            found[metric] = [n for n, gap in zip(analysis.models, gaps, strict=True) if gap == nearest]
    return found


def _topics(analysis: Analysis, at: int) -> tuple[list[str], int]:
    """Return the topics in which a source's r reaches the critical value, and how many have an r."""
    above, known = [], 0
    for part in analysis.topics:
        found, critical = part.correlations[at], critical_r(part.correlations[at].n)
        if found.r is None or critical is None:
            continue
        known += 1
        if found.r >= critical:
            above.append(str(part.topic))
    return above, known
