"""Parquet: flat columns, read a few rows at a time so that no trick of its compression fills the memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from counsel_core.datasets._base import Table
from counsel_core.datasets.limits import LARGEST_UNPACKED, LONGEST_CELL, MOST_COLUMNS, MOST_ROWS, shortened
from counsel_core.datasets.rows import Record, build_table
from counsel_core.errors import DatasetError
from counsel_core.records import RowNote

_ROWS_AT_ONCE = 256


def read_parquet(file: str, data: bytes) -> Table:
    """Read a Parquet file; columns of lists and structures are left out, with a note.

    Raises
    ------
    DatasetError
        It is broken, has too many rows or columns, or unpacks to more than the limit.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        buffer = pa.BufferReader(data)
        metadata = pq.read_metadata(buffer)  # type: ignore[no-untyped-call] # pyarrow has no types
        _check_size(file, metadata)
        schema = metadata.schema.to_arrow_schema()
        flat = [field.name for field in schema if not pa.types.is_nested(field.type)]
        # A dictionary keeps a text that a million rows share once, however small the file made it.
        texts = [f.name for f in schema if pa.types.is_string(f.type) or pa.types.is_large_string(f.type)]
        opened = pq.ParquetFile(buffer, read_dictionary=texts)  # type: ignore[no-untyped-call] # pyarrow has no types
        notes = [
            RowNote(1, f"column {shortened(field.name)!r} holds {field.type} and is left out")
            for field in schema
            if pa.types.is_nested(field.type)
        ]
        return build_table(file, "parquet", "utf-8", flat, _records(file, opened, flat), notes)
    except (pa.ArrowException, OSError, UnicodeDecodeError, ValueError) as error:
        reason = f"the Parquet file cannot be read ({shortened(str(error), 100)})"
        raise DatasetError(file, f"{reason}. Write it once more.") from error


def _check_size(file: str, metadata: Any) -> None:
    if metadata.num_rows > MOST_ROWS:
        raise DatasetError(file, f"it has {metadata.num_rows:,} rows; at most {MOST_ROWS:,} are read.")
    if metadata.num_columns > MOST_COLUMNS:
        raise DatasetError(
            file, f"it has {metadata.num_columns:,} columns; at most {MOST_COLUMNS:,} are read."
        )
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    if size > LARGEST_UNPACKED:
        most = LARGEST_UNPACKED // 1024**2
        raise DatasetError(file, f"it unpacks to {size / 1024**2:,.0f} MB; at most {most} MB are read.")


def _records(file: str, opened: Any, columns: list[str]) -> Iterator[Record]:
    row = 0
    for batch in opened.iter_batches(batch_size=_ROWS_AT_ONCE, columns=columns):
        for column, values in zip(columns, batch.columns, strict=True):
            _check_length(file, column, values, row + 1)
        for cells in zip(*(values.to_pylist() for values in batch.columns), strict=True):
            row += 1
            yield row, [_as_text(value) for value in cells]


def _check_length(file: str, column: str, values: Any, row: int) -> None:
    """Refuse a cell that is too long before it becomes a Python string in every row that holds it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = values.dictionary if pa.types.is_dictionary(values.type) else values
    if pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type):
        longest = pc.max(pc.binary_length(texts)).as_py() or 0  # type: ignore[attr-defined] # pyarrow has no types
        if longest > 4 * LONGEST_CELL:
            reason = f"a cell of {longest:,} bytes; at most {LONGEST_CELL:,} characters are read."
            raise DatasetError(file, reason, row=row, column=shortened(column))


def _as_text(value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124 (NaN is missing)
        return ""
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    return str(value).lower() if isinstance(value, bool) else str(value)
