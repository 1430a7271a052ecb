"""JSON and JSON Lines: a list of flat objects, or an object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from counsel_core.datasets._base import Table
from counsel_core.datasets.encodings import EncodedText, find_encoding, undecodable
from counsel_core.datasets.limits import MOST_COLUMNS, shortened
from counsel_core.datasets.rows import build_table
from counsel_core.errors import DatasetError
from counsel_core.records import RowNote

_EXPECTED = 'a list of objects is expected: [{"question": "…", "reference": "…"}, …]'


class _Object(tuple[tuple[str, Any], ...]):
    """A JSON object as its pairs, so that a key that occurs twice can be told."""

    __slots__ = ()


def looks_like_json(data: bytes) -> bool:
    """Return whether a file begins as JSON of objects does."""
    start = b"".join(data[:200].removeprefix(b"\xef\xbb\xbf").split())
    return start.startswith((b"[{", b'{"'))


def read_json(file: str, data: bytes, *, lines: bool = False) -> Table:
    """Read JSON, or JSON Lines where `lines` says so or the first line is an object by itself.

    Raises
    ------
    DatasetError
        It is no valid JSON (the line is named), nested too deep, or not made of objects.
    """
    text = find_encoding(file, data)
    given: list[tuple[str, bool]] = []
    try:
        given += text.lines()
    except UnicodeDecodeError as error:
        raise undecodable(file, error, row=len(given) + 1) from error
    notes = [RowNote(number, f"read as {text.other}") for number, (_, m) in enumerate(given, 1) if m]
    content = [line for line, _ in given]
    if lines or _is_an_object_a_line(content):
        return _table(file, "jsonl", text, list(_objects_of_lines(file, content)), notes)
    whole = _parsed(file, "".join(content))
    rows = list(enumerate(_list_of_objects(file, whole), start=1))
    return _table(file, "json", text, rows, notes)


def _table(
    file: str, container: str, text: EncodedText, rows: list[tuple[int, Any]], notes: list[RowNote]
) -> Table:
    columns: dict[str, int] = {}
    for row, item in rows:
        if not isinstance(item, _Object):
            raise DatasetError(file, f"{_kind(item)} stands where an object should; {_EXPECTED}.", row=row)
        for key, _ in item:
            columns.setdefault(key, len(columns))
        if len(columns) > MOST_COLUMNS:
            raise DatasetError(file, f"the objects have more than {MOST_COLUMNS:,} keys together.", row=row)
    if not rows:
        raise DatasetError(file, f"it holds no object; {_EXPECTED}.")
    records = ((row, _cells(file, row, item, columns, notes)) for row, item in rows)
    table = build_table(file, container, text.encoding, list(columns), records)
    repaired = (*notes, *table.repaired)
    return Table(file, container, text.encoding, table.columns, table.rows, repaired, table.dropped)


def _cells(file: str, row: int, item: _Object, columns: dict[str, int], notes: list[RowNote]) -> list[str]:
    cells = [""] * len(columns)
    seen: set[str] = set()
    for key, value in item:
        if key in seen:
            raise DatasetError(file, "the key occurs twice in one object.", row=row, column=shortened(key))
        seen.add(key)
        if isinstance(value, list | _Object):
            reason = f"{shortened(key)!r} holds {_kind(value)} and is read as empty; a text is expected"
            notes.append(RowNote(row, reason))
        elif isinstance(value, bool):
            cells[columns[key]] = str(value).lower()
        elif value is not None:
            cells[columns[key]] = value
    return cells


def _list_of_objects(file: str, value: Any) -> list[Any]:
    """Return the list, also where it is the only list of objects in an object around it."""
    if isinstance(value, list):
        return value
    if isinstance(value, _Object):
        lists = [v for _, v in value if isinstance(v, list) and v and isinstance(v[0], _Object)]
        if len(lists) == 1:
            return lists[0]
    raise DatasetError(file, f"it holds {_kind(value)}; {_EXPECTED}.", row=1)


def _is_an_object_a_line(lines: list[str]) -> bool:
    filled = [line for line in lines if line.strip()][:2]
    try:
        return len(filled) == 2 and all(isinstance(_loads(line), _Object) for line in filled)
    except (ValueError, RecursionError):
        return False


def _objects_of_lines(file: str, lines: list[str]) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _parsed(file, line.rstrip("\r\n"), number)


def _parsed(file: str, text: str, line: int = 1) -> Any:
    try:
        return _loads(text)
    except json.JSONDecodeError as error:
        row = line + error.lineno - 1
        reason = f"it is no valid JSON at character {error.colno} of the line: {error.msg}."
        raise DatasetError(file, reason, row=row) from error
    except RecursionError as error:
        raise DatasetError(file, f"its brackets are nested too deep; {_EXPECTED}.", row=line) from error


def _loads(text: str) -> Any:
    """Parse JSON; numbers stay as they are written, and NaN is a missing value."""
    return json.loads(
        text, object_pairs_hook=_Object, parse_int=str, parse_float=str, parse_constant=lambda _: None
    )


def _kind(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, _Object):
        return "an object"
    return "nothing" if value is None else f"a text or number, {shortened(str(value), 30)!r},"
