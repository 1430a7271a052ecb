"""The wide format: a row for each question, with a column for the gold answer and for each model."""

from __future__ import annotations

import re
from collections.abc import Iterator

from counsel_core.datasets._base import (
    ATTRIBUTE,
    ColumnMap,
    DatasetFormat,
    Dropped,
    Entry,
    Table,
    attributes,
    guess_by_name,
)
from counsel_core.datasets.limits import MOST_SOURCES
from counsel_core.datasets.long import BLOCKED, source_name
from counsel_core.errors import DatasetError
from counsel_core.records import REFERENCE, RowNote

FIRST_COLUMNS = ("id", "question", "topic", "reference")
"""What wide files that we write begin with."""

_NAMES = {
    "question": ("question", "questionText", "prompt", "问题"),
    "reference": (
        "reference",
        "gold",
        "gold_standard",
        "gold_answer",
        "reference_answer",
        "参考答案",
        "answer",
    ),
    "id": ("id", "question_id", "编号"),
    "topic": ("topic", "category", "主题", "话题"),
}
BLOCKED_COLUMN = "{} (blocked)"
"""Names the column that marks a source's answers as held back."""
NEXT_COLUMN = "{} #{}"
"""Names the column of a source's second answer, third answer …"""

_NEXT = re.compile(r"(.+) #([2-9]|[1-9][0-9]+)")
_NAMELESS = re.compile(r"column [0-9]+")
_ENOUGH_ROWS = 20
_OF_NO_MODEL = re.compile(
    "index|url|link|date|time|language|lang|notes?|comments?|upvotes|views|source|split", re.IGNORECASE
)


def model_columns(table: Table, taken: set[str]) -> tuple[str, ...]:
    """Return the columns that hold answers: all but those whose name or content says something else.

    What repeats few short values is an attribute of the question, unless there are few rows (every value
    is one of few there), or the file begins as those that we write, which mark their attributes.
    """
    sure = len(table.rows) < _ENOUGH_ROWS or table.columns[: len(FIRST_COLUMNS)] == FIRST_COLUMNS
    return tuple(
        column
        for column in table.columns
        if column not in taken
        and _may_name_a_model(column)
        and not _base_of_blocked(column, table.columns)
        and (sure or not (table.has_few_values(column) and _repeats(table, column)))
    )


def _may_name_a_model(column: str) -> bool:
    other_roles = (name for role, names in _NAMES.items() if role != "reference" for name in names)
    return not (
        column.startswith(ATTRIBUTE)
        or _NAMELESS.fullmatch(column)
        or _OF_NO_MODEL.fullmatch(column)
        or column.casefold() in map(str.casefold, other_roles)
    )


def source_columns(table: Table) -> dict[str, tuple[str, int]]:
    """Return the columns that are guessed to hold answers, with their source and place."""
    columns = _guess(table, {})
    return _sources(table, str(columns["reference"]), columns["models"])


def _repeats(table: Table, column: str) -> bool:
    filled = [cell for cell in table.column(column) if cell.strip()]
    return len(filled) >= len(table.rows) / 2 and len(set(filled)) <= len(filled) / 4


def _base_of_blocked(column: str, columns: tuple[str, ...]) -> str:
    base = column.removesuffix(BLOCKED_COLUMN.format(""))
    return base if base != column and base in columns else ""


def _guess(table: Table, given: ColumnMap) -> ColumnMap:
    found: dict[str, str | tuple[str, ...]] = {**guess_by_name(table, given, _NAMES)}
    if "models" not in given:
        taken = {str(column) for column in (*given.values(), *found.values())}
        found["models"] = model_columns(table, taken)
    return found


def _read(table: Table, columns: ColumnMap) -> Iterator[Entry | RowNote | Dropped]:
    named = {role: str(column) for role, column in columns.items() if role != "models"}
    place = {role: table.columns.index(column) for role, column in named.items()}
    sources = _sources(table, named["reference"], columns.get("models", ()))
    marks = {column: _mark_of(table, column) for column in sources}
    used = {*named.values(), *sources, *(BLOCKED_COLUMN.format(column) for column in sources)}
    other = attributes(table, used)
    first_row: dict[str, int] = {}
    for row, cells in table.rows:
        key = cells[place["id"]].strip() if "id" in place else ""
        if key in first_row:
            reason = f"id {key!r} is that of row {first_row[key]} too; here it is read as '{key} (row {row})'"
            yield RowNote(row, reason)
            key = f"{key} (row {row})"
        elif key:
            first_row[key] = row
        question = cells[place["question"]]
        if not (key or question.strip() or any(cells[index].strip() for _, index in sources.values())):
            yield Dropped(row, "it has neither question nor answer")
            continue
        for column, (source, index) in sources.items():
            mark = marks[column]
            yield Entry(
                row=row,
                id=key or str(row),
                question=question,
                topic=cells[place["topic"]] if "topic" in place else "",
                source=source,
                text=cells[index],
                place=column,
                columns={name: cells[at] for name, at in other.items()},
                blocked=mark is not None and cells[mark].strip().lower() in BLOCKED,
            )


def _sources(table: Table, reference: str, models: str | tuple[str, ...]) -> dict[str, tuple[str, int]]:
    """Return for each column of answers its source and its place."""
    models = (models,) if isinstance(models, str) else models
    if len(models) > MOST_SOURCES:
        reason = f"{len(models)} columns of models; at most {MOST_SOURCES} are read."
        raise DatasetError(table.file, reason, row=1)
    found: dict[str, tuple[str, int]] = {reference: (REFERENCE, table.columns.index(reference))}
    for column in models:
        follows = _NEXT.fullmatch(column)
        base = follows[1] if follows and follows[1] in table.columns else column
        source = REFERENCE if base == reference else source_name(base)
        if base == column and source == REFERENCE:
            reason = f"it is named as the gold standard, which column {reference!r} holds; rename one."
            raise DatasetError(table.file, reason, row=1, column=column)
        found[column] = (source, table.columns.index(column))
    return found


def _mark_of(table: Table, column: str) -> int | None:
    name = BLOCKED_COLUMN.format(column)
    return table.columns.index(name) if name in table.columns else None


WIDE = DatasetFormat(
    name="wide",
    label="Wide: a row for each question",
    description="Columns question, reference (the gold answer), optionally topic and id, and one a model.",
    order=3,
    needs=frozenset(("question", "reference")),
    takes=frozenset(("id", "topic", "models")),
    guess=_guess,
    read=_read,
)
