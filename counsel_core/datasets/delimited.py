"""CSV and TSV, with the delimiter found from the content."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice

from counsel_core.datasets._base import Table
from counsel_core.datasets.encodings import EncodedText, find_encoding, undecodable
from counsel_core.datasets.formulas import as_typed
from counsel_core.datasets.limits import LONGEST_CELL, shortened
from counsel_core.datasets.rows import Record, build_table
from counsel_core.errors import DatasetError
from counsel_core.records import RowNote

_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
_LONGEST_LINE = 32 * LONGEST_CELL
_SAMPLE_LINES, _SAMPLE_RECORDS = 400, 50


def read_delimited(file: str, data: bytes, *, prefer_tab: bool = False) -> Table:
    """Read CSV or TSV as it is written by spreadsheets and by csv libraries.

    An apostrophe before a cell that a spreadsheet would run is taken off: `formulas` says why.

    Raises
    ------
    DatasetError
        Quotation marks are not balanced, a byte is of no known encoding, or there is only one column.
    """
    text = find_encoding(file, data)
    if b"\n" not in text.data:
        text = EncodedText(text.data.replace(b"\r", b"\n"), text.encoding, text.main, text.other)
    lines = _Lines(file, text)
    said = lines.said_delimiter()
    delimiter = said or _find_delimiter(file, text, prefer_tab=prefer_tab)
    records = _records(file, lines, delimiter)
    header = next((cells for _, cells in records if any(cell.strip() for cell in cells)), [])
    lines.columns = header
    notes = [] if delimiter == "," else [RowNote(1, f"the delimiter is a {_NAMES.get(delimiter, delimiter)}")]
    if text.other:
        notes.append(RowNote(1, f"rows that are no UTF-8 are read as {text.other}; they are listed"))
    container = "tsv" if delimiter == "\t" else "csv"
    table = build_table(file, container, text.encoding, header, records)
    notes += (RowNote(row, f"read as {text.other}") for row in lines.mended_rows)
    return Table(
        file,
        container,
        text.encoding,
        table.columns,
        table.rows,
        (*notes, *table.repaired),
        table.dropped,
    )


class _Lines:
    """The lines for the csv reader; keeps those of the record being read, to say where it went wrong."""

    def __init__(self, file: str, text: EncodedText) -> None:
        self.file, self.row = file, 0
        self.columns: Sequence[str] = ()
        self.mended_rows: list[int] = []
        self._source = text.lines()
        self._of_record: list[str] = []
        self._mended = False

    def __iter__(self) -> Iterator[str]:
        for line, mended in self._source:
            if len(line) > _LONGEST_LINE:
                reason = f"a line of {len(line):,} characters; at most {_LONGEST_LINE:,} are read."
                raise DatasetError(self.file, reason, row=self.row + 1)
            self._of_record.append(line)
            self._mended = self._mended or mended
            yield line

    def said_delimiter(self) -> str:
        """Take the line `sep=;` away that Excel reads and writes above the header."""
        try:
            first = next(self._source, ("", False))
        except UnicodeDecodeError as error:
            raise undecodable(self.file, error, row=1) from error
        word = first[0].strip("\r\n").lower()
        if len(word) == 5 and word.startswith("sep=") and word[4] in _NAMES:
            self.row = 1
            return word[4]
        self._source = chain((first,), self._source)
        return ""

    def end_record(self) -> None:
        self.row += 1
        if self._mended:
            self.mended_rows.append(self.row)
        self._of_record.clear()
        self._mended = False

    def fault(self, error: csv.Error, delimiter: str) -> DatasetError:
        """Say what is wrong in the record being read, and in which column."""
        place, unclosed = _cell_of_fault("".join(self._of_record), delimiter)
        column = self.columns[place] if place < len(self.columns) else f"column {place + 1}"
        if "field larger" in str(error):
            reason = f"a cell of more than {LONGEST_CELL:,} characters; is a quotation mark not closed?"
        elif unclosed:
            reason = 'a quotation mark is never closed. Write " within a quoted cell as "".'
        elif "new-line" in str(error):
            reason = "a carriage return stands outside quotation marks. Save with ordinary line ends."
        else:
            reason = 'text follows a closing quotation mark. Write " within a quoted cell as "".'
        return DatasetError(self.file, reason, row=self.row + 1, column=shortened(column))


def _records(file: str, lines: _Lines, delimiter: str) -> Iterator[Record]:
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise lines.fault(error, delimiter) from error
        except UnicodeDecodeError as error:
            raise undecodable(file, error, lines.row + 1) from error
        lines.end_record()
        yield lines.row, [as_typed(cell) for cell in cells]


def _cell_of_fault(record: str, delimiter: str) -> tuple[int, bool]:
    """Return the cell where quotation marks go wrong, and whether one is still open at the end."""
    place, at_start, quoted, closed = 0, True, False, False
    for character in record:
        if quoted:
            closed, quoted = (True, False) if character == '"' else (False, True)
        elif character == '"' and (at_start or closed):
            quoted, closed = True, False
        elif character == delimiter:
            place, at_start, closed = place + 1, True, False
            continue
        elif closed and character not in "\r\n":
            return place, False
        at_start = False
    return place, quoted


def _find_delimiter(file: str, text: EncodedText, *, prefer_tab: bool) -> str:
    """Choose the delimiter by which most of the first records have as many cells as the header."""
    try:
        sample = [line for line, _ in islice(text.lines(), _SAMPLE_LINES)]
    except UnicodeDecodeError:
        sample = []  # the reader will meet the same line and say its row
    scores = {delimiter: _agreement(sample, delimiter) for delimiter in _NAMES}
    best = max(scores, key=lambda delimiter: (scores[delimiter], delimiter == "\t" and prefer_tab))
    if sample and scores[best][1] < 2:
        header = shortened(next((line for line in sample if line.strip()), ""))
        known = "comma, semicolon, tab and vertical bar"
        reason = f"only one column is found, {header!r}; delimiters known are {known}."
        raise DatasetError(file, reason, row=1)
    return best if sample else ","


def _agreement(sample: list[str], delimiter: str) -> tuple[float, int]:
    records: list[list[str]] = []
    with suppress(csv.Error):  # the reader will meet it again and say its row
        records += (r for r in islice(csv.reader(sample, delimiter=delimiter), _SAMPLE_RECORDS) if r)
    if len(records) > 2 and len(sample) == _SAMPLE_LINES:
        records.pop()  # perhaps cut
    if not records or len(records[0]) < 2:
        return 0.0, 0
    width = len(records[0])
    return sum(len(record) == width for record in records) / len(records), width
