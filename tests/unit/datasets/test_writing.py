"""Writing: what was written reads back as the same, and spreadsheets get no formulas."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.datasets import read_dataset
from counsel_core.datasets.formulas import as_typed, spreadsheet_safe
from counsel_core.datasets.writing import write_long, write_wide
from counsel_core.errors import DatasetError
from counsel_core.records import Answer, QADataset, QAItem

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
FILLED = TEXT.filter(lambda text: bool(text.strip()))
NAME = st.text("abcxyz09 -.", min_size=1, max_size=12).map(lambda name: "m" + " ".join(name.split()))


def _dataset(items: list[QAItem], answers: list[Answer]) -> QADataset:
    digest = hashlib.sha256(b"").hexdigest()
    return QADataset("made.csv", digest, "wide", "utf-8", "upvotes", tuple(items), tuple(answers))


@st.composite
def datasets(draw: st.DrawFn) -> QADataset:
    sources = ["reference", *draw(st.lists(NAME, unique_by=str.casefold, max_size=4)), "other_therapists"]
    items, answers = [], []
    for number in range(draw(st.integers(1, 4))):
        key = f"q{number}"
        topic = draw(st.sampled_from([None, "sleep", "睡眠"]))
        items.append(
            QAItem(key, draw(st.none() | FILLED), topic, number + 2, {"mood": draw(st.sampled_from("ab"))})
        )
        answers.append(Answer(key, "reference", draw(FILLED), number + 2))
        for source in sources[1:]:
            for position in range(draw(st.integers(0, 2 if source == "other_therapists" else 1))):
                blocked = draw(st.booleans())
                text = "" if blocked else draw(FILLED)
                answers.append(Answer(key, source, text, number + 2, position, blocked))
    return _dataset(items, answers)


def _content(dataset: QADataset) -> tuple[object, object]:
    items = {(item.id, item.question, item.topic, item.columns.get("mood")) for item in dataset.items}
    answers = {(a.item, a.source, a.position, a.text, a.blocked) for a in dataset.answers}
    return items, answers


@given(datasets())
def test_wide_reads_back_as_the_same(dataset: QADataset) -> None:
    assert _content(read_dataset("back.csv", write_wide(dataset))) == _content(dataset)


@given(datasets())
def test_long_reads_back_as_the_same(dataset: QADataset) -> None:
    assert _content(read_dataset("back.csv", write_long(dataset))) == _content(dataset)


def test_several_gold_answers_read_back_with_the_policy_all() -> None:
    item = QAItem("q", "How?", None, 2)
    dataset = _dataset([item], [Answer("q", "reference", text, 2, place) for place, text in enumerate("abc")])
    for written in (write_wide(dataset), write_long(dataset)):
        assert _content(read_dataset("back.csv", written, policy="all"))[1] == _content(dataset)[1]


def test_a_blocked_text_is_never_written() -> None:
    item = QAItem("q", "How?", None, 2)
    answers = [Answer("q", "reference", "So.", 2), Answer("q", "gpt", "secret", 2, blocked=True)]
    for written in (write_wide(_dataset([item], answers)), write_long(_dataset([item], answers))):
        assert b"secret" not in written
        assert read_dataset("back.csv", written).answers[1].blocked


@pytest.mark.parametrize(
    "source", ["question", "ID", "topic", "notes", "column 2", "column:x", "reference #2"]
)
def test_a_source_named_as_a_column_is_refused_by_wide_and_written_by_long(source: str) -> None:
    answers = [Answer("q", "reference", "So.", 2), Answer("q", source, "x", 2)]
    dataset = _dataset([QAItem("q", "How?", None, 2)], answers)
    with pytest.raises(DatasetError, match="long format"):
        write_wide(dataset)
    assert read_dataset("back.csv", write_long(dataset)).sources == ("reference", source)


def test_a_model_that_always_says_the_same_reads_back() -> None:
    items = [QAItem(f"q{n}", f"How {n}?", "sleep", n + 2) for n in range(40)]
    answers = [Answer(item.id, source, "Yes.", item.row) for item in items for source in ("reference", "gpt")]
    assert read_dataset("back.csv", write_wide(_dataset(items, answers))).sources == ("reference", "gpt")


def test_two_sources_that_would_share_a_column_are_refused() -> None:
    answers = [Answer("q", "reference", "So.", 2), Answer("q", "gpt", "a", 2), Answer("q", "gpt", "b", 2, 1)]
    answers.append(Answer("q", "gpt #2", "c", 2))
    with pytest.raises(DatasetError, match="long format"):
        write_wide(_dataset([QAItem("q", "How?", None, 2)], answers))


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\n=1"]


@pytest.mark.parametrize("cell", FORMULAS)
def test_cells_for_spreadsheets_are_no_formulas(cell: str) -> None:
    assert spreadsheet_safe(cell) == "'" + cell
    item = QAItem("q", cell, cell, 2, {cell: cell})
    dataset = _dataset([item], [Answer("q", "reference", cell, 2)])
    for write, marked in itertools.product((write_wide, write_long), (True, False)):
        written = write(dataset, spreadsheet=marked)
        assert written.startswith(b"\xef\xbb\xbf") == marked
        rows = list(csv.reader(io.StringIO(written.decode("utf-8-sig"), newline="")))
        assert rows[1].count("'" + cell) >= 3
        assert not [text for row in rows for text in row if text.startswith(("=", "+", "-", "@", "\t", "\r"))]


@given(st.text(st.sampled_from("'=+-@\t\r\n x"), max_size=6) | TEXT)
def test_an_apostrophe_put_before_a_cell_is_taken_off_again(text: str) -> None:
    safe = spreadsheet_safe(text)
    assert as_typed(safe) == text
    assert not safe.lstrip(" \n").startswith(("=", "+", "-", "@", "\t", "\r"))


def test_a_workbook_made_of_the_safe_cells_holds_no_formula() -> None:
    book = openpyxl.Workbook()
    book.active.append([spreadsheet_safe(cell) for cell in FORMULAS if cell.isprintable()])
    assert {cell.data_type for cell in next(book.active.iter_rows())} == {"s"}


@given(TEXT.filter(lambda text: text.lstrip()[:1].isalnum()))
def test_other_cells_stay_as_they_are(text: str) -> None:
    assert spreadsheet_safe(text) == text or text[0] in "\t\r\n "
