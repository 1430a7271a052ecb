"""Hostile uploads: each is read, or refused with the file, the row, the column and the reason."""

from __future__ import annotations

import io
import json
import socket
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.datasets import Preview, preview, read_dataset
from counsel_core.datasets.limits import LARGEST_FILE, LONGEST_CELL
from counsel_core.errors import DatasetError
from counsel_core.records import QADataset

HEADER = "question,reference,gpt\n"
ROW = "How do I sleep?,Go to bed early.,Count sheep.\n"


def _refusal(data: bytes | str, name: str = "upload.csv", **arguments: Any) -> DatasetError:
    with pytest.raises(DatasetError) as refused:
        read_dataset(name, data.encode() if isinstance(data, str) else data, **arguments)
    assert str(refused.value).startswith(name)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 700
    return refused.value


def _read(data: bytes | str, name: str = "upload.csv", **arguments: Any) -> QADataset:
    return read_dataset(name, data.encode() if isinstance(data, str) else data, **arguments)


def _assert_read_or_refused(read: Callable[[], QADataset | Preview]) -> None:
    """Any other exception fails the test by itself."""
    refused: DatasetError | None = None
    try:
        found = read()
    except DatasetError as error:
        refused = error
    if refused is None:
        assert found.items if isinstance(found, QADataset) else found.row_count
    else:
        assert refused.reason
        assert refused.row is None or refused.row >= 1


def _texts(dataset: QADataset, source: str) -> list[str]:
    return [answer.text for answer in dataset.answers if answer.source == source]


# Empty and nearly so


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \r\n\n\t", b"\xff\xfe", b"\0\0\0\0"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.xlsx", "a.json", "a.jsonl", "a.parquet", "a", ""])
def test_an_empty_file_is_refused_whatever_its_name(data: bytes, name: str) -> None:
    with pytest.raises(DatasetError):
        read_dataset(name, data)


def test_a_header_without_rows_is_refused() -> None:
    assert "no rows" in _refusal(HEADER).reason
    assert "no rows" in _refusal(HEADER + ",,\n\n , ,\n").reason


def test_a_file_of_line_ends_after_the_header_is_refused_in_time() -> None:
    started = time.thread_time()
    assert "rows" in _refusal(HEADER + "\n" * 3_000_000).reason
    assert time.thread_time() - started < 5


# Size


def test_200_mb_are_refused_at_once_with_the_bound() -> None:
    data = bytes(200 * 1024 * 1024)
    started = time.thread_time()
    refused = _refusal(data)
    assert time.thread_time() - started < 0.2
    assert "200 MB" in refused.reason
    assert "100 MB" in refused.reason


def test_time_is_linear_in_the_rows() -> None:
    # 8 times the rows may take 8 times as long; 16 leaves room for a busy machine, a square would be 64.
    def seconds(rows: int) -> float:
        data = (HEADER + ROW.replace("sleep", "sleep.Well&nbsp;" * 50) * rows).encode()
        tries = []
        for _ in range(3):
            started = time.thread_time()
            assert len(_read(data).items) == rows
            tries.append(time.thread_time() - started)
        return min(tries)

    assert seconds(8000) < 16 * seconds(1000)


def test_the_largest_file_is_at_most_100_mb() -> None:
    assert LARGEST_FILE == 100 * 2**20


# Delimiters, quotes and columns


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_another_delimiter_is_found_and_said(delimiter: str) -> None:
    rows = [["question", "reference", "gpt"], ["How, now?", "So, so.", "Sheep, sheep."]] * 2
    dataset = _read("\n".join(map(delimiter.join, rows[:2] + rows[1:2])))
    assert dataset.items[0].question == "How, now?"
    assert dataset.sources == ("reference", "gpt")
    assert dataset.repaired[0].row == 1
    assert "delimiter" in dataset.repaired[0].reason


def test_a_delimiter_that_is_not_known_is_refused_with_the_header() -> None:
    refused = _refusal("question:reference:gpt\nHow?:Early.:Sheep.\n")
    assert refused.row == 1
    assert "question:reference:gpt" in refused.reason


