"""Cells that a spreadsheet would run: made harmless by an apostrophe, which reading takes off again."""

from __future__ import annotations

import re

# OWASP, CSV injection: the signs that begin a formula, also after blanks. Apostrophes before them count, so
# that a text which has one of its own gets another, and comes back with its own.
_RUNS = re.compile(r"'*[ \n\0]*[=+\-@\t\r]")
_SAFE = re.compile(r"'+[ \n\0]*[=+\-@\t\r]")


def spreadsheet_safe(cell: str) -> str:
    """Return a cell's text so that no spreadsheet takes it for a formula.

    Examples
    --------
    >>> spreadsheet_safe("=1+1"), spreadsheet_safe("One and one"), spreadsheet_safe("'=1")
    ("'=1+1", 'One and one', "''=1")
    """
    return f"'{cell}" if _RUNS.match(cell) else cell


def as_typed(cell: str) -> str:
    """Return the text that `spreadsheet_safe` was given.

    Examples
    --------
    >>> as_typed("'=1+1"), as_typed("'Twas brillig")
    ('=1+1', "'Twas brillig")
    """
    return cell[1:] if _SAFE.match(cell) else cell
