"""Results by topic, where any column of few values may be the topic."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from counsel_core.errors import RunError, UnknownNameError
from counsel_core.records import QADataset
from counsel_core.runs.by_topic import (
    OWN_TOPIC,
    TABLES,
    are_ready,
    first_topics,
    items_of,
    load_topic_table,
    make_ready,
    regrouped,
    scores_behind,
    topic_columns,
    topic_sizes,
)
from counsel_core.runs.results import load_table
from counsel_core.runs.runs import Run, load_scores
from counsel_core.settings import Settings
from tests.stored_runs import questions, store_run


@pytest.fixture
def dataset() -> QADataset:
    return questions(["work", "love"], ["gpt"], 6)


@pytest.fixture
def stored(settings: Settings, dataset: QADataset) -> Run:
    return store_run(settings, dataset)


def with_columns(dataset: QADataset, **columns: list[str]) -> QADataset:
    items = tuple(
        replace(item, columns={name: values[at] for name, values in columns.items()})
        for at, item in enumerate(dataset.items)
    )
    return replace(dataset, items=items)


def test_a_column_that_divides_nothing_is_no_topic(dataset: QADataset) -> None:
    same, each = ["one"] * 12, [f"value {n}" for n in range(12)]
    given = with_columns(dataset, same=same, each=each, age=["young", "old"] * 6)
    assert topic_columns(given) == (OWN_TOPIC, "age")


def test_a_data_set_without_topics_still_has_its_columns(dataset: QADataset) -> None:
    items = tuple(replace(item, topic=None) for item in dataset.items)
    assert topic_columns(replace(dataset, items=items)) == ("age",)


def test_sizes_count_questions_the_largest_first(dataset: QADataset) -> None:
    values = ["b", "a", "", *["c"] * 9]
    # The question without a value belongs to no topic; of equal ones the first by name comes first.
    assert list(topic_sizes(with_columns(dataset, kind=values), "kind").items()) == [
        ("c", 9),
        ("a", 1),
        ("b", 1),
    ]


def test_without_all_of_the_papers_topics_the_largest_come_first() -> None:
    assert first_topics({"depression": 1, "a": 2, "b": 9, "c": 3}, 2) == ["b", "c"]


def test_tables_by_another_column_are_those_of_regrouped_scores(stored: Run, dataset: QADataset) -> None:
    make_ready(stored, dataset, load_scores(stored), "age")
    found = load_topic_table(stored, "topic_summary", "age")
    assert set(found["topic"]) == {"young", "old", "middle"}
    scores = regrouped(load_scores(stored), dataset, "age")
    one = scores.query("topic == 'old' and source == 'gpt' and metric == 'recycling'")["value"]
    row = found.set_index(["topic", "source", "metric"]).loc[("old", "gpt", "recycling")]
    assert row["mean"] == pytest.approx(one.mean())
    assert row["n"] == len(one) == 4
    for name in TABLES:
        assert list(load_topic_table(stored, name, "age").columns) == list(load_table(stored, name).columns)


def test_the_own_topic_is_what_the_run_wrote(stored: Run) -> None:
    assert are_ready(stored)
    pd.testing.assert_frame_equal(load_topic_table(stored, "topics"), load_table(stored, "topics"))


def test_results_written_anew_make_the_tables_of_a_column_stale(stored: Run, dataset: QADataset) -> None:
    make_ready(stored, dataset, load_scores(stored), "age")
    assert are_ready(stored, "age")
    facts = stored.folder / "run.json"
    facts.write_text(facts.read_text() + " ")
    assert not are_ready(stored, "age")


def test_a_column_that_is_not_there_is_named(stored: Run, dataset: QADataset) -> None:
    with pytest.raises(UnknownNameError, match="shoe size"):
        make_ready(stored, dataset, load_scores(stored), "shoe size")
    with pytest.raises(RunError, match="not made yet"):
        load_topic_table(stored, "topics", "age")


def test_the_rows_behind_a_cell_hold_its_scores_and_what_is_missing(stored: Run, dataset: QADataset) -> None:
    scores = load_scores(stored)
    gone = (scores["item"] == "q1") & (scores["source"] == "gpt") & (scores["metric"] == "recycling")
    scores.loc[gone, "value"], scores.loc[gone, "reason"] = float("nan"), "it has no words"
    rows = scores_behind(scores, items_of(dataset, ["work"]), "gpt").set_index("item")
    assert list(rows.index) == [f"q{n}" for n in range(6)]
    assert pd.isna(rows.loc["q1", "recycling"])
    assert "recycling: it has no words" in rows.loc["q1", "missing"]
    assert rows.loc["q0", "question"] == "Question 0 about work?"
    assert rows["answers"].tolist() == [1] * 6


def test_several_answers_of_a_source_are_averaged(stored: Run, dataset: QADataset) -> None:
    scores = load_scores(stored)
    again = scores[scores["source"] == "gpt"].assign(position=1, value=lambda rows: rows["value"] + 1)
    rows = scores_behind(pd.concat([scores, again]), items_of(dataset, ["love"]), "gpt")
    once = scores_behind(scores, items_of(dataset, ["love"]), "gpt")
    assert rows["answers"].tolist() == [2] * 6
    # The mean of x and x + 1.
    assert rows["recycling"].tolist() == pytest.approx((once["recycling"] + 0.5).tolist())


def test_categories_are_read_as_texts_are(stored: Run, dataset: QADataset) -> None:
    scores = load_scores(stored)
    names = ["item", "topic", "source", "metric", "reason"]
    items = items_of(dataset, ["love"])
    pd.testing.assert_frame_equal(
        scores_behind(scores.astype(dict.fromkeys(names, "category")), items, "gpt"),
        scores_behind(scores, items, "gpt"),
    )
