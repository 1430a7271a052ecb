"""Finished runs with made-up numbers, written as a worker writes them; nothing is scored."""

from __future__ import annotations

import random
from collections.abc import Sequence

from counsel_core.records import OTHER_THERAPISTS, REFERENCE, Answer, QADataset, QAItem, Score
from counsel_core.runs.folder import RunFolder
from counsel_core.runs.plan import make_plan
from counsel_core.runs.progress import RunStatus, write_status
from counsel_core.runs.runs import Run, load_run, prepare, runs_dir
from counsel_core.runs.writing import write_results
from counsel_core.settings import Settings

METRICS = ("intra_sentiment", "recycling", "sentiment_change", "simplicity")
USUAL = {"intra_sentiment": 0.5, "recycling": 0.1, "sentiment_change": 0.7, "simplicity": 60.0}
"""About what therapists' answers give, so that profiles look like real ones."""


def questions(
    topics: Sequence[str | None], models: Sequence[str], each: int, *, therapists: bool = True
) -> QADataset:
    """Return so many questions of each topic, answered by a reference, other therapists and models."""
    items = tuple(
        QAItem(
            f"q{n}", f"Question {n} about {topic}?", topic, n + 2, {"age": ("young", "old", "middle")[n % 3]}
        )
        for n, topic in enumerate(topic for topic in topics for _ in range(each))
    )
    sources = [REFERENCE, *([OTHER_THERAPISTS] if therapists else []), *models]
    answers = tuple(
        Answer(item.id, source, f"Answer to {item.id}. It is good to talk.", item.row)
        for item in items
        for source in sources
    )
    return QADataset("stored.csv", "7" * 64, "wide", "utf-8", "first", items, answers)


def store_run(settings: Settings, dataset: QADataset, *, number: int = 1, title: str = "") -> Run:
    """Write a finished run; the later a source comes, the further it is from the reference."""
    plan = make_plan(dataset, app=settings, names=METRICS)
    folder = RunFolder(runs_dir(settings) / f"20260101-000000-{number:06x}")
    prepare(folder, plan, dataset, title=title)
    write_results(folder, plan, dataset, list(_scores(dataset, plan.metrics)), [])
    write_status(folder, RunStatus("finished"))
    return load_run(folder.root.name, settings)


def _scores(dataset: QADataset, metrics: Sequence[str]) -> list[Score]:
    noise = random.Random(5)
    topics = {item.id: item.topic for item in dataset.items}
    place = {source: at for at, source in enumerate(dataset.sources)}
    made = []
    for answer in dataset.answers:
        for metric in metrics:
            shift = 1 + 0.06 * place[answer.source] * (1 if metric == "recycling" else -0.3)
            value = USUAL[metric] * shift * noise.uniform(0.8, 1.2)
            missing = metric == "simplicity" and noise.random() < 0.1
            made.append(
                Score(
                    answer.item,
                    topics[answer.item],
                    answer.source,
                    metric,
                    None if missing else value,
                    "it has 100 words or fewer" if missing else "",
                )
            )
    return made
