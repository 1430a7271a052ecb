"""What tests of runs share: a small data set, metrics of their own, and processes that are ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator

import pytest

from counsel_core.metrics._base import Metric
from counsel_core.records import REFERENCE, QADataset
from counsel_core.runs import judging, plan, profiles, runs, text_scoring, worker
from tests.fakes_runs import dataset_of, is_alive


@pytest.fixture
def small() -> QADataset:
    """Three questions, one without its text; a reference and a model."""
    return dataset_of(
        (
            "I feel sad about my rent.",
            {REFERENCE: "Your rent is a good topic.", "gpt": "I am happy for you."},
        ),
        (None, {REFERENCE: "Sleep is good.", "gpt": "Sleep well."}),
        ("My bad boss shouts.", {REFERENCE: "That is awful. Rest is nice.", "gpt": "Leave the bad boss."}),
    )


@pytest.fixture
def use_metrics(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes the given metrics the only ones there are."""

    def use(*chosen: Metric) -> None:
        known = {metric.name: metric for metric in chosen}
        for module in (judging, plan, profiles, runs, text_scoring, worker):
            monkeypatch.setattr(module, "find_metric", known.__getitem__)
        monkeypatch.setattr(plan, "metrics", lambda: known)

    return use


@pytest.fixture
def processes() -> Iterator[list[int]]:
    """Process ids that are ended after the test, should they still be there."""
    started: list[int] = []
    yield started
    for process in started:
        if is_alive(process):
            os.kill(process, signal.SIGKILL)


@pytest.fixture(autouse=True)
def _no_worker_is_left() -> Iterator[None]:
    """Wait for the workers a test started: their last second is after what they write of their end."""
    yield
    for child in runs._children:
        child.wait(timeout=60)
    runs._children.clear()
