"""What there is to score: each pair of question and answer once, and the way back to the answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from counsel_core.metrics._base import Metric, ScoreInput
from counsel_core.records import REFERENCE, Answer, QADataset, QAItem, Score
from counsel_core.runs.journal import Entry, Key

NOT_YET = "not scored yet"
FAILED = "failed: "
_BLOCKED = "held back by the reply check"
_ITSELF = "the reference is not compared with itself"
_ABSENT = {"question": "the item has no question text", "reference": "the item has no reference answer"}


@dataclass(frozen=True, slots=True)
class Placed:
    """An answer with its item and its unit (None: blocked, and never scored)."""

    item: QAItem
    answer: Answer
    unit: int | None


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a data set, and its answers in the order of the results: item, source, position."""

    inputs: tuple[ScoreInput, ...]
    placed: tuple[Placed, ...]

    def tasks(self, metrics: Sequence[Metric]) -> list[Key]:
        """Return every unit with every metric whose texts are there."""
        return [
            (unit, metric.name)
            for unit, given in enumerate(self.inputs)
            for metric in metrics
            if not _missing(metric, given)
        ]

    def scores(self, metrics: Sequence[Metric], entries: Mapping[Any, Entry]) -> list[Score]:
        """Return one score for each answer and metric, missing ones with their reason."""
        return [self._score(one, metric, entries) for one in self.placed for metric in metrics]

    def _score(self, one: Placed, metric: Metric, entries: Mapping[Any, Entry]) -> Score:
        answer = one.answer
        score = Score(answer.item, one.item.topic, answer.source, metric.name, None, position=answer.position)
        if one.unit is None:
            return replace(score, reason=_BLOCKED)
        if absent := _missing(metric, self.inputs[one.unit]):
            itself = absent == "reference" and answer.source == REFERENCE
            return replace(score, reason=_ITSELF if itself else _ABSENT[absent])
        entry = entries.get((one.unit, metric.name))
        if entry is None:
            return replace(score, reason=NOT_YET)
        reason = f"{FAILED}{entry.error}" if entry.error else entry.reason
        return replace(score, value=entry.value, reason=reason, detail=entry.detail)


def read_units(dataset: QADataset, chosen: Collection[str]) -> Units:
    """Return the units of the chosen sources; the order is the same in every process.

    Where an item has several reference answers, the first one is what others are compared with.
    """
    items = {item.id: (number, item) for number, item in enumerate(dataset.items)}
    sources = {source: number for number, source in enumerate(dataset.sources)}
    ordered = sorted(
        dataset.answers,
        key=lambda answer: (items[answer.item][0], sources[answer.source], answer.position),
    )
    references: dict[str, str] = {}
    for answer in ordered:
        if answer.source == REFERENCE and not answer.blocked:
            references.setdefault(answer.item, answer.text)
    numbers: dict[ScoreInput, int] = {}
    placed = []
    for answer in (answer for answer in ordered if answer.source in chosen):
        item = items[answer.item][1]
        unit = None
        if not answer.blocked:
            reference = None if answer.source == REFERENCE else references.get(answer.item)
            unit = numbers.setdefault(ScoreInput(answer.text, item.question, reference), len(numbers))
        placed.append(Placed(item, answer, unit))
    return Units(tuple(numbers), tuple(placed))


def _missing(metric: Metric, given: ScoreInput) -> str:
    """Return which text the metric needs and the unit has not: '' if none."""
    if "question" in metric.needs and given.question is None:
        return "question"
    return "reference" if "reference" in metric.needs and given.reference is None else ""
