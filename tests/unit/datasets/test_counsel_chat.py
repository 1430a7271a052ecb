"""Counsel Chat as it is published, where the file is at hand; the numbers are the project's brief's."""

from __future__ import annotations

import csv
import time
from collections import Counter
from collections.abc import Callable

import pytest

from counsel_core.datasets import preview, read_dataset
from counsel_core.datasets.text import LOST, NO_BREAK
from counsel_core.datasets.writing import write_long, write_wide
from counsel_core.records import QADataset
from counsel_core.settings import PROJECT

FILE = PROJECT.parent / "shared" / "data" / "20220401_counsel_chat.csv"

pytestmark = pytest.mark.skipif(not FILE.exists(), reason="the Counsel Chat file is not at hand")


@pytest.fixture(scope="module")
def dataset() -> QADataset:
    return read_dataset(FILE.name, FILE.read_bytes())


def test_questions_answers_and_topics(dataset: QADataset) -> None:
    assert dataset.format == "counselchat"
    assert dataset.encoding == "utf-8"
    assert len(dataset.items) == 940
    assert len(dataset.answers) == 2775 - 26
    assert Counter(answer.source for answer in dataset.answers) == {
        "reference": 935,
        "other_therapists": 2775 - 26 - 935,
    }
    assert len({item.topic for item in dataset.items}) == 31
    assert all(item.topic for item in dataset.items)


def test_861_gold_answers_have_a_question_text(dataset: QADataset) -> None:
    gold = {answer.item for answer in dataset.answers if answer.source == "reference"}
    assert sum(item.question is not None for item in dataset.items if item.id in gold) == 861


def test_the_gold_answer_is_the_most_upvoted_then_the_most_viewed(dataset: QADataset) -> None:
    # By pandas: sort_values(["upvotes", "views"], ascending=False, kind="stable"), first of each question.
    import pandas as pd

    frame = pd.read_csv(FILE, keep_default_na=False)
    first = frame.sort_values(["upvotes", "views"], ascending=False, kind="stable").drop_duplicates(
        "questionID"
    )
    first = first[first.answerText != ""]
    assert {answer.item: answer.text for answer in dataset.answers if answer.source == "reference"} == dict(
        zip(first.questionID.astype(str), first.answerText, strict=True)
    )


def test_rows_without_an_answer_are_dropped_and_flaws_told(dataset: QADataset) -> None:
    assert len(dataset.dropped) == 26
    assert sum("by votes it is the gold answer" in note.reason for note in dataset.dropped) == 940 - 935
    counts = Counter(note.reason.split(":")[0] for note in dataset.repaired)
    assert counts[f"{NO_BREAK} in 'answerText'"] == 1782
    assert counts[f"{LOST} in 'answerText'"] == 1307


def test_texts_stay_as_given(dataset: QADataset) -> None:
    with FILE.open(encoding="utf-8", newline="") as file:
        given = dict(enumerate(csv.reader(file), start=1))
    assert all(answer.text == given[answer.row][7] for answer in dataset.answers)
    assert {item.question for item in dataset.items} - {None} == {cells[2] for cells in given.values()} - {
        "",
        "questionText",
    }


def test_every_policy_gives_as_many_answers(dataset: QADataset) -> None:
    data = FILE.read_bytes()
    counts = {}
    for policy in ("first", "longest", "all"):
        read = read_dataset(FILE.name, data, policy=policy)
        counts[policy] = Counter(answer.source for answer in read.answers)
        assert len(read.answers) == len(dataset.answers)
    # Three of the five questions without a gold answer have no answer at all.
    assert counts["first"]["reference"] == counts["longest"]["reference"] == 937
    assert counts["all"] == {"reference": 2749}


def test_it_reads_in_well_under_a_second() -> None:
    data = FILE.read_bytes()
    started = time.thread_time()
    read_dataset(FILE.name, data)
    assert time.thread_time() - started < 0.8


def test_the_preview_shows_twenty_rows_and_what_columns_are() -> None:
    shown = preview(FILE.name, FILE.read_bytes())
    assert (shown.format, shown.row_count, len(shown.rows)) == ("counselchat", 2775, 20)
    assert shown.mapping["answer"] == "answerText"


@pytest.mark.parametrize("write", [write_wide, write_long])
def test_it_reads_back_as_written(dataset: QADataset, write: Callable[[QADataset], bytes]) -> None:
    def content(read: QADataset) -> set[tuple[str, str, int, str]]:
        return {(answer.item, answer.source, answer.position, answer.text) for answer in read.answers}

    back = read_dataset("back.csv", write(dataset))
    assert content(back) == content(dataset)
    answered = {answer.item for answer in dataset.answers}
    kept = [item for item in dataset.items if write is write_wide or item.id in answered]
    assert [(item.id, item.question, item.topic) for item in back.items] == [
        (item.id, item.question, item.topic) for item in kept
    ]
