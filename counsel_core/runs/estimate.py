"""What a run will cost before it is started: how much there is to score, and how often a judge is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from counsel_core.metrics import find_metric
from counsel_core.metrics._base import Work
from counsel_core.records import QADataset
from counsel_core.runs.units import read_units

CHARACTERS_A_TOKEN = 4
"""English text has about four characters a token with the usual tokenizers."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The work of a run. Equal pairs of question and answer are scored, and judged, once.

    `blocked` answers are not scored. `tokens` is what the judge reads of questions and answers, roughly;
    its instructions and what it answers come on top.
    """

    answers: int
    blocked: int
    scores: dict[Work, int]
    calls: int
    tokens: int


def estimate(
    dataset: QADataset, sources: Sequence[str], names: Sequence[str], *, repeats: int = 1
) -> Estimate:
    """Return how much work the metrics of these sources are."""
    metrics = [find_metric(name) for name in names]
    units = read_units(dataset, sources)
    work: dict[str, Work] = {metric.name: metric.work for metric in metrics}
    scores: Counter[Work] = Counter()
    characters = 0
    for unit, name in units.tasks(metrics):
        scores[work[name]] += 1
        if work[name] == "judge":
            given = units.inputs[unit]
            characters += len(given.answer) + len(given.question or "")
    blocked = sum(one.unit is None for one in units.placed)
    return Estimate(
        answers=len(units.placed) - blocked,
        blocked=blocked,
        scores=dict(scores),
        calls=scores["judge"] * repeats,
        tokens=round(characters * repeats / CHARACTERS_A_TOKEN),
    )
