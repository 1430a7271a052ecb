"""XLSX: the first sheet that holds anything; formulas count with the result stored beside them."""

from __future__ import annotations

import io
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any
from xml.etree.ElementTree import ParseError

from counsel_core.datasets._base import Table
from counsel_core.datasets.limits import LARGEST_UNPACKED, MOST_COLUMNS, shortened
from counsel_core.datasets.rows import Record, build_table
from counsel_core.errors import DatasetError
from counsel_core.records import RowNote

_MOST_MEMBERS = 2_000
_ERRORS = frozenset(("#NULL!", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#N/A"))
# What zipfile, the XML parser and openpyxl raise over a broken workbook; each was met with damaged files.
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    ParseError,
    KeyError,
    ValueError,  # also that of defusedxml: entities and document types are refused
    TypeError,
    IndexError,
    AttributeError,
    EOFError,
    NotImplementedError,
    RuntimeError,  # encrypted members
    OSError,
)


def read_workbook(file: str, data: bytes) -> Table:
    """Read the first sheet with content. Nothing is calculated, and no link or entity is followed.

    Raises
    ------
    DatasetError
        It is another ZIP archive, is broken, encrypted, or unpacks to more than the limit.
    """
    _check_archive(file, data)
    from openpyxl import DEFUSEDXML, load_workbook

    if not DEFUSEDXML:
        raise DatasetError(file, "workbooks are read only with defusedxml; unset OPENPYXL_DEFUSEDXML.")
    warnings.filterwarnings("ignore", category=UserWarning, module="openpyxl")  # of looks, not of content
    try:
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        try:
            return _first_table(file, book)
        finally:
            book.close()
    except _BROKEN as error:
        reason = f"the workbook cannot be read ({shortened(str(error) or type(error).__name__, 100)})"
        raise DatasetError(file, f"{reason}. Save it once more as .xlsx, or as CSV.") from error


def _check_archive(file: str, data: bytes) -> None:
    """Refuse what is no workbook, and what would unpack to too much, before anything is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
    except _BROKEN as error:
        reason = "it begins like a ZIP archive or XLSX workbook and is broken; save or upload it once more."
        raise DatasetError(file, reason) from error
    if "[Content_Types].xml" not in {member.filename for member in members}:
        what = shortened(", ".join(member.filename for member in members[:5]) or "nothing", 100)
        raise DatasetError(file, f"it is a ZIP archive ({what}); unpack it and upload the table within.")
    unpacked = sum(member.file_size for member in members)
    if unpacked > LARGEST_UNPACKED or len(members) > _MOST_MEMBERS:
        most = LARGEST_UNPACKED // 1024**2
        size = f"{len(members):,} parts, {unpacked / 1024**2:,.0f} MB unpacked"
        raise DatasetError(
            file, f"the workbook has {size}; at most {_MOST_MEMBERS:,} and {most} MB are read."
        )


def _first_table(file: str, book: Any) -> Table:
    notes: list[RowNote] = []
    # A hidden sheet is read only where no other holds anything.
    for sheet in sorted(book.worksheets, key=lambda one: one.sheet_state != "visible"):
        sheet.reset_dimensions()  # what the file says of its size may be wrong
        records = _records(file, sheet, notes)
        row, header = next((r for r in records if any(cell.strip() for cell in r[1])), (0, []))
        if not row:
            continue
        if len(book.sheetnames) > 1:
            reason = f"of {len(book.sheetnames)} sheets, {shortened(sheet.title)!r} is read"
            notes.append(RowNote(row, reason))
        fitted = ((number, _padded(cells, len(header))) for number, cells in records)
        table = build_table(file, "xlsx", "utf-8", header, fitted)
        repaired = (*notes, *table.repaired)
        return Table(file, "xlsx", "utf-8", table.columns, table.rows, repaired, table.dropped)
    raise DatasetError(file, "no sheet of the workbook holds anything.")


def _records(file: str, sheet: Any, notes: list[RowNote]) -> Iterator[Record]:
    for row, values in enumerate(sheet.iter_rows(values_only=True), start=1):
        if len(values) > MOST_COLUMNS:
            reason = f"it has {len(values):,} columns; at most {MOST_COLUMNS:,} are read."
            raise DatasetError(file, reason, row=row)
        if not _ERRORS.isdisjoint(value for value in values if isinstance(value, str)):
            notes.append(RowNote(row, "an error of a formula (such as #REF!) is read as empty"))
        yield row, [_as_text(value) for value in values]


def _padded(cells: Any, width: int) -> list[str]:
    """Rows end with their last filled cell, and may go on with cells that hold nothing."""
    while len(cells) > width and not cells[-1]:
        cells.pop()
    return [*cells, *[""] * (width - len(cells))]


def _as_text(value: Any) -> str:
    if value is None or value in _ERRORS:
        return ""
    if isinstance(value, str):
        if "_x" in value:
            from openpyxl.utils.escape import unescape

            return str(unescape(value))
        return value
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value).lower() if isinstance(value, bool) else str(value)
