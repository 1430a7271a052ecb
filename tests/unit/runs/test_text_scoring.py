"""Text metrics: a pool of processes gives what one process gives, whatever happens to the processes."""

from __future__ import annotations

import math
import multiprocessing
import threading

import pytest

from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext, Scored, ScoreInput
from counsel_core.runs import text_scoring
from counsel_core.runs.text_scoring import TextSettings, score_one, score_texts
from counsel_core.runs.units import read_units
from tests.fakes_runs import TEXT_METRICS, is_alive, length_metric, many, wait_until

SETTINGS = TextSettings("paper", {})
UNITS = read_units(many(40), ("reference", "gpt"))
TASKS = UNITS.tasks([find_metric(name) for name in TEXT_METRICS])


@pytest.fixture(autouse=True)
def _few_is_little(monkeypatch):
    monkeypatch.setattr(text_scoring, "_FEW_CHARACTERS", 1000)
    monkeypatch.setattr(text_scoring, "_CHUNK_CHARACTERS", 6000)


def score(workers, deliver=lambda entries: None, cancel=None):
    found = []

    def keep(entries):
        found.extend(entries)
        deliver(entries)

    stop = cancel or threading.Event()
    score_texts(TASKS, UNITS.inputs, SETTINGS, workers=workers, deliver=keep, cancel=stop)
    return {entry.key: entry for entry in found}, len(found)


@pytest.fixture(scope="module")
def alone():
    return score(1)[0]


def test_one_process_scores_every_task_once(alone):
    assert set(alone) == set(TASKS)
    assert all(entry.value is not None for entry in alone.values())


def test_two_processes_give_the_same(alone):
    assert score(2) == (alone, len(TASKS))


def test_a_process_that_is_killed_costs_nothing(alone):
    killed = []

    def kill_one(entries):
        if not killed:
            victim = multiprocessing.active_children()[0]
            killed.append(victim)
            victim.kill()

    assert score(2, kill_one) == (alone, len(TASKS))
    assert killed[0].exitcode == -9


def test_what_is_lost_twice_with_its_process_fails_and_the_rest_is_scored(alone, monkeypatch):
    monkeypatch.setattr(text_scoring, "_CHUNK_CHARACTERS", 20_000)  # few chunks: each kill costs a start

    def kill_all(entries):
        for child in multiprocessing.active_children():
            child.kill()

    found, count = score(2, kill_all)
    failed = [entry for entry in found.values() if entry.error]
    assert count == len(TASKS)
    assert {entry.key: entry for entry in found.values() if not entry.error}.items() <= alone.items()
    assert failed
    assert all("too little memory" in entry.error for entry in failed)


def test_cancelled_it_stops_after_the_chunks_under_way_and_leaves_no_process():
    cancel = threading.Event()
    _, count = score(2, lambda entries: cancel.set(), cancel)
    assert 0 < count < len(TASKS)
    wait_until(lambda: not any(is_alive(child.pid) for child in multiprocessing.active_children()))


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_no_number_is_missing(value):
    metric = length_metric(score=lambda given, context: Scored(value))
    entry = score_one(metric, 0, ScoreInput("x"), MetricContext("paper"))
    assert (entry.value, entry.reason) == (None, "the value is no finite number")
