"""What the tables say in words: which source is nearest, how sure that is, and what it does not say."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from counsel_core.records import OTHER_THERAPISTS
from counsel_core.statistics.analysis import Analysis, Part, analyse
from counsel_core.statistics.correlation import critical_r
from counsel_core.statistics.intervals import bca_intervals
from counsel_core.statistics.table_rows import NO_METRIC, NO_REFERENCE
from counsel_core.statistics.tables import without_each

Places = npt.NDArray[np.int64]
"""Places of sources in an analysis."""
FEW_QUESTIONS, FEWEST_QUESTIONS = 20, 10
"""Below the first a reader is warned; below the second nothing is said of more than noise."""
"""Below this many questions the words warn of it."""
LIMITS = (
    "Near means that the answers resemble the reference answers in the style that these metrics measure. It "
    "does not mean that they are safe, correct, helpful or liked by clients, and nothing here is a "
    "recommendation for use with people."
)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The nearest source of a topic (None: over all questions), in words.

    `certain` is true where the nearest source is nearer than every other model by more than resampling
    noise; `share` is the share of resamples in which it is the nearest. Without a nearest source,
    `source` is None and the text says why.
    """

    topic: str | None
    source: str | None
    runner_up: str | None
    measure: str
    certain: bool
    share: float | None
    text: str
    limits: str = LIMITS


def recommend(
    given: pd.DataFrame | Analysis,
    scales: Mapping[str, float] | None = None,
    *,
    label: Callable[[str], str] = str,
    proxies: Collection[str] = (),
) -> tuple[Recommendation, ...]:
    """Say which model is nearest to the reference: over all questions first, then topic by topic.

    Nearest is by Euclidean distance of the profiles. Whether a lead is more than noise is judged by the
    BCa intervals of the differences to every other model, at a level that allows for their number.

    Parameters
    ----------
    label
        Returns what a source is called in the text; elsewhere it keeps its name.
    proxies
        Metrics that stand in for others, whose number is said.
    """
    analysis = given if isinstance(given, Analysis) else analyse(given, scales)
    words = _Words(label, frozenset(proxies))
    return tuple(_recommend(analysis, part, words) for part in (analysis.overall, *analysis.topics))


def notices(given: pd.DataFrame | Analysis, scales: Mapping[str, float] | None = None) -> tuple[str, ...]:
    """Say where leaving out one metric changes who leads, by correlation or by distance."""
    analysis = given if isinstance(given, Analysis) else analyse(given, scales)
    return notices_of(without_each(analysis))


def notices_of(frame: pd.DataFrame) -> tuple[str, ...]:
    """Say the same from the frame of `profile.leave_one_out`.

    Examples
    --------
    >>> columns = ["without", "source", "r", "n", "r_rank", "distance", "distance_rank"]
    >>> rows = [("", "A", 0.9, 4, 1, 0.1, 1), ("", "B", 0.8, 4, 2, 0.2, 2),
    ...         ("recycling", "A", 0.7, 3, 2, 0.1, 1), ("recycling", "B", 0.8, 3, 1, 0.2, 2)]
    >>> notices_of(pd.DataFrame(rows, columns=columns))
    ('Without recycling, B leads by correlation (r = 0.800, 3 metrics) instead of A.',)
    """
    found = []
    for rank, name, column in (("r_rank", "correlation", "r"), ("distance_rank", "distance", "distance")):
        # two metrics always correlate at 1 or -1
        leading = frame[(frame[rank] == 1) & ((frame["n"] > 2) | (rank != "r_rank"))]
        usual = leading[leading["without"] == ""]["source"].tolist()
        for without, rows in leading[leading["without"] != ""].groupby("without", sort=False):
            if (leaders := rows["source"].tolist()) == usual:
                continue
            best = rows.iloc[0]
            verb = "leads" if len(leaders) == 1 else "lead"
            value = f"{'r' if column == 'r' else 'distance'} = {best[column]:.3f}, {best['n']} metrics"
            found.append(
                f"Without {_words(str(without))}, {_listed(leaders)} {verb} by {name} ({value}) "
                f"instead of {_listed(usual)}."
            )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Words:
    """What sources are called, and which metrics are proxies."""

    label: Callable[[str], str]
    proxies: frozenset[str]

    def measure(self, analysis: Analysis, part: Part, at: int) -> str:
        """Say over how many metrics a distance is, and how many of them are proxies."""
        known = [name for name, there in zip(analysis.profile_metrics, part.known[at], strict=True) if there]
        said = f"Euclidean distance over {len(known)} metric{'s' * (len(known) != 1)}"
        stand_ins = sum(name in self.proxies for name in known)
        return f"{said}, {stand_ins} of them prox{'y' if stand_ins == 1 else 'ies'}" if stand_ins else said


