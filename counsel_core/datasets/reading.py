"""Bytes become a data set: the table is read, its columns get their roles, its rows their questions."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, get_args

from counsel_core.datasets._base import ColumnMap, DatasetFormat, Table
from counsel_core.datasets.gathering import gather
from counsel_core.datasets.limits import shortened
from counsel_core.datasets.table import read_table
from counsel_core.errors import DatasetError, UnknownNameError
from counsel_core.records import GoldPolicy, QADataset, RowNote
from counsel_core.registry import discover

_PREVIEW_ROWS = 20


@dataclass(frozen=True)
class Preview:
    """What a file looks like, before anything is decided.

    `mapping` is what was guessed; `format` is None, and `problem` says why, where that does not suffice.
    """

    format: str | None
    container: str
    encoding: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, str], ...]
    row_count: int
    mapping: dict[str, str | tuple[str, ...]]
    problem: str = ""
    repaired: tuple[RowNote, ...] = ()
    dropped: tuple[RowNote, ...] = ()


@cache
def formats() -> dict[str, DatasetFormat]:
    """Return every format, in the order in which they are tried."""
    found = discover(sys.modules["counsel_core.datasets"], DatasetFormat)
    return {f.name: f for f in sorted(found.values(), key=lambda f: f.order)}


def read_dataset(
    name: str,
    data: bytes,
    *,
    mapping: Mapping[str, Any] | None = None,
    policy: GoldPolicy = "upvotes",
    topic_column: str | None = None,
) -> QADataset:
    r"""Read a file as a data set; texts stay as they are given.

    Parameters
    ----------
    name
        The file's name, for messages and for the title.
    mapping
        Role → column: question, reference, topic, id and models (a list, or names joined by "+"); or
        question, source, answer, topic and id, where `reference` is the gold standard's source; or those
        of Counsel Chat with upvotes and views. `format` may name the format. What is not given is guessed.
    policy
        How the gold answer is chosen where several therapists answered a question.
    topic_column
        The column that serves as the topic; any column of few values will do.

    Raises
    ------
    DatasetError
        The file cannot be read or its columns are not known; row and column are named where known.

    Examples
    --------
    >>> data = b"question,reference,gpt\nHow do I sleep?,Go to bed early.,Count sheep.\n"
    >>> dataset = read_dataset("small.csv", data)
    >>> dataset.format, dataset.sources, dataset.answers[1].text
    ('wide', ('reference', 'gpt'), 'Count sheep.')
    """
    if policy not in get_args(GoldPolicy):
        raise UnknownNameError("gold-answer policy", policy, get_args(GoldPolicy))
    table = read_table(name, data)
    given = _given(table, {**(mapping or {}), **({"topic": topic_column} if topic_column else {})})
    chosen, columns = _choose(table, given, (mapping or {}).get("format"))
    gathered = gather(chosen.read(table, columns), policy, str(columns.get("topic", "topic")))
    if not gathered.items:
        raise DatasetError(name, f"none of its {len(table.rows)} rows holds a question or an answer.")
    return QADataset(
        name=name,
        sha256=hashlib.sha256(data).hexdigest(),
        format=chosen.name,
        encoding=table.encoding,
        policy=policy,
        items=gathered.items,
        answers=gathered.answers,
        repaired=_sorted(table.repaired, gathered.repaired),
        dropped=_sorted(table.dropped, gathered.dropped),
    )


def preview(name: str, data: bytes) -> Preview:
    """Show a file's first 20 rows and what its columns are taken for.

    Raises
    ------
    DatasetError
        Not even a table can be made of the file.
    """
    table = read_table(name, data)
    try:
        chosen, columns = _choose(table, {}, None)
        found, problem = chosen.name, ""
    except DatasetError as error:
        found, problem, columns = None, error.reason, formats()["wide"].guess(table, {})
    return Preview(
        format=found,
        container=table.container,
        encoding=table.encoding,
        columns=table.columns,
        rows=tuple(dict(zip(table.columns, cells, strict=True)) for _, cells in table.rows[:_PREVIEW_ROWS]),
        row_count=len(table.rows),
        mapping=dict(columns),
        problem=problem,
        repaired=table.repaired,
        dropped=table.dropped,
    )


def _given(table: Table, mapping: Mapping[str, Any]) -> ColumnMap:
    """Check the roles and columns that the user names."""
    roles = sorted(set().union(*(f.needs | f.takes for f in formats().values())))
    given: dict[str, str | tuple[str, ...]] = {}
    for role, value in mapping.items():
        if role == "format" or not value:
            continue
        if role not in roles:
            reason = f"{role!r} is mapped, and is no role; roles are {', '.join(roles)}."
            raise DatasetError(table.file, reason)
        several = value.split("+") if isinstance(value, str) and role == "models" else value
        given[role] = (
            str(several) if isinstance(several, str) else tuple(str(column).strip() for column in several)
        )
    for role, value in given.items():
        if role == "reference" and {"source", "answer"} & given.keys():
            continue  # a source of the long format, not a column
        for column in (value,) if isinstance(value, str) else value:
            if column not in table.columns and not (role == "reference" and _is_long(table, given)):
                there = shortened(", ".join(table.columns), 200)
                reason = f"there is no such column to be the {role}; columns are {there}."
                raise DatasetError(table.file, reason, row=1, column=column)
    return given


def _is_long(table: Table, given: ColumnMap) -> bool:
    long = formats()["long"]
    return long.needs <= {**long.guess(table, given), **given}.keys()


def _choose(table: Table, given: ColumnMap, name: Any) -> tuple[DatasetFormat, ColumnMap]:
    """Return the first format whose needs the file's columns and the user's mapping meet."""
    if name and name not in formats():
        raise UnknownNameError("format", str(name), formats())
    missing: list[str] = []
    for known in [formats()[str(name)]] if name else formats().values():
        if not given.keys() <= known.needs | known.takes:
            continue
        columns = {**known.guess(table, given), **given}
        lacking = sorted(known.needs - columns.keys())
        if not lacking:
            return known, columns
        missing.append(f"{known.name} lacks {', '.join(lacking)}")
    there = shortened(", ".join(table.columns), 200)
    why = "; ".join(missing) or f"no format has {', '.join(given)} together"
    reason = f"its columns ({there}) are of no known format: {why}. Say which column is which."
    raise DatasetError(table.file, reason, row=1)


def _sorted(first: tuple[RowNote, ...], second: tuple[RowNote, ...]) -> tuple[RowNote, ...]:
    return tuple(sorted((*first, *second), key=lambda note: note.row))
