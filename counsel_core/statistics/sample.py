"""Scores as arrays: what resampling by question needs, the sum and the count of each question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from counsel_core.errors import InputError
from counsel_core.records import OTHER_THERAPISTS, REFERENCE
from counsel_core.statistics.intervals import Floats

COLUMNS = ("item", "topic", "source", "metric", "value")


@dataclass(frozen=True, slots=True)
class Sample:
    """The scores of some questions: sums and counts of shape (sources, metrics, questions).

    Several answers of one source to one question add up, so that a mean is one over answers while
    whole questions are resampled.
    """

    sources: tuple[str, ...]
    metrics: tuple[str, ...]
    items: tuple[str, ...]
    sums: Floats
    counts: Floats


def check_scores(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that statistics need, with infinite values missing and names as text.

    Raises
    ------
    InputError
        A column is not there; the columns there are named.
    """
    if missing := [name for name in COLUMNS if name not in scores.columns]:
        given = ", ".join(map(str, scores.columns)) or "none"
        raise InputError(f"The scores lack the columns {', '.join(missing)}; there are: {given}.")
    frame = scores.loc[:, list(COLUMNS)].copy()
    for name in ("item", "source", "metric"):
        frame[name] = frame[name].astype(str)
    frame["topic"] = [None if pd.isna(topic) or topic == "" else str(topic) for topic in frame["topic"]]
    value = pd.to_numeric(frame["value"]).astype(float)
    frame["value"] = value.where(np.isfinite(value))
    return frame


def source_order(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in the order of every table: the reference, other therapists, then by name."""
    first = {REFERENCE: 0, OTHER_THERAPISTS: 1}
    return tuple(sorted(set(names), key=lambda name: (first.get(name, 2), name)))


def metric_order(names: Iterable[str], first: Iterable[str]) -> tuple[str, ...]:
    """Return the names, those of `first` first and in its order, the others by name."""
    place = {name: number for number, name in enumerate(first)}
    return tuple(sorted(set(names), key=lambda name: (place.get(name, len(place)), name)))


def make_sample(scores: pd.DataFrame, sources: tuple[str, ...], metrics: tuple[str, ...]) -> Sample:
    """Add up checked scores by source, metric and question; the order of the rows does not matter."""
    items = tuple(sorted(scores["item"].unique()))
    shape = (len(sources), len(metrics), len(items))
    place = np.zeros(len(scores), dtype=np.int64)
    for name, names in (("source", sources), ("metric", metrics), ("item", items)):
        place = place * len(names) + pd.Index(names).get_indexer(pd.Index(scores[name]))
    value = scores["value"].to_numpy(dtype=float)
    order = np.lexsort((value, place))  # sums of floats depend on their order
    place, value = place[order], value[order]
    known = np.isfinite(value)
    size = int(np.prod(shape))
    sums = np.bincount(place[known], weights=value[known], minlength=size).reshape(shape)
    counts = np.bincount(place[known], minlength=size).reshape(shape)
    return Sample(sources, metrics, items, sums.astype(float), counts.astype(float))
