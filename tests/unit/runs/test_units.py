"""Units: what is the same is scored once, and what cannot be scored says why."""

from __future__ import annotations

from dataclasses import replace

from counsel_core.records import OTHER_THERAPISTS, REFERENCE, Answer
from counsel_core.runs.journal import Entry
from counsel_core.runs.units import read_units
from tests.fakes_runs import dataset_of, length_metric

NEEDY = length_metric("needy", needs=frozenset({"question", "reference"}))
FREE = length_metric("free")


def test_the_same_question_and_answer_is_one_unit():
    data = dataset_of(
        ("Why?", {REFERENCE: "So.", "a": "No.", "b": "No."}), ("Why?", {REFERENCE: "So.", "a": "No."})
    )
    units = read_units(data, data.sources)
    # "So." as the reference, and "No." beside the reference "So.": two units for five answers
    assert len(units.inputs) == 2
    scores = units.scores([FREE], {(0, "free"): Entry(0, "free", 3.0), (1, "free"): Entry(1, "free", 4.0)})
    assert [score.value for score in scores] == [3.0, 4.0, 4.0, 3.0, 4.0]


def test_results_come_in_the_order_of_items_sources_and_positions():
    data = dataset_of(("Why?", {"a": "x", REFERENCE: "r"}), ("How?", {"a": "y", REFERENCE: "s"}))
    more = Answer("q1", OTHER_THERAPISTS, "second", 2, position=1), Answer("q1", OTHER_THERAPISTS, "first", 2)
    shuffled = replace(data, answers=(*reversed(data.answers), *more))
    scores = read_units(shuffled, shuffled.sources).scores([FREE, NEEDY], {})
    assert [(one.item, one.source, one.position) for one in scores][::2] == [
        ("q1", REFERENCE, 0),
        ("q1", OTHER_THERAPISTS, 0),
        ("q1", OTHER_THERAPISTS, 1),
        ("q1", "a", 0),
        ("q2", REFERENCE, 0),
        ("q2", "a", 0),
    ]


def test_what_cannot_be_scored_is_no_task_and_has_its_reason():
    data = dataset_of(
        (None, {REFERENCE: "r", "a": "x"}), ("How?", {"a": "y"}), ("Why?", {REFERENCE: "t", "a": "z"})
    )
    data = replace(data, answers=(*data.answers[:-1], replace(data.answers[-1], blocked=True)))
    units = read_units(data, data.sources)
    assert units.tasks([NEEDY]) == []
    assert [(one.item, one.source, one.value, one.reason) for one in units.scores([NEEDY], {})] == [
        ("q1", REFERENCE, None, "the item has no question text"),
        ("q1", "a", None, "the item has no question text"),
        ("q2", "a", None, "the item has no reference answer"),
        ("q3", REFERENCE, None, "the reference is not compared with itself"),
        ("q3", "a", None, "held back by the reply check"),
    ]


def test_what_is_not_scored_or_failed_says_so():
    data = dataset_of(("Why?", {REFERENCE: "r", "a": "x"}))
    scores = read_units(data, data.sources).scores([FREE], {(1, "free"): Entry(1, "free", error="no answer")})
    assert [(one.value, one.reason) for one in scores] == [
        (None, "not scored yet"),
        (None, "failed: no answer"),
    ]


def test_a_source_left_out_is_still_the_reference():
    data = dataset_of(("Why?", {REFERENCE: "r", "a": "x", "b": "y"}))
    units = read_units(data, ["a"])
    assert [(given.answer, given.reference) for given in units.inputs] == [("x", "r")]


def test_a_blocked_reference_is_compared_with_nothing():
    data = dataset_of(("Why?", {REFERENCE: "r", "a": "x"}))
    data = replace(data, answers=(replace(data.answers[0], blocked=True), data.answers[1]))
    assert [given.reference for given in read_units(data, data.sources).inputs] == [None]
