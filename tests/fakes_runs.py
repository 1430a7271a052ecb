"""Small data sets made of records, a metric that needs no package, and looking after processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from counsel_core.metrics._base import Metric, MetricContext, Scored, ScoreInput
from counsel_core.records import REFERENCE, Answer, QADataset, QAItem

TEXT_METRICS = ("intra_sentiment", "recycling", "sentiment_change", "simplicity")


def dataset_of(*rows: tuple[str | None, dict[str, str]], topic: str = "family") -> QADataset:
    """Return a data set of (question, source → answer); rows count from 2, as below a header."""
    items = tuple(QAItem(f"q{n}", question, topic, n + 1) for n, (question, _) in enumerate(rows, start=1))
    answers = tuple(
        Answer(item.id, source, text, item.row)
        for item, (_, said) in zip(items, rows, strict=True)
        for source, text in said.items()
    )
    return QADataset("small.csv", "5" * 64, "wide", "utf-8", "first", items, answers)


WORDS = (
    "I hear how tired you are and that the rent weighs on you every morning of the week",
    "It is good that you asked your sister for help although it was a hard thing to do",
    "Many people feel sad and lonely in such a month and slowly find a better way to sleep",
    "You could write down what happened before the quarrel and what you were afraid of then",
)


def many(number: int) -> QADataset:
    """Return so many questions with a reference and a model's answer, all of them different."""
    rows: list[tuple[str | None, dict[str, str]]] = []
    for n in range(number):
        long = ". ".join(f"{WORDS[(n + k) % 4]} in year {n}" for k in range(8))
        question = f"I feel bad about case {n} and my rent. What should I do?"
        rows.append((question, {REFERENCE: long, "gpt": f"{long}. It was a happy ending {n}."}))
    return dataset_of(*rows)


def length_metric(name: str = "length", **changes: object) -> Metric:
    """Return a metric whose value is the answer's number of characters; a blank answer is missing."""

    def score(given: ScoreInput, context: MetricContext) -> Scored:
        count = len(given.answer.strip())
        return Scored(float(count), detail={"count": count}) if count else Scored(None, "it is blank")

    given = Metric(name, name, "", "tests", (0.0, None), 1.0, "text", frozenset(), "", score)
    return replace(given, **changes)


def is_alive(process: int) -> bool:
    """Return whether a process runs; one that only waits to be forgotten does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(true: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is so; the test fails if it is not in time."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
