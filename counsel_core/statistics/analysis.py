"""Everything that the tables read from one set of scores, resampled once."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from counsel_core.errors import InputError
from counsel_core.records import OTHER_THERAPISTS, REFERENCE
from counsel_core.statistics.correlation import Correlation, pearson
from counsel_core.statistics.intervals import (
    LEVEL,
    REPEATS,
    Floats,
    Intervals,
    bca_intervals,
    resampled_counts,
)
from counsel_core.statistics.profile import correlations_to, distances_to
from counsel_core.statistics.sample import Sample, check_scores, make_sample, metric_order, source_order


@dataclass(frozen=True, slots=True)
class Resampled:
    """A statistic of every source: as observed, in each resample, and without each question.

    Shapes (sources,), (sources, resamples) and (sources, questions).
    """

    observed: Floats
    draws: Floats
    left_out: Floats

    def intervals(self, level: float) -> Intervals:
        """Return the BCa interval of each source."""
        return bca_intervals(self.observed, self.draws, [self.left_out], level)


@dataclass(frozen=True, slots=True)
class Part:
    """The questions of one topic, or all of them where `topic` is None.

    `means`, `counts` and `mean_intervals` have the shape (sources, metrics); `profile` and `known`,
    which says where both the source and the reference have a mean, (sources, profile metrics).
    """

    topic: str | None
    questions: int
    means: Floats
    counts: Floats
    mean_intervals: Intervals
    profile: Floats
    known: npt.NDArray[np.bool_]
    correlations: tuple[Correlation, ...]
    r: Resampled
    distance: Resampled


@dataclass(frozen=True, slots=True)
class Analysis:
    """Scores resampled by question: all of them, then topic by topic (items without topic: only in all)."""

    sources: tuple[str, ...]
    metrics: tuple[str, ...]
    profile_metrics: tuple[str, ...]
    overall: Part
    topics: tuple[Part, ...]
    repeats: int
    seed: int
    level: float

    @property
    def reference(self) -> int | None:
        """The place of the reference among the sources."""
        return self.sources.index(REFERENCE) if REFERENCE in self.sources else None

    @property
    def models(self) -> tuple[str, ...]:
        """The sources that are compared: neither the reference nor other therapists."""
        return tuple(source for source in self.sources if source not in (REFERENCE, OTHER_THERAPISTS))

    def place(self, source: str) -> int:
        """Return the place of a source in every array."""
        return self.sources.index(source)

    def profile_of(self, part: Part) -> pd.DataFrame:
        """Return normalised means, a row a source and a column a metric of the profile."""
        return pd.DataFrame(part.profile, list(self.sources), list(self.profile_metrics))


def analyse(
    scores: pd.DataFrame,
    scales: Mapping[str, float] | None = None,
    *,
    repeats: int = REPEATS,
    seed: int = 0,
    level: float = LEVEL,
) -> Analysis:
    """Resample the scores by question, so that every table can be made from the result.

    Parameters
    ----------
    scores
        Columns item, topic, source, metric, value; NaN is missing. The order of rows does not matter.
    scales
        What a metric's mean is multiplied with in the profile; a metric that is not named is no part
        of it, nor is one that no source has.
    repeats, seed, level
        Resamples, their seed (same seed, same intervals), and the level of the intervals.

    Raises
    ------
    InputError
        A column is missing, or `repeats` or `level` makes no sense.
    """
    if repeats < 1 or not 0 < level < 1:
        raise InputError(
            f"{repeats} resamples at level {level} were given; at least 1 and 0 to 1 are needed."
        )
    frame = check_scores(scores)
    sources = source_order(frame["source"])
    metrics = metric_order(frame["metric"], scales or {})
    with_scale = {name: scale for name, scale in (scales or {}).items() if name in metrics}
    make = _Maker(sources, metrics, with_scale, repeats, seed, level)
    topics = tuple(make.part(rows, str(topic)) for topic, rows in frame.groupby("topic", sort=True))
    return Analysis(sources, metrics, tuple(with_scale), make.part(frame, None), topics, repeats, seed, level)


@dataclass(frozen=True)
class _Maker:
    sources: tuple[str, ...]
    metrics: tuple[str, ...]
    scales: dict[str, float]
    repeats: int
    seed: int
    level: float

    def part(self, rows: pd.DataFrame, topic: str | None) -> Part:
        sample = make_sample(rows, self.sources, self.metrics)
        means, counts = (
            _means(sample.sums.sum(axis=-1), sample.counts.sum(axis=-1)),
            sample.counts.sum(axis=-1),
        )
        profile = self._profile(means)
        reference = self._reference(profile)
        known = np.isfinite(profile) & np.isfinite(reference)
        left_out = _left_out(sample)
        mean_draws, r_draws, distance_draws = self._draws(sample, known, topic)
        r, distance = self._compare(profile[..., None], known)
        r_left, distance_left = self._compare(self._profile(left_out), known)
        return Part(
            topic,
            len(sample.items),
            means,
            counts,
            bca_intervals(means, mean_draws, [left_out], self.level),
            profile,
            known,
            tuple(pearson(row, reference) for row in profile),
            Resampled(r[:, 0], r_draws, r_left),
            Resampled(distance[:, 0], distance_draws, distance_left),
        )

    def _draws(
        self, sample: Sample, known: npt.NDArray[np.bool_], topic: str | None
    ) -> tuple[Floats, Floats, Floats]:
        """Resample: means (sources, metrics, resamples), then r and distance (sources, resamples)."""
        shape = sample.sums.shape
        sums, counts = (
            array.reshape(shape[0] * shape[1], shape[2]) for array in (sample.sums, sample.counts)
        )
        means = np.empty((*shape[:2], self.repeats))
        r = np.empty((shape[0], self.repeats), dtype=np.float32)
        distance = np.empty_like(r)
        # each topic has random numbers of its own: two topics' questions are independent
        seed = [self.seed] if topic is None else [self.seed, zlib.crc32(topic.encode())]
        start = 0
        for times in resampled_counts(shape[-1], self.repeats if shape[-1] else 0, seed):
            now = slice(start, start + len(times))
            drawn = _means(sums @ times.T, counts @ times.T).reshape(*shape[:2], len(times))
            means[..., now] = drawn
            r[:, now], distance[:, now] = self._compare(self._profile(drawn), known)
            start += len(times)
        return means, r, distance

    def _profile(self, means: Floats) -> Floats:
        places = [self.metrics.index(name) for name in self.scales]
        scale = np.array(list(self.scales.values())).reshape(1, -1, *[1] * (means.ndim - 2))
        found: Floats = means[:, places] * scale
        return found

    def _reference(self, profile: Floats) -> Floats:
        if REFERENCE in self.sources:
            found: Floats = profile[self.sources.index(REFERENCE)]
            return found
        return np.full(profile.shape[1:], np.nan)

    def _compare(self, profile: Floats, known: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
        reference = self._reference(profile)
        return correlations_to(profile, reference, known), distances_to(profile, reference, known)


def _means(sums: Any, counts: Any) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(counts > 0, sums / counts, np.nan)
    return found


def _left_out(sample: Sample) -> Floats:
    """Return the means without each question, of shape (sources, metrics, questions)."""
    sums, counts = (array.sum(axis=-1, keepdims=True) - array for array in (sample.sums, sample.counts))
    return _means(sums, np.round(counts))
