"""A file's bytes become a table: what the content is decides, not what the name says."""

from __future__ import annotations

from pathlib import PurePath

from counsel_core.datasets._base import Table
from counsel_core.datasets.delimited import read_delimited
from counsel_core.datasets.json_rows import looks_like_json, read_json
from counsel_core.datasets.limits import LARGEST_FILE
from counsel_core.datasets.parquet import read_parquet
from counsel_core.datasets.workbook import read_workbook
from counsel_core.errors import DatasetError

SUFFIXES = (".csv", ".tsv", ".xlsx", ".json", ".jsonl", ".parquet")
"""The files that can be read."""

_EXPECTED = "give a CSV, TSV, XLSX, JSON, JSON Lines or Parquet file"
_FOREIGN = (
    (b"\xd0\xcf\x11\xe0", "an old Excel file (.xls); save it as .xlsx or CSV"),
    (b"%PDF", f"a PDF; {_EXPECTED}"),
    (b"\x1f\x8b", f"compressed with gzip; unpack it and {_EXPECTED}"),
    (b"BZh", f"compressed with bzip2; unpack it and {_EXPECTED}"),
    (b"\xfd7zXZ", f"compressed with xz; unpack it and {_EXPECTED}"),
    (b"7z\xbc\xaf", f"a 7z archive; unpack it and {_EXPECTED}"),
    (b"SQLite format 3", f"an SQLite database; {_EXPECTED}"),
)


def read_table(file: str, data: bytes) -> Table:
    """Read a file's rows.

    Raises
    ------
    DatasetError
        It is empty, too large, broken, or of no kind that can be read; row and column are named where
        they are known.
    """
    if len(data) > LARGEST_FILE:
        most = LARGEST_FILE // 1024**2
        # One byte too many means that no more of the file was read.
        whole = len(data) > LARGEST_FILE + 1
        size = f"{len(data) / 1024**2:.0f} MB" if whole else f"more than {most} MB"
        raise DatasetError(file, f"it has {size}; at most {most} MB are read. Split it by topic.")
    if not data.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise DatasetError(file, f"it is empty; {_EXPECTED}.")
    suffix = PurePath(file).suffix.lower()
    for start, what in _FOREIGN:
        if data.startswith(start):
            raise DatasetError(file, f"it is {what}.")
    if data.startswith(b"PK"):
        return read_workbook(file, data)
    if data.startswith(b"PAR1"):
        return read_parquet(file, data)
    if suffix in {".xlsx", ".parquet"}:
        raise DatasetError(file, f"it is no {suffix} file: its first bytes are others. Save it once more.")
    if data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        raise DatasetError(file, f"it is a web page or XML, not a table; {_EXPECTED}.", row=1)
    if suffix in {".json", ".jsonl", ".ndjson"} or looks_like_json(data):
        return read_json(file, data, lines=suffix in {".jsonl", ".ndjson"})
    return read_delimited(file, data, prefer_tab=suffix in {".tsv", ".tab"})
