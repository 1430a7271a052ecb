"""The two memories, and S(cd): which distortion to treat first (Lee et al. 2024, section 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Insight:
    """An entry of Basic Memory. Turns up to 0 belong to an earlier session."""

    text: str
    turn: int


@dataclass(frozen=True, slots=True)
class Distortion:
    """An entry of CD Memory: the client's utterance, its type, and how severe it is (1 to 5)."""

    type: str
    utterance: str
    severity: int
    turn: int


class Alphas(NamedTuple):
    """The weights of the three components of S(cd); the paper sets all to 1."""

    recency: float = 1.0
    frequency: float = 1.0
    severity: float = 1.0


GAMMA = 0.995
"""Decay of recency per client utterance (Park et al. 2023, section 4.1)."""


@dataclass(frozen=True, slots=True)
class DistortionScore:
    """S(cd) of one type: its three components, each normalised to 0–1, and their weighted sum."""

    type: str
    recency: float
    frequency: float
    severity: float
    total: float


def score_distortions(
    entries: Iterable[Distortion], turn: int, alphas: Alphas, gamma: float, eligible: Sequence[str]
) -> tuple[DistortionScore, ...]:
    """Score every eligible type that CD Memory holds; the first of the result is cd*.

    S(cd) = α_r·recency + α_f·frequency + α_s·severity, with recency = γ^(client utterances since the
    type's last entry), frequency = number of entries, severity = their mean, each min–max normalised
    over the eligible types (all equal: 1). Source: Lee et al. 2024, section 2.2 and equation 1.

    Parameters
    ----------
    entries
        CD Memory.
    turn
        Number of the client's latest utterance.
    eligible
        The types that may be treated, in the order that decides a tie.

    Returns
    -------
    The scores, highest total first; of equal ones the most recent first, then by `eligible`. Empty
    when CD Memory holds no eligible type.

    Examples
    --------
    >>> memory = [Distortion("Labeling", "I'm a failure.", 5, 1), Distortion("Blaming", "He did it.", 3, 2)]
    >>> for score in score_distortions(memory, 2, Alphas(), 0.5, ["Blaming", "Labeling"]):
    ...     print(score.type, score.recency, score.frequency, score.severity, score.total)
    Blaming 1.0 1.0 0.0 2.0
    Labeling 0.0 1.0 1.0 2.0
    """
    by_type: dict[str, list[Distortion]] = {name: [] for name in eligible}
    for entry in entries:
        if entry.type in by_type:
            by_type[entry.type].append(entry)
    present = {name: found for name, found in by_type.items() if found}
    last = {name: max(entry.turn for entry in found) for name, found in present.items()}
    recency = _normalise({name: gamma ** max(0, turn - last[name]) for name in present})
    frequency = _normalise({name: len(found) for name, found in present.items()})
    severity = _normalise(
        {name: sum(entry.severity for entry in found) / len(found) for name, found in present.items()}
    )
    scores = [
        DistortionScore(name, recency[name], frequency[name], severity[name], total)
        for name in present
        for total in [_weigh(alphas, recency[name], frequency[name], severity[name])]
    ]
    return tuple(sorted(scores, key=lambda score: (-score.total, -last[score.type])))


def target(scores: Sequence[DistortionScore]) -> str | None:
    """Return cd*, the type with the highest S(cd); None when nothing was scored."""
    return scores[0].type if scores else None


def add_insights(memory: Sequence[Insight], texts: Iterable[str], turn: int) -> tuple[Insight, ...]:
    """Return Basic Memory with what is new: a text that it holds already is not kept twice."""
    known = {_key(insight.text) for insight in memory}
    fresh: list[Insight] = []
    for text in texts:
        if _key(text) not in known:
            known.add(_key(text))
            fresh.append(Insight(text, turn))
    return (*memory, *fresh)


def carry_over(
    insights: Sequence[Insight], distortions: Sequence[Distortion], turn: int
) -> tuple[tuple[Insight, ...], tuple[Distortion, ...]]:
    """Return the memories of a session that ended at `turn`, dated so that the next one starts at 1."""
    return (
        tuple(replace(entry, turn=entry.turn - turn) for entry in insights),
        tuple(replace(entry, turn=entry.turn - turn) for entry in distortions),
    )


def _weigh(alphas: Alphas, recency: float, frequency: float, severity: float) -> float:
    return alphas.recency * recency + alphas.frequency * frequency + alphas.severity * severity


def _normalise(values: Mapping[str, float]) -> dict[str, float]:
    if not values:
        return {}
    low, high = min(values.values()), max(values.values())
    if high == low:
        return dict.fromkeys(values, 1.0)
    return {name: (value - low) / (high - low) for name, value in values.items()}


@lru_cache(maxsize=8192)
def _key(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(".。")
