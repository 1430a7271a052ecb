"""Formats, roles, gold answers, ids, topics, and what is told of each row."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from counsel_core.datasets import formats, preview, read_dataset
from counsel_core.errors import DatasetError, UnknownNameError
from counsel_core.records import GoldPolicy, QADataset

VOTES = "questionID,questionText,topic,answerText,upvotes,views\n"


def _csv(text: str, **arguments: Any) -> QADataset:
    return read_dataset("a.csv", text.encode(), **arguments)


def _answers(dataset: QADataset) -> list[tuple[str, str, str, int]]:
    return [(answer.item, answer.source, answer.text, answer.position) for answer in dataset.answers]


# Formats and roles


def test_wide_takes_every_other_column_for_a_model() -> None:
    dataset = _csv("id,question,topic,reference,gpt,llama\nq1,How?,sleep,Early.,Sheep.,Milk.\n")
    assert dataset.format == "wide"
    assert [(item.id, item.question, item.topic, item.row) for item in dataset.items] == [
        ("q1", "How?", "sleep", 2)
    ]
    assert _answers(dataset) == [
        ("q1", "reference", "Early.", 0),
        ("q1", "gpt", "Sheep.", 0),
        ("q1", "llama", "Milk.", 0),
    ]


def test_wide_takes_columns_of_few_repeated_values_for_no_model_where_rows_are_many() -> None:
    rows = "".join(f"Question {n}?,Answer {n}.,{'low' if n % 2 else 'high'},Reply {n}.\n" for n in range(30))
    dataset = _csv("question,reference,mood,gpt\n" + rows)
    assert dataset.sources == ("reference", "gpt")
    assert dataset.items[1].columns == {"mood": "low"}


def test_an_index_without_a_name_is_no_model() -> None:
    dataset = _csv(",question,reference,gpt\n0,How?,Early.,Sheep.\n1,Why?,Late.,Milk.\n")
    assert dataset.sources == ("reference", "gpt")


def test_long_puts_sources_together_by_question() -> None:
    dataset = _csv(
        "question,source,answer\nHow?,gpt,Sheep.\nHow?,Reference,Early.\nWhy?,reference,Late.\n"
        "How?,Other Therapists,Milk.\nHow?,gpt,Goats.\n"
    )
    assert dataset.format == "long"
    assert dataset.sources == ("reference", "other_therapists", "gpt")
    assert _answers(dataset) == [
        ("How?", "reference", "Early.", 0),
        ("How?", "other_therapists", "Milk.", 0),
        ("How?", "gpt", "Sheep.", 0),
        ("How?", "gpt", "Goats.", 1),
        ("Why?", "reference", "Late.", 0),
    ]


def test_long_without_its_gold_standard_is_refused_and_can_name_it() -> None:
    data = "question,source,answer\nHow?,therapist,Early.\nHow?,gpt,Sheep.\n"
    with pytest.raises(DatasetError, match="gpt, therapist") as refused:
        _csv(data)
    assert refused.value.column == "source"
    assert _csv(data, mapping={"reference": "therapist"}).sources == ("reference", "gpt")


def test_long_rows_that_belong_nowhere_are_dropped_with_their_reason() -> None:
    dataset = _csv("question,source,answer\nHow?,reference,Early.\n,gpt,Sheep.\nHow?,,Milk.\n")
    assert [(note.row, note.reason.split(" is")[0]) for note in dataset.dropped] == [
        (3, "'question'"),
        (4, "'source'"),
    ]


@pytest.mark.parametrize("models", ["A+B", ["A", "B"], ("A", "B")])
def test_columns_can_be_mapped(models: Any) -> None:
    dataset = _csv(
        "Q,R,T,A,B,C\nHow?,Early.,sleep,Sheep.,Milk.,Goats.\n",
        mapping={"question": "Q", "reference": "R", "topic": "T", "models": models},
    )
    assert dataset.sources == ("reference", "A", "B")
    assert dataset.items[0].topic == "sleep"
    assert dataset.items[0].columns == {"C": "Goats."}


def test_a_column_of_gold_answers_makes_a_long_looking_file_wide() -> None:
    data = "question,source,answer,gold\nHow?,forum,Sheep.,Early.\n"
    assert _csv(data, mapping={"reference": "gold"}).format == "wide"


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ({"question": "Q", "reference": "nowhere"}, "nowhere"),
        ({"question": "Q", "answers": "R"}, "'answers'"),
        ({"question": "Q", "reference": "R", "upvotes": "A"}, "no format has"),
        ({"question": "Q", "reference": "R", "models": "A+X"}, "'X'"),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(mapping: dict[str, str], said: str) -> None:
    with pytest.raises(DatasetError, match=said):
        _csv("Q,R,A\nHow?,Early.,Sheep.\n", mapping=mapping)


def test_unknown_policies_and_formats_are_refused() -> None:
    data = "question,reference\nHow?,Early.\n"
    with pytest.raises(UnknownNameError, match="upvotes, first, longest, all"):
        _csv(data, policy="best")
    with pytest.raises(UnknownNameError, match="counselchat, long, wide"):
        _csv(data, mapping={"format": "best"})
    assert list(formats()) == ["counselchat", "long", "wide"]


def test_a_preview_says_why_no_format_fits() -> None:
    shown = preview("a.csv", b"Q,R\nHow?,Early.\n")
    assert shown.format is None
    assert "wide lacks question, reference" in shown.problem
    assert shown.rows == ({"Q": "How?", "R": "Early."},)


# Gold answers

CANDIDATES = (
    VOTES
    + "1,How?,sleep,short,2,5\n1,How?,sleep,the longest,2,9\n1,How?,sleep,third,2,9\n1,How?,sleep,,0,0\n"
)


@pytest.mark.parametrize(
    ("policy", "gold", "others"),
    [
        ("upvotes", ["the longest"], ["short", "third"]),  # views decide, then the earlier row
        ("first", ["short"], ["the longest", "third"]),
        ("longest", ["the longest"], ["short", "third"]),
        ("all", ["short", "the longest", "third"], []),
    ],
)
def test_policies(policy: GoldPolicy, gold: list[str], others: list[str]) -> None:
    dataset = _csv(CANDIDATES, policy=policy)
    expected = [("1", "reference", text, place) for place, text in enumerate(gold)]
    expected += [("1", "other_therapists", text, place) for place, text in enumerate(others)]
    assert sorted(_answers(dataset)) == sorted(expected)
    assert [note.row for note in dataset.dropped] == [5]
    assert dataset.policy == policy


def test_by_votes_an_empty_row_may_take_the_gold_answer_away() -> None:
    data = VOTES + "1,How?,sleep,,9,9\n1,How?,sleep,text,0,0\n"
    assert _csv(data).sources == ("other_therapists",)
    assert "lacks" in _csv(data).dropped[0].reason
    assert _csv(data, policy="first").sources == ("reference",)


def test_votes_that_are_no_numbers_count_as_0_and_are_told() -> None:
    dataset = _csv(VOTES + "1,How?,sleep,a,many,9\n1,How?,sleep,b,1,nan\n1,How?,sleep,c,inf,1\n")
    assert _answers(dataset)[0] == ("1", "reference", "b", 0)
    assert [note.row for note in dataset.repaired] == [2, 3, 4]


def test_several_gold_answers_of_the_long_format_follow_the_policy() -> None:
    data = "question,source,answer\nHow?,reference,First.\nHow?,reference,The second.\n"
    assert [answer.source for answer in _csv(data).answers] == ["reference", "other_therapists"]
    assert _csv(data, policy="longest").answers[0].text == "The second."
    assert [answer.position for answer in _csv(data, policy="all").answers] == [0, 1]


# Ids, questions and topics


def test_an_item_without_question_text_is_valid() -> None:
    dataset = _csv(VOTES + "1,,sleep,a,1,1\n1, ,sleep,b,0,0\n")
    assert dataset.items[0].question is None
    assert len(dataset.answers) == 2


def test_the_first_of_several_question_texts_with_one_id_is_kept_and_told() -> None:
    dataset = _csv(VOTES + "1,,sleep,a,1,1\n1,How?,sleep,b,0,0\n1,Why?,sleep,c,0,0\n")
    assert dataset.items[0].question == "How?"
    assert [(note.row, "row 3" in note.reason) for note in dataset.repaired] == [(4, True)]


def test_one_id_in_two_wide_rows_makes_two_items() -> None:
    dataset = _csv("id,question,reference\nx,How?,Early.\nx,Why?,Late.\n")
    assert [item.id for item in dataset.items] == ["x", "x (row 3)"]
    assert [note.row for note in dataset.repaired] == [3]


def test_duplicate_questions_are_told_and_both_kept() -> None:
    dataset = _csv("id,question,reference\nx,How  do I?,Early.\ny,how do i?,Late.\n")
    assert len(dataset.items) == 2
    assert [(note.row, "row 2 (id 'x')" in note.reason) for note in dataset.repaired] == [(3, True)]


def test_topics_that_differ_in_case_and_spaces_are_one_and_the_given_is_kept() -> None:
    dataset = _csv("question,topic,reference\nA?,Sleep,a\nB?, sleep ,b\nC?,sleep,c\nD?,sleep,d\nE?,,e\n")
    assert [item.topic for item in dataset.items] == ["sleep"] * 4 + [None]
    assert [item.columns["topic as given"] for item in dataset.items] == [
        "Sleep",
        " sleep ",
        "sleep",
        "sleep",
        "",
    ]
    assert [note.row for note in dataset.repaired] == [2, 3]


def test_any_column_of_few_values_may_be_the_topic() -> None:
    data = "question,topic,reference,gpt,mood\nHow?,sleep,Early.,Sheep.,low\n"
    mapping = {"models": "gpt"}
    dataset = _csv(data, mapping=mapping)
    assert dataset.items[0].columns == {"mood": "low"}
    dataset = _csv(data, mapping=mapping, topic_column="mood")
    assert dataset.items[0].topic == "low"
    assert dataset.items[0].columns == {"topic": "sleep"}


def test_another_topic_makes_no_model_of_the_topic_column() -> None:
    dataset = _csv("question,topic,reference,gpt,mood\nHow?,sleep,Early.,Sheep.,low\n", topic_column="mood")
    assert dataset.sources == ("reference", "gpt")
    assert dataset.items[0].columns == {"topic": "sleep"}


def test_a_column_that_varies_within_a_question_is_none_of_the_question() -> None:
    rows = "How?,reference,a,low,x\nHow?,gpt,b,high,x\n"
    dataset = _csv("question,source,answer,mood,place\n" + rows)
    assert dataset.items[0].columns == {"place": "x"}


def test_texts_stay_as_given_and_their_flaws_are_told() -> None:
    text = " <b>So\u00a0it ends.Next</b> "
    dataset = _csv(f"question,reference,gpt\nHow?,{text},Fine.\n")
    assert dataset.answers[0].text == text
    assert [note.reason.split(" in ")[0] for note in dataset.repaired] == [
        "no-break spaces",
        "lost spaces between sentences",
        "HTML",
    ]


def test_blocked_answers_are_marked_and_are_no_missing_ones() -> None:
    wide = _csv("question,reference,gpt,gpt (blocked)\nHow?,Early.,,yes\nWhy?,Late.,Milk.,\n")
    assert wide.sources == ("reference", "gpt")
    assert [answer.blocked for answer in wide.answers if answer.source == "gpt"] == [True, False]
    assert wide.dropped == ()


# Containers

RECORDS = [
    {"question": "How?", "reference": "Early.", "gpt": "Sheep, “two”\nlines"},
    {"question": "Why?", "reference": "Late.", "gpt": None},
]


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(list(RECORDS[0]))
    for record in RECORDS:
        book.active.append(list(record.values()))
    book.create_sheet("Notes").append(["more"])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _parquet() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(RECORDS), buffer)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "first_row"),
    [
        ("a.xlsx", _workbook(), 2),
        ("a.parquet", _parquet(), 1),
        ("a.json", json.dumps(RECORDS).encode(), 1),
        ("a.json", json.dumps({"version": 1, "data": RECORDS}, indent=1).encode("utf-16"), 1),
        ("a.jsonl", "\n".join(map(json.dumps, RECORDS)).encode(), 1),
        ("a.json", "\n".join(json.dumps(r, ensure_ascii=False) for r in RECORDS).encode(), 1),
    ],
)
def test_every_container_holds_the_same(name: str, data: bytes, first_row: int) -> None:
    dataset = read_dataset(name, data)
    assert dataset.format == "wide"
    assert [item.row for item in dataset.items] == [first_row, first_row + 1]
    assert [(answer.source, answer.text) for answer in dataset.answers] == [
        ("reference", "Early."),
        ("gpt", "Sheep, “two”\nlines"),
        ("reference", "Late."),
    ]
    assert preview(name, data).row_count == 2


def test_of_several_sheets_the_first_with_content_is_read_and_told() -> None:
    assert "'Sheet' is read" in read_dataset("a.xlsx", _workbook()).repaired[0].reason


def test_chinese_files_of_gb18030_and_texts_of_cp1252_are_told_apart() -> None:
    chinese = "问题,参考答案\n我睡不着怎么办？,早点休息。\n".encode("gb18030")
    assert read_dataset("a.csv", chinese).encoding == "gb18030"
    french = "question,reference\nOù êtes-vous ? C’est “ici”,Là-bas, déjà, à côté.\n"
    dataset = read_dataset("a.csv", french.replace("Là-bas, déjà, ", "Là-bas ").encode("cp1252"))
    assert dataset.encoding == "cp1252"
    assert dataset.items[0].question == "Où êtes-vous ? C’est “ici”"


def test_reading_csv_imports_neither_pandas_nor_pyarrow_nor_openpyxl() -> None:
    code = (
        "import sys; from counsel_core.datasets import read_dataset; "
        "read_dataset('a.csv', b'question,reference\\nHow?,So.\\n'); "
        "print({'pandas', 'pyarrow', 'openpyxl', 'numpy'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
