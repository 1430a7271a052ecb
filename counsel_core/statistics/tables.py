"""The tables of an evaluation, as frames; each says in `reason` why a number is missing.

Every table takes the scores with the metrics' scales, or what `analysis.analyse` made of them: that is
the slow part, so whoever needs several tables makes it once.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import get_args

import numpy as np
import pandas as pd

from counsel_core.errors import UnknownNameError
from counsel_core.records import OTHER_THERAPISTS, REFERENCE
from counsel_core.statistics.adjust import holm
from counsel_core.statistics.analysis import Analysis, analyse
from counsel_core.statistics.comparison import paired_rows
from counsel_core.statistics.intervals import LEVEL, REPEATS, bca_intervals
from counsel_core.statistics.profile import leave_one_out
from counsel_core.statistics.sample import check_scores
from counsel_core.statistics.table_rows import (
    Formula,
    Row,
    adjusted,
    correlation_rows,
    distance_rows,
    frame_of,
    mean_rows,
    z_between,
    z_of_two,
)

Given = pd.DataFrame | Analysis
Scales = Mapping[str, float]
FORMULAS: tuple[Formula, ...] = get_args(Formula)


def summary(given: Given, scales: Scales | None = None) -> pd.DataFrame:
    """Mean of each source and metric: source, metric, mean, n (answers), ci_low, ci_high, reason."""
    analysis = _analysis(given, scales)
    columns = ["source", "metric", "mean", "n", "ci_low", "ci_high", "reason"]
    return frame_of(mean_rows(analysis, analysis.overall), columns)


def topic_summary(given: Given, scales: Scales | None = None) -> pd.DataFrame:
    """`summary` of each topic, with the column topic before the others."""
    analysis = _analysis(given, scales)
    columns = ["topic", "source", "metric", "mean", "n", "ci_low", "ci_high", "reason"]
    rows = ((part.topic, *row) for part in analysis.topics for row in mean_rows(analysis, part))
    return frame_of(rows, columns)


def correlations(given: Given, scales: Scales | None = None, *, yardstick: bool = False) -> pd.DataFrame:
    """Pearson's r of each model's profile with the reference's.

    Columns source, r, p, p_holm, n (metrics), r_low, r_high (resampling questions), reason. With
    `yardstick`, other therapists are among the sources, and count in Holm's correction.
    """
    analysis = _analysis(given, scales)
    rows = correlation_rows(analysis, analysis.overall, yardstick)
    return adjusted(frame_of(rows, ["source", "r", "p", "p_holm", "n", "r_low", "r_high", "reason"]))


def topic_correlations(
    given: Given, scales: Scales | None = None, *, yardstick: bool = False
) -> pd.DataFrame:
    """`correlations` by topic, with the column topic before the others; Holm over all its rows."""
    analysis = _analysis(given, scales)
    columns = ["topic", "source", "r", "p", "p_holm", "n", "r_low", "r_high", "reason"]
    rows = (
        (part.topic, *row) for part in analysis.topics for row in correlation_rows(analysis, part, yardstick)
    )
    return adjusted(frame_of(rows, columns))


def z_scores(given: Given, scales: Scales | None = None, *, formula: Formula = "standard") -> pd.DataFrame:
    """Whether a model's correlation with the reference differs between two topics.

    Columns source, topic_1, topic_2, z, p, formula, p_holm, r_difference (first minus second) with
    r_difference_low and _high from resampling the questions of both topics, n (metrics known in both),
    reason.

    Parameters
    ----------
    formula
        "paper": the framework paper's Z; "standard": Steiger's test of non-overlapping dependent
        correlations, its cases the metrics known in both topics.
    """
    if formula not in FORMULAS:
        raise UnknownNameError("formula", formula, FORMULAS)
    analysis = _analysis(given, scales)
    rows: list[Row] = []
    for one, two in itertools.combinations(analysis.topics, 2):
        left = [one.r.left_out, -two.r.left_out]
        observed = one.r.observed - two.r.observed
        found = bca_intervals(observed, one.r.draws - two.r.draws, left, analysis.level)
        for source in analysis.models:
            at = analysis.place(source)
            z = z_between(analysis, one, two, at, formula)
            numbers = (z.z, z.p, formula, None, observed[at], found.low[at], found.high[at])
            n = int((one.known[at] & two.known[at]).sum())
            rows.append((source, one.topic, two.topic, *numbers, n, z.reason or found.reason[at]))
    columns = ["source", "topic_1", "topic_2", "z", "p", "formula", "p_holm", "r_difference"]
    columns += ["r_difference_low", "r_difference_high", "n", "reason"]
    frame = adjusted(frame_of(rows, columns))
    return frame.sort_values("source", kind="stable", ignore_index=True)


def distances(given: Given, scales: Scales | None = None) -> pd.DataFrame:
    """Euclidean distance of each source's profile from the reference's, nearest first.

    Columns source, distance, ci_low, ci_high, n (metrics), rank (among models: other therapists, the
    human yardstick, have none), reason.
    """
    analysis = _analysis(given, scales)
    columns = ["source", "distance", "ci_low", "ci_high", "n", "rank", "reason"]
    return frame_of(distance_rows(analysis, analysis.overall), columns)


def topic_distances(given: Given, scales: Scales | None = None) -> pd.DataFrame:
    """`distances` by topic, with the column topic before the others."""
    analysis = _analysis(given, scales)
    columns = ["topic", "source", "distance", "ci_low", "ci_high", "n", "rank", "reason"]
    rows = ((part.topic, *row) for part in analysis.topics for row in distance_rows(analysis, part))
    return frame_of(rows, columns)


def contrasts(given: Given, scales: Scales | None = None) -> pd.DataFrame:
    """Whether two sources differ in their nearness to the reference, over all questions.

    Columns source_1, source_2, r_difference, r_low, r_high, z, p, p_holm (Steiger's test of overlapping
    dependent correlations over n metrics), distance_difference, distance_low, distance_high, n, reason.
    Differences are first minus second, their intervals from resampling questions.
    """
    analysis = _analysis(given, scales)
    columns = ["source_1", "source_2", "r_difference", "r_low", "r_high", "z", "p", "p_holm"]
    columns += ["distance_difference", "distance_low", "distance_high", "n", "reason"]
    part = analysis.overall
    others = [source for source in analysis.sources if source != REFERENCE]
    rows = []
    for one, two in itertools.combinations(others, 2):
        i, k = analysis.place(one), analysis.place(two)
        z, n = z_of_two(analysis, part, i, k)
        spans = []
        for measure in (part.r, part.distance):
            gap = measure.observed[i] - measure.observed[k]
            left = [measure.left_out[i] - measure.left_out[k]]
            found = bca_intervals(np.asarray(gap), measure.draws[i] - measure.draws[k], left, analysis.level)
            spans.append((gap, float(found.low), float(found.high), str(found.reason)))
        reason = z.reason or spans[0][3] or spans[1][3]
        rows.append((one, two, *spans[0][:3], z.z, z.p, None, *spans[1][:3], n, reason))
    return adjusted(frame_of(rows, columns))


def without_each(given: Given, scales: Scales | None = None) -> pd.DataFrame:
    """Compare models with the reference without each metric in turn; see `profile.leave_one_out`."""
    analysis = _analysis(given, scales)
    profile = analysis.profile_of(analysis.overall).drop(index=OTHER_THERAPISTS, errors="ignore")
    if REFERENCE not in profile.index:
        profile = profile.reindex([REFERENCE, *profile.index])
    return leave_one_out(profile, REFERENCE)


def paired(
    scores: pd.DataFrame, *, repeats: int = REPEATS, seed: int = 0, level: float = LEVEL
) -> pd.DataFrame:
    """Compare sources question by question, metric by metric.

    Columns metric, measure, source_1, source_2, n (questions), difference (mean of first minus second),
    ci_low, ci_high, statistic (Wilcoxon's), p, p_holm, effect (rank-biserial, -1 to 1), reason. With
    measure "value" source_2 is the reference; with "closeness" the absolute distances of two sources
    to the reference are compared: a negative difference means that source_1 is closer.
    """
    frame = paired_rows(check_scores(scores), repeats, seed, level)
    frame.insert(list(frame.columns).index("p") + 1, "p_holm", holm(frame["p"].tolist()))
    return frame.astype({"p_holm": float})


def all_tables(given: Given, scales: Scales | None = None) -> dict[str, pd.DataFrame]:
    """Return every table that needs no more than an analysis, by the name of its file."""
    analysis = _analysis(given, scales)
    both = [z_scores(analysis, formula=formula) for formula in FORMULAS]
    return {
        "summary": summary(analysis),
        "topic_summary": topic_summary(analysis),
        "correlations": correlations(analysis),
        "topics": topic_correlations(analysis),
        # Without a pair of topics there is one empty table, whose columns have their types.
        "z_scores": pd.concat([table for table in both if len(table)] or both[:1], ignore_index=True),
        "distances": distances(analysis),
        "topic_distances": topic_distances(analysis),
        "contrasts": contrasts(analysis),
        "without_each": without_each(analysis),
    }


def _analysis(given: Given, scales: Scales | None) -> Analysis:
    return given if isinstance(given, Analysis) else analyse(given, scales)