def test_tabs_in_a_csv_and_commas_in_a_tsv_are_read() -> None:
    assert _read((HEADER + ROW).replace(",", "\t"), "a.csv").sources == ("reference", "gpt")
    assert _read(HEADER + ROW, "a.tsv").sources == ("reference", "gpt")


def test_the_line_that_excel_writes_above_the_header_is_passed_over() -> None:
    dataset = _read("sep=;\n" + (HEADER + ROW).replace(",", ";"))
    assert [item.row for item in dataset.items] == [3]


@pytest.mark.parametrize(
    ("rows", "row", "column"),
    [
        ('How?,"Never closed,Sheep.\n' + ROW, 2, "reference"),
        (ROW + 'How?,Early.,"Count "sheep", he said"\n', 3, "gpt"),
        (ROW + ROW + '"How?" I asked,Early.,Sheep.\n', 4, "question"),
        (ROW + 'How?,"' + "x" * (LONGEST_CELL + 1) + "\n" + ROW * 20, 3, "reference"),
    ],
)
def test_unbalanced_quotes_are_refused_with_row_and_column(rows: str, row: int, column: str) -> None:
    refused = _refusal(HEADER + rows)
    assert (refused.row, refused.column) == (row, column)
    assert "quotation mark" in refused.reason


def test_a_quote_that_swallows_rows_does_not_pass_for_an_answer() -> None:
    # The quote of row 2 closes at the one of row 4: that makes one row of three cells and two lines.
    dataset = _read(HEADER + 'How?,Early.,"Count\nWhy?,Late.,Dogs\nWhen?,Now.,Cats",more\n' + ROW)
    assert len(dataset.items) == 1
    assert [(note.row, "cells" in note.reason) for note in dataset.dropped] == [(2, True)]


def test_duplicated_column_names_are_refused() -> None:
    refused = _refusal("question,reference,gpt, gpt\na,b,c,d\n")
    assert (refused.row, refused.column) == (1, "gpt")
    assert "columns 3 and 4" in refused.reason


def test_rows_of_other_lengths_are_padded_cut_or_dropped_with_a_note() -> None:
    dataset = _read(HEADER + "a,b\n" + "c,d,e,,\n" + "f,g,h,i\n" + "j,k,l\n")
    assert [item.question for item in dataset.items] == ["a", "c", "j"]
    assert [(note.row, note.reason.split(";")[0]) for note in dataset.repaired] == [
        (2, "it has 2 of 3 cells")
    ]
    assert [note.row for note in dataset.dropped] == [2, 4]  # 2: the missing answer of gpt


def test_columns_of_no_known_format_are_refused_with_what_lacks() -> None:
    refused = _refusal("name,age\nA,1\n")
    assert refused.row == 1
    assert "wide lacks question, reference" in refused.reason


# Encodings


def test_a_byte_order_mark_is_no_part_of_the_first_name() -> None:
    dataset = _read(b"\xef\xbb\xbf" + (HEADER + ROW).encode())
    assert dataset.encoding == "utf-8-sig"
    assert dataset.items[0].question == "How do I sleep?"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_utf_16_and_32_are_read_with_their_mark_and_utf_16_without(encoding: str) -> None:
    dataset = _read((HEADER + "How — 怎么?,“Early”…,Sheep 🐑\n").encode(encoding))
    assert dataset.items[0].question == "How — 怎么?"
    assert _texts(dataset, "gpt") == ["Sheep 🐑"]
    assert dataset.encoding == encoding


def test_utf_16_that_breaks_off_is_refused() -> None:
    refused = _refusal((HEADER + ROW).encode("utf-16")[:-1])
    assert refused.row == 2


