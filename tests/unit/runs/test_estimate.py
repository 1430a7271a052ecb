"""What a run will cost is what it then does."""

from __future__ import annotations

from dataclasses import replace

from counsel_core.metrics import find_metric
from counsel_core.records import REFERENCE
from counsel_core.runs.estimate import estimate
from counsel_core.runs.units import read_units
from tests.fakes_runs import dataset_of


def test_calls_are_answers_with_a_question_times_judged_metrics_times_repeats() -> None:
    dataset = dataset_of(
        ("Why?", {REFERENCE: "So.", "gpt": "Well."}), (None, {REFERENCE: "Yes.", "gpt": "No."})
    )
    names = ["agreeability", "active_listening", "recycling", "intra_sentiment"]
    found = estimate(dataset, [REFERENCE, "gpt"], names, repeats=3)
    # two answers have a question; four have a text
    assert found.scores == {"judge": 4, "text": 2 + 4}
    assert found.calls == 12
    # "Why?" + "So." and "Why?" + "Well.": 16 characters, for 2 metrics and 3 repeats, 4 a token
    assert found.tokens == 16 * 2 * 3 / 4
    assert (found.answers, found.blocked) == (4, 0)


def test_equal_pairs_are_counted_once_and_blocked_answers_not() -> None:
    dataset = dataset_of(("Why?", {REFERENCE: "So.", "a": "Same.", "b": "Same.", "c": "Bad."}))
    answers = tuple(replace(one, blocked=one.source == "c") for one in dataset.answers)
    found = estimate(replace(dataset, answers=answers), dataset.sources, ["recycling"])
    assert (found.answers, found.blocked, found.scores, found.calls) == (3, 1, {"text": 2}, 0)


def test_only_the_chosen_sources_count() -> None:
    dataset = dataset_of(("Why?", {REFERENCE: "So.", "gpt": "Well."}))
    names = ["recycling", "emotion_consistency"]
    found = estimate(dataset, ["gpt"], names)
    tasks = read_units(dataset, ["gpt"]).tasks([find_metric(name) for name in names])
    assert sum(found.scores.values()) == len(tasks) == 2
