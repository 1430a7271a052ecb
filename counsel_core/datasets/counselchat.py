"""Counsel Chat: a row for each therapist's answer, ranked by votes."""

from __future__ import annotations

from collections.abc import Iterator

from counsel_core.datasets._base import (
    ColumnMap,
    DatasetFormat,
    Dropped,
    Entry,
    Table,
    attributes,
    guess_by_name,
)
from counsel_core.records import REFERENCE, RowNote

_NAMES = {
    "id": ("questionID",),
    "question": ("questionText",),
    "topic": ("topic", "topics"),
    "answer": ("answerText",),
    "upvotes": ("upvotes",),
    "views": ("views",),
}


def _guess(table: Table, given: ColumnMap) -> ColumnMap:
    return guess_by_name(table, given, _NAMES)


def _read(table: Table, columns: ColumnMap) -> Iterator[Entry | RowNote | Dropped]:
    named = {role: str(column) for role, column in columns.items()}
    place = {role: table.columns.index(column) for role, column in named.items()}
    other = attributes(table, set(named.values()))
    for row, cells in table.rows:
        votes = []
        for role in ("upvotes", "views"):
            given = cells[place[role]].strip()
            count = _number(given)
            if count is None:
                yield RowNote(row, f"{named[role]!r} is no number and counts as 0")
            votes.append(count or 0.0)
        key = cells[place["id"]].strip()
        if not key:
            yield RowNote(row, f"{named['id']!r} is empty; the row is a question of its own")
        yield Entry(
            row=row,
            id=key or f"row {row}",
            question=cells[place["question"]],
            topic=cells[place["topic"]] if "topic" in place else "",
            source=REFERENCE,
            text=cells[place["answer"]],
            place=named["answer"],
            votes=(votes[0], votes[1]),
            columns={name: cells[index] for name, index in other.items()},
        )


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None  # neither NaN nor infinite


COUNSELCHAT = DatasetFormat(
    name="counselchat",
    label="Counsel Chat",
    description="The columns of counsel-chat: several therapists' answers a question, with votes and views.",
    order=1,
    needs=frozenset(("id", "question", "answer", "upvotes", "views")),
    takes=frozenset(("topic",)),
    guess=_guess,
    read=_read,
)
