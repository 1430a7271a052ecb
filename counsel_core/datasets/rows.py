"""Records become a table's rows: padded, cut, passed over or refused, each with its row and reason."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from counsel_core.datasets._base import Table
from counsel_core.datasets.limits import (
    LARGEST_UNPACKED,
    LONGEST_CELL,
    LONGEST_NAME,
    MOST_COLUMNS,
    MOST_ROWS,
    shortened,
)
from counsel_core.errors import DatasetError
from counsel_core.records import RowNote

_UNWRITABLE = re.compile("[\0\ud800-\udfff]")

Record = tuple[int, Sequence[str]]


def build_table(
    file: str,
    container: str,
    encoding: str,
    header: Sequence[str],
    records: Iterable[Record],
    repaired: Sequence[RowNote] = (),
) -> Table:
    """Check a header and the records below it, and make a table of them.

    Raises
    ------
    DatasetError
        A column's name is missing or occurs twice, there is no row, or more than the limits allow.
    """
    columns = column_names(file, header)
    notes, dropped = list(repaired), list[RowNote]()
    rows: list[Record] = []
    blank: list[int] = []
    characters = 0
    for row, given in records:
        if len(rows) + len(blank) >= MOST_ROWS:
            raise DatasetError(file, f"it has more than {MOST_ROWS:,} rows. Split it.", row=row)
        characters += _checked_size(file, columns, row, given)
        if characters > LARGEST_UNPACKED:
            raise DatasetError(file, f"its cells hold more than {LARGEST_UNPACKED:,} characters.", row=row)
        if not any(cell and not cell.isspace() for cell in given):
            blank.append(row)
            continue
        dropped += (RowNote(number, "the row is empty") for number in blank)
        blank.clear()
        cells = _fitted(row, given, len(columns), notes, dropped)
        if cells is not None:
            rows.append((row, _writable(row, cells, notes)))
    if not rows:
        what = "it has column names and no rows" if not dropped else "no row fits the column names"
        raise DatasetError(
            file, f"{what}: {shortened(', '.join(columns), 200)}. Add a row for each question."
        )
    return Table(file, container, encoding, columns, tuple(rows), tuple(notes), tuple(dropped))


def column_names(file: str, header: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns: trimmed, nameless ones numbered, none of them twice.

    Examples
    --------
    >>> column_names("a.csv", [" question", "", "reference"])
    ('question', 'column 2', 'reference')
    """
    if len(header) > MOST_COLUMNS:
        raise DatasetError(file, f"it has {len(header):,} columns; at most {MOST_COLUMNS:,} are read.", row=1)
    names: list[str] = []
    for number, given in enumerate(header, start=1):
        name = _UNWRITABLE.sub("", given).strip() or f"column {number}"
        if len(name) > LONGEST_NAME:
            reason = f"a name of {len(name):,} characters; the first row has to hold the columns' names."
            raise DatasetError(file, reason, row=1, column=shortened(name))
        if name in names:
            reason = f"the name occurs twice, in columns {names.index(name) + 1} and {number}; rename one."
            raise DatasetError(file, reason, row=1, column=name)
        names.append(name)
    return tuple(names)


def _checked_size(file: str, columns: tuple[str, ...], row: int, cells: Sequence[str]) -> int:
    longest = max(map(len, cells), default=0)
    if longest > LONGEST_CELL:
        place = next(index for index, cell in enumerate(cells) if len(cell) > LONGEST_CELL)
        column = columns[place] if place < len(columns) else f"column {place + 1}"
        reason = f"a cell of {longest:,} characters; at most {LONGEST_CELL:,} are read."
        raise DatasetError(file, reason, row=row, column=column)
    return sum(map(len, cells))


def _fitted(
    row: int, cells: Sequence[str], width: int, repaired: list[RowNote], dropped: list[RowNote]
) -> Sequence[str] | None:
    """Return a row of the header's width, or None where it cannot be told which cell belongs where."""
    if len(cells) == width:
        return cells
    if len(cells) < width:
        repaired.append(RowNote(row, f"it has {len(cells)} of {width} cells; the others are read as empty"))
        return [*cells, *[""] * (width - len(cells))]
    if not any(cell.strip() for cell in cells[width:]):
        return cells[:width]
    reason = f"it has {len(cells)} cells where the header has {width}: a delimiter or quotation mark is amiss"
    dropped.append(RowNote(row, reason))
    return None


def _writable(row: int, cells: Sequence[str], repaired: list[RowNote]) -> Sequence[str]:
    """Replace what no UTF-8 file can hold: half a surrogate pair; zero characters go."""
    if all(_is_writable(cell) for cell in cells):
        return cells
    repaired.append(RowNote(row, "characters that are none (zero, half a pair) are replaced"))
    return [_UNWRITABLE.sub(lambda found: "" if found[0] == "\0" else "\ufffd", cell) for cell in cells]


def _is_writable(cell: str) -> bool:
    return "\0" not in cell and (cell.isascii() or not _UNWRITABLE.search(cell))
