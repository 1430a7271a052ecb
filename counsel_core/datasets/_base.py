"""What a data set's format is: the columns it knows, and how its rows become entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from counsel_core.records import RowNote

ColumnMap = Mapping[str, str | tuple[str, ...]]
"""Role (question, reference, topic …) → the column that plays it; `models` holds several."""

FEW_VALUES, SHORT_VALUE = 50, 100
"""A column of at most so many values, none longer than that, may serve as the topic."""


@dataclass(frozen=True, slots=True)
class Table:
    """A file's rows as text, each with its number; nothing is known yet of what a column means.

    Rows count from 1, and a header is row 1. In JSON, JSON Lines and Parquet, which have no header,
    row 1 is the first object, line or row.
    """

    file: str
    container: str
    encoding: str
    columns: tuple[str, ...]
    rows: tuple[tuple[int, Sequence[str]], ...]
    repaired: tuple[RowNote, ...] = ()
    dropped: tuple[RowNote, ...] = ()

    def column(self, name: str) -> Iterator[str]:
        """Yield a column's cells."""
        place = self.columns.index(name)
        return (cells[place] for _, cells in self.rows)

    def has_few_values(self, name: str) -> bool:
        """Return whether a column holds few short values, and more than one of them or more than one row.

        Examples
        --------
        >>> table = Table("a.csv", "csv", "utf-8", ("mood",), ((2, ("low",)), (3, ("high",)), (4, ("low",))))
        >>> table.has_few_values("mood")
        True
        """
        values: set[str] = set()
        for cell in self.column(name):
            values.add(cell)
            if len(values) > FEW_VALUES or len(cell) > SHORT_VALUE:
                return False
        return any(value.strip() for value in values)


@dataclass(frozen=True, slots=True)
class Entry:
    """One answer of one source, or the lack of one (a blank text), with the question it belongs to.

    `place` is where the text stands, as notes say it. `votes` (upvotes, views) rank therapists' answers.
    """

    row: int
    id: str
    question: str
    topic: str
    source: str
    text: str
    place: str
    votes: tuple[float, float] | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    blocked: bool = False


@dataclass(frozen=True, slots=True)
class Dropped:
    """A row that belongs to no question, and why."""

    row: int
    reason: str


@dataclass(frozen=True)
class DatasetFormat:
    """One format.

    Attributes
    ----------
    order
        Formats are tried from the lowest to the highest; the first whose needs are met reads the file.
    needs, takes
        The roles that must be played by columns, and those that may be.
    guess
        Finds the columns that play roles, given those that the user has named.
    read
        Turns a table into entries, notes of what was repaired, and rows that were dropped.
    """

    name: str
    label: str
    description: str
    order: int
    needs: frozenset[str]
    takes: frozenset[str]
    guess: Callable[[Table, ColumnMap], ColumnMap]
    read: Callable[[Table, ColumnMap], Iterator[Entry | RowNote | Dropped]]


def guess_by_name(table: Table, given: ColumnMap, names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Find for each role the first of its usual names among the columns that are still free.

    Case, spaces, hyphens and underscores make no difference.
    """
    taken = {column for value in given.values() for column in ((value,) if isinstance(value, str) else value)}
    free = {_plain(column): column for column in reversed(table.columns) if column not in taken}
    found: dict[str, str] = {}
    for role, usual in names.items():
        column = next((free[name] for name in map(_plain, usual) if name in free), None)
        if role not in given and column is not None and column not in found.values():
            found[role] = column
    return found


def attributes(table: Table, used: set[str]) -> dict[str, int]:
    """Return the unused columns of few values, by the name they are known by, with their place."""
    return {
        column.removeprefix(ATTRIBUTE): place
        for place, column in enumerate(table.columns)
        if column not in used and table.has_few_values(column)
    }


ATTRIBUTE = "column:"
"""Begins the name of a column that is neither a role nor a model, in wide files that we write."""


def _plain(name: str) -> str:
    return "".join(c for c in name.casefold() if c not in " _-")
