"""How much one file may hold: enough for a hundred thousand answers, too little to choke the machine."""

from __future__ import annotations

LARGEST_FILE = 100 * 1024 * 1024
"""Bytes of an uploaded file."""
LARGEST_UNPACKED = 250 * 1024 * 1024
"""Bytes of what a compressed file (XLSX, Parquet) holds, and characters of all its cells together."""
LONGEST_CELL = 131_072
"""Characters of one cell; csv's own limit as well."""
MOST_ROWS, MOST_COLUMNS = 1_000_000, 1_000
MOST_SOURCES = 500
"""Sources of one file: more of them means that answers were taken for names."""
LONGEST_NAME = 200
"""Characters of a column's name and of a source's."""


def shortened(text: str, length: int = 60) -> str:
    r"""Return a text on one line, cut for a message.

    Examples
    --------
    >>> shortened("a  b\nc", 4)
    'a b…'
    """
    line = " ".join(text[: 4 * length].split())
    return line if len(line) <= length else line[: length - 1] + "…"