def _recommend(analysis: Analysis, part: Part, words: _Words) -> Recommendation:
    where = f"{part.topic}: " if part.topic is not None else "Over all questions: "
    known = [name for name in analysis.models if np.isfinite(part.distance.observed[analysis.place(name)])]
    if not known:
        why = "there is no model" if not analysis.models else NO_METRIC
        if analysis.models and analysis.reference is None:
            why = NO_REFERENCE
        return Recommendation(part.topic, None, None, "", False, None, f"{where}nothing to say: {why}.")
    names, at, apart = _ordered(analysis, part, known)
    certain, share = _certainty(analysis, part, at)
    measure = words.measure(analysis, part, int(at[0]))
    called = [words.label(name) for name in names]
    sentences = [
        _nearest(analysis, part, at, called[0], measure),
        _lead(part, at, called, certain, share, all_compared=not apart),
        _yardstick(analysis, part, at[0]),
        _by_correlation(analysis, part, names, words.label),
        f"Not compared, for want of a metric's values: {', '.join(map(words.label, apart))}."
        if apart
        else "",
        f"Only {part.questions} question{'s' * (part.questions != 1)}: read this with care."
        if part.questions < FEW_QUESTIONS
        else "",
    ]
    text = where + " ".join(sentence for sentence in sentences if sentence)
    runner_up = names[1] if len(names) > 1 else None
    return Recommendation(part.topic, names[0], runner_up, measure, certain, share, text)


def _ordered(analysis: Analysis, part: Part, known: list[str]) -> tuple[list[str], Places, list[str]]:
    """Return the models nearest first, their places, and those that lack metrics which others have.

    A distance over fewer metrics is smaller for that alone, so that it is not compared.
    """
    size = {name: int(part.known[analysis.place(name)].sum()) for name in known}
    whole = [name for name in known if size[name] == max(size.values())]
    names = sorted(whole, key=lambda name: (part.distance.observed[analysis.place(name)], name))
    at = np.array([analysis.place(name) for name in names], dtype=np.int64)
    return names, at, [name for name in known if name not in whole]


def _certainty(analysis: Analysis, part: Part, at: Places) -> tuple[bool, float | None]:
    """Return whether the first is nearer than all others beyond noise, and its share of resamples."""
    if len(at) < 2 or part.questions < FEWEST_QUESTIONS:
        return False, None
    first, others, distance = at[0], at[1:], part.distance
    level = 1 - (1 - analysis.level) / len(others)
    gaps = bca_intervals(
        distance.observed[first] - distance.observed[others],
        distance.draws[first] - distance.draws[others],
        [distance.left_out[first] - distance.left_out[others]],
        level,
    )
    draws = distance.draws[at]
    whole = draws[:, np.isfinite(draws).all(axis=0)]
    share = float((whole.argmin(axis=0) == 0).mean()) if whole.size else None
    return bool((gaps.high < 0).all()), share


def _nearest(analysis: Analysis, part: Part, at: Places, name: str, measure: str) -> str:
    bounds = part.distance.intervals(analysis.level)
    low, high, first = bounds.low[at[0]], bounds.high[at[0]], at[0]
    interval = f", {analysis.level:.0%} interval {low:.3f} to {high:.3f}" if np.isfinite(low) else ""
    return (
        f"{name} is nearest to the reference by {measure} "
        f"({part.distance.observed[first]:.3f}{interval}; {part.questions} questions)."
    )


def _lead(
    part: Part, at: Places, names: list[str], certain: bool, share: float | None, *, all_compared: bool
) -> str:
    if len(names) < 2:
        return "It is the only model, so that nothing is said of others."
    second = f"{names[1]} ({part.distance.observed[at[1]]:.3f})"
    often = f"; it is nearest in {share:.0%} of the resamples" if share is not None else ""
    if part.questions < FEWEST_QUESTIONS:
        return f"The next is {second}. With so few questions nothing can be said of noise."
    if certain and len(names) == 2:
        return f"Its lead over {second} is more than noise{often}."
    if certain:
        others = "every other model" if all_compared else "every other model that is compared"
        return f"Its lead over {second} and {others} is more than noise{often}."
    if len(names) == 2:
        return f"Its lead over {second}, the next, may be noise{often}."
    return f"Its lead over {second}, the next, or over another model may be noise{often}."


def _yardstick(analysis: Analysis, part: Part, at: int) -> str:
    if OTHER_THERAPISTS not in analysis.sources:
        return ""
    human = part.distance.observed[analysis.place(OTHER_THERAPISTS)]
    if not np.isfinite(human):
        return ""
    word = "nearer than" if part.distance.observed[at] < human else "not nearer than"
    return f"That is {word} other therapists are ({human:.3f})."


def _by_correlation(analysis: Analysis, part: Part, names: list[str], label: Callable[[str], str]) -> str:
    found = {name: part.correlations[analysis.place(name)] for name in names}
    ranked = [(r.r, name, r.n) for name, r in found.items() if r.r is not None and r.n > 2]
    if not ranked:
        return "No correlation can be given."
    r, name, n = max(ranked, key=lambda entry: entry[0])
    critical = critical_r(n)
    side = "above" if critical is not None and r >= critical else "below"
    who = "it comes first too" if name == names[0] else f"{label(name)} comes first"
    return f"By correlation {who} (r = {r:.3f}, {side} {critical:.3f}, the critical value for {n} metrics)."


def _words(metric: str) -> str:
    return metric.replace("_", " ")


def _listed(names: list[str]) -> str:
    return " and ".join(names) if names else "nobody"