def test_mixed_encodings_are_read_row_by_row_and_told() -> None:
    good = "Où?,Là-bas — “ici”.,Été\n".encode()
    bad = "C’est où?,Là.,Déjà vu\n".encode("cp1252")
    dataset = _read(HEADER.encode() + good + bad + good.replace(b"O", b"o"))
    assert dataset.encoding == "utf-8, cp1252"
    assert [item.question for item in dataset.items] == ["Où?", "C’est où?", "où?"]
    assert [note.row for note in dataset.repaired if note.reason == "read as cp1252"] == [3]


def test_chinese_lines_of_gb18030_in_a_file_of_utf_8_are_read_as_such() -> None:
    row = "我睡不着怎么办？,早点休息，少喝咖啡。,数羊\n"
    dataset = _read(HEADER.encode() + row.encode() + ("请问" + row).encode("gb18030"))
    assert dataset.encoding == "utf-8, gb18030"
    assert dataset.items[1].question == "请问我睡不着怎么办？"


def test_a_byte_of_no_encoding_is_refused_with_its_row() -> None:
    refused = _refusal((HEADER + ROW).encode() + b"How \x81 now?,b,c\n")
    assert refused.row == 3
    assert "0x81" in refused.reason


def test_a_binary_file_named_csv_is_refused() -> None:
    assert "zero bytes" in _refusal(b"\x7fELF\x02\x01\x01\0\0\0\0" + bytes(range(256))).reason


# Cells


def test_long_cells_are_read_to_the_last_character() -> None:
    text = "word " * 2000
    assert _texts(_read(HEADER + f"How?,{text},{'x' * 10_000}\n"), "gpt") == ["x" * 10_000]


@pytest.mark.parametrize(
    "cell",
    [
        "=HYPERLINK('http://127.0.0.1/x')",
        "@SUM(1+1)*cmd|' /C calc'!A0",
        "+1",
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "{{7*7}} ${7*7} $(touch x)",
        "__import__('os').system('true')",
    ],
)
def test_formulas_and_scripts_are_text_as_given(
    cell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = _read(HEADER + f'"{cell}","{cell}","{cell}"\n')
    assert dataset.items[0].question == cell
    assert {answer.text for answer in dataset.answers} == {cell}
    assert list(tmp_path.iterdir()) == []


def test_numbers_as_answers_stay_as_they_are_written() -> None:
    dataset = _read("question,reference,gpt\n1,007,1e5\n2,3.10,-0\n")
    assert _texts(dataset, "reference") == ["007", "3.10"]
    assert _texts(dataset, "gpt") == ["1e5", "-0"]
    rows = b'[{"question": "a", "reference": 3.10, "gpt": 12345678901234567890, "b": true, "c": NaN}]'
    assert _texts(_read(rows, "a.json"), "gpt") == ["12345678901234567890"]


def test_words_that_libraries_take_for_missing_are_answers() -> None:
    assert _texts(_read(HEADER + "a,NA,null\nb,None,nan\n"), "gpt") == ["null", "nan"]


def test_fifty_models_are_read() -> None:
    names = [f"model {n}" for n in range(50)]
    header = ",".join(["question", "reference", *names])
    dataset = _read(header + "\n" + ",".join(["How?", "So."] + ["Answer"] * 50) + "\n")
    assert dataset.sources == ("reference", *names)


def test_more_sources_than_the_bound_are_refused() -> None:
    rows = "".join(f"How?,person {n},Text\n" for n in range(501))
    refused = _refusal("question,source,answer\n" + rows)
    assert (refused.row, refused.column) == (502, "source")


def test_more_columns_than_the_bound_are_refused() -> None:
    assert _refusal(",".join(f"c{n}" for n in range(1001)) + "\n1\n").row == 1
    assert _refusal("," * 5_000_000 + "\n1,2\n").row == 1


def test_topics_in_chinese_are_read() -> None:
    dataset = _read("问题,参考答案,主题,模型甲\n我失眠。,早睡。, 睡眠 ,数羊。\n", "数据.csv")
    assert dataset.items[0].topic == "睡眠"
    assert dataset.sources == ("reference", "模型甲")


def test_zero_characters_and_half_pairs_are_replaced_and_told() -> None:
    rows = b'[{"question": "a\\u0000b", "reference": "x\\ud83dy"}]'
    dataset = _read(rows, "a.json")
    assert dataset.items[0].question == "ab"
    assert _texts(dataset, "reference") == ["x\ufffdy"]
    assert [note.row for note in dataset.repaired] == [1]


# Other kinds of files under a wrong name


def _zip(**members: bytes | str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_a_zip_named_csv_is_refused_with_what_it_holds() -> None:
    refused = _refusal(_zip(**{"answers.csv": HEADER + ROW}))
    assert "ZIP archive (answers.csv)" in refused.reason


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (b"%PDF-1.7 ...", "PDF"),
        (b"\x1f\x8b\x08\x00abc", "gzip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls"),
        (b"<!DOCTYPE html><html><body>x</body></html>", "web page"),
        (b"<?xml version='1.0'?><a/>", "XML"),
    ],
)
def test_other_kinds_of_files_are_named(start: bytes, said: str) -> None:
    assert said in _refusal(start).reason


