"""Scores as arrays: sums and counts by question, whatever the order of the rows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from counsel_core.errors import InputError
from counsel_core.statistics.sample import check_scores, make_sample, metric_order, source_order

ROWS = [
    ("q1", "t", "reference", "m", 1.0),
    ("q1", "t", "other_therapists", "m", 2.0),
    ("q1", "t", "other_therapists", "m", 4.0),
    ("q2", None, "reference", "m", float("nan")),
    ("q2", None, "a", "m", float("inf")),
]
FRAME = pd.DataFrame(ROWS, columns=["item", "topic", "source", "metric", "value"])


def test_several_answers_add_up_and_missing_ones_do_not_count() -> None:
    checked = check_scores(FRAME)
    found = make_sample(checked, source_order(checked["source"]), ("m",))
    assert found.sources == ("reference", "other_therapists", "a")
    assert found.sums[:, 0].tolist() == [[1, 0], [6, 0], [0, 0]]
    assert found.counts[:, 0].tolist() == [[1, 0], [2, 0], [0, 0]]  # infinite is missing


def test_order_of_rows_does_not_matter_to_the_last_bit(scores_of: Callable[..., pd.DataFrame]) -> None:
    scores = check_scores(scores_of(questions=9, topics=1))
    scores["item"] = "one"  # nine values in each sum
    order = source_order(scores["source"]), tuple(scores["metric"].unique())
    first = make_sample(scores, *order)
    again = make_sample(scores.sample(frac=1, random_state=3), *order)
    assert (first.sums == again.sums).all()
    assert (first.counts == again.counts).all()


def test_missing_columns_are_named() -> None:
    with pytest.raises(InputError, match=r"lack the columns metric, value; there are: item, topic, source"):
        check_scores(FRAME[["item", "topic", "source"]])


def test_topics_that_are_empty_are_none() -> None:
    topics = check_scores(FRAME.assign(topic=["a", "", None, np.nan, "b"]))["topic"]
    assert [None if pd.isna(topic) else topic for topic in topics] == ["a", None, None, None, "b"]


def test_orders() -> None:
    assert source_order(["b", "other_therapists", "a", "reference", "b"]) == (
        "reference",
        "other_therapists",
        "a",
        "b",
    )
    assert metric_order(["x", "b", "a"], ["b"]) == ("b", "a", "x")