@pytest.mark.parametrize("name", ["a.xlsx", "a.parquet"])
def test_text_named_as_a_workbook_or_parquet_is_refused(name: str) -> None:
    assert "first bytes" in _refusal(HEADER + ROW, name).reason


# JSON


@pytest.mark.parametrize("deep", ["[" * 100_000, '{"a":' * 100_000, '[{"question":' + "[" * 100_000])
@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
def test_json_nested_deep_is_refused(deep: str, name: str) -> None:
    refused = _refusal(deep, name)
    assert refused.row == 1
    assert "nested too deep" in refused.reason or "no valid JSON" in refused.reason


def test_broken_json_is_refused_with_its_line() -> None:
    refused = _refusal('[{"question": "a",\n "reference": }]', "a.json")
    assert refused.row == 2
    assert "character 15" in refused.reason
    assert _refusal('{"question": "a"}\n{"question": \n', "a.jsonl").row == 2


@pytest.mark.parametrize("data", ["3", '"text"', "null", "[]", "[1, 2]", "{}", '{"a": {"b": 1}}'])
def test_json_that_is_no_list_of_objects_is_refused(data: str) -> None:
    assert "a list of objects is expected" in _refusal(data, "a.json").reason


def test_a_key_that_occurs_twice_is_refused_with_row_and_column() -> None:
    refused = _refusal('[{"question": "a", "reference": "b", "question": "c"}]', "a.json")
    assert (refused.row, refused.column) == (1, "question")


def test_nested_values_are_left_out_with_a_note() -> None:
    dataset = _read('[{"question": "a", "reference": "b", "gpt": {"text": "c"}}]', "a.json")
    assert [(note.row, note.reason.split(" and")[0]) for note in dataset.repaired] == [
        (1, "'gpt' holds an object")
    ]
    assert dataset.sources == ("reference",)


# XLSX


def _workbook(rows: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


ROWS = [["question", "reference", "gpt"], ["How?", "Early.", "Sheep."]]


def _replaced(data: bytes, member: str, change: Callable[[bytes], bytes]) -> bytes:
    """Rewrite one part of a workbook."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    return _zip(**{**parts, member: change(parts.get(member, b""))})


SHEET = "xl/worksheets/sheet1.xml"


def test_an_xlsx_bomb_is_refused_before_it_is_unpacked() -> None:
    bomb = _replaced(_workbook(ROWS), "xl/media/zeros.bin", lambda _: bytes(300 * 2**20))
    assert len(bomb) < 2**20
    started = time.thread_time()
    assert "MB unpacked" in _refusal(bomb, "a.xlsx").reason
    assert time.thread_time() - started < 0.5


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SHARED = "xl/sharedStrings.xml"


def _workbook_of_shared_texts(texts: list[str], cells: list[str]) -> bytes:
    """A workbook as Excel writes it: its texts stand in a part of their own, cells hold their numbers."""
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"
    override = f'<Override PartName="/{SHARED}" ContentType="{kind}"/></Types>'
    table = "".join(f"<si><t>{text}</t></si>" for text in texts)
    sheet = f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(cells)}</sheetData></worksheet>'
    data = _replaced(
        _workbook(ROWS), "[Content_Types].xml", lambda xml: xml.replace(b"</Types>", override.encode())
    )
    data = _replaced(data, SHARED, lambda _: f'<sst xmlns="{MAIN}">{table}</sst>'.encode())
    return _replaced(data, SHEET, lambda _: sheet.encode())


def _row(number: int, *texts: int) -> str:
    cells = (f'<c r="{"ABC"[place]}{number}" t="s"><v>{text}</v></c>' for place, text in enumerate(texts))
    return f'<row r="{number}">{"".join(cells)}</row>'


def test_shared_texts_of_a_workbook_are_read_and_a_bomb_of_them_is_refused() -> None:
    texts = ["question", "reference", "x" * 100_000]
    data = _workbook_of_shared_texts(texts, [_row(1, 0, 1), _row(3, 2, 2)])
    assert [(item.question, item.row) for item in _read(data, "a.xlsx").items] == [(texts[2], 3)]
    data = _workbook_of_shared_texts(texts, [_row(1, 0, 1), *(_row(n, 2, 2) for n in range(2, 1502))])
    refused = _refusal(data, "a.xlsx")
    assert "characters" in refused.reason
    assert refused.row == 2 + (250 * 2**20) // 200_000


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:9/x">]>',
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY e "&a;&a;&a;&a;&a;&a;&a;&a;">]>',
    ],
)
@pytest.mark.parametrize("member", [SHEET, "xl/workbook.xml", "[Content_Types].xml", "xl/styles.xml"])
def test_entities_in_a_workbook_are_refused_and_never_followed(
    doctype: str, member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plant(xml: bytes) -> bytes:
        head, rest = (b"", xml) if not xml.startswith(b"<?xml") else xml.split(b"?>", 1)
        head = head + b"?>" if head else head
        return head + doctype.encode() + rest.replace(b"How?", b"&e;")

    def never(*_: object, **__: object) -> None:
        raise AssertionError("a connection was tried")

    data = _replaced(_workbook(ROWS), member, plant)
    monkeypatch.setattr(socket.socket, "connect", never)
    assert "cannot be read" in _refusal(data, "a.xlsx").reason


def test_formulas_of_a_workbook_are_not_calculated() -> None:
    rows = [["question", "reference", "gpt"], ["How?", "Early.", "=1+1"], ["Why?", "#REF!", "Text"]]
    dataset = _read(_workbook(rows), "a.xlsx")
    # openpyxl stores no results, so that the formula has none: the answer is missing, and told as such.
    assert _texts(dataset, "gpt") == ["Text"]
    assert [note.row for note in dataset.dropped] == [2, 3]
    assert [note.row for note in dataset.repaired] == [3]


def test_a_workbook_with_a_column_far_out_is_refused() -> None:
    refused = _refusal(_workbook([*ROWS, [*[None] * 16_000, "x"]]), "a.xlsx")
    assert refused.row == 3
    assert "columns" in refused.reason


@pytest.mark.parametrize("size", [b"A1:XFD1048576", b"A1", b"Z99:A1"])
def test_what_a_workbook_says_of_its_size_is_not_believed(size: bytes) -> None:
    data = _replaced(_workbook(ROWS), SHEET, lambda xml: xml.replace(b'ref="A1:C2"', b'ref="%b"' % size))
    started = time.thread_time()
    assert _texts(_read(data, "a.xlsx"), "gpt") == ["Sheep."]
    assert time.thread_time() - started < 2


def test_an_encrypted_or_cut_workbook_is_refused() -> None:
    data = _workbook(ROWS)
    assert "broken" in _refusal(data[: len(data) // 2], "a.xlsx").reason


WORKBOOK = _workbook_of_shared_texts(
    ["question", "reference", "How?", "So."], [_row(1, 0, 1), _row(2, 2, 3), _row(3, 3, 2)]
)


@given(place=st.integers(0, len(WORKBOOK) - 1), byte=st.integers(0, 255), length=st.integers(1, 40))
def test_a_damaged_workbook_is_read_or_refused(place: int, byte: int, length: int) -> None:
    damaged = WORKBOOK[:place] + bytes([byte]) * length + WORKBOOK[place + length :]
    _assert_read_or_refused(lambda: read_dataset("a.xlsx", damaged))


@given(
    member=st.sampled_from([SHEET, SHARED, "xl/workbook.xml", "xl/styles.xml"]),
    place=st.floats(0, 1),
    text=st.sampled_from([b"", b"<", b'"', b"-1", b"x", b"&#0;", b"1e999", b"</row>"]),
    length=st.integers(0, 12),
)
def test_a_workbook_of_damaged_xml_is_read_or_refused(
    member: str, place: float, text: bytes, length: int
) -> None:
    def damage(xml: bytes) -> bytes:
        at = int(place * len(xml))
        return xml[:at] + text + xml[at + length :]

    _assert_read_or_refused(lambda: read_dataset("a.xlsx", _replaced(WORKBOOK, member, damage)))


# Parquet


def _parquet(table: dict[str, Any], **options: Any) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table(table), buffer, **options)
    return buffer.getvalue()


PARQUET = _parquet({"question": ["How?", "Why?"], "reference": ["So.", "Thus."], "gpt": ["Sheep.", None]})


@pytest.mark.parametrize("data", [PARQUET[:-20], PARQUET[:4], b"PAR1PAR1", b"PAR1" + b"x" * 99 + b"PAR1"])
def test_broken_parquet_is_refused(data: bytes) -> None:
    assert "cannot be read" in _refusal(data, "a.parquet").reason


@given(place=st.integers(4, len(PARQUET) - 1), byte=st.integers(0, 255))
def test_damaged_parquet_is_read_or_refused(place: int, byte: int) -> None:
    damaged = PARQUET[:place] + bytes([byte]) + PARQUET[place + 1 :]
    _assert_read_or_refused(lambda: read_dataset("a.parquet", damaged))


def test_a_parquet_bomb_of_rows_is_refused() -> None:
    data = _parquet({"question": pa.array(["a"] * 1_500_000).dictionary_encode()})
    assert len(data) < 100_000
    assert "rows" in _refusal(data, "a.parquet").reason


def test_a_parquet_bomb_of_one_long_text_in_many_rows_is_refused() -> None:
    data = _parquet({"question": ["x" * 120_000] * 5000, "reference": ["y"] * 5000}, compression="zstd")
    assert len(data) < 1_000_000
    assert "characters" in _refusal(data, "a.parquet").reason
    data = _parquet({"question": ["x" * 5_000_000], "reference": ["y"]}, compression="zstd")
    refused = _refusal(data, "a.parquet")
    assert (refused.row, refused.column) == (1, "question")


def test_nested_columns_of_parquet_are_left_out() -> None:
    dataset = _read(_parquet({"question": ["a"], "reference": ["b"], "gpt": [["c", "d"]]}), "a.parquet")
    assert dataset.sources == ("reference",)
    assert "list" in dataset.repaired[0].reason


# Anything


@given(
    data=st.binary(max_size=300), name=st.sampled_from(["a.csv", "a.json", "a.jsonl", "a.xlsx", "a.parquet"])
)
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    _assert_read_or_refused(lambda: read_dataset(name, data))
    _assert_read_or_refused(lambda: preview(name, data))


@given(text=st.text(st.sampled_from('ab,;\t|"\n\r=<> \u00e9睡'), max_size=80))
def test_any_text_below_a_header_is_read_or_refused(text: str) -> None:
    _assert_read_or_refused(lambda: _read(HEADER + text))


def test_json_of_many_keys_is_refused() -> None:
    many = json.dumps([{f"key {n}": n} for n in range(1500)])
    assert _refusal(many, "a.json").row == 1001
