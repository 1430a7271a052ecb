"""`published`: the framework paper's tables 3, 5, 6 and 7, recomputed from its tables 2 and 4."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from counsel_core.commands._base import DONE, Command, print_json, print_line
from counsel_core.settings import Settings

if TYPE_CHECKING:
    from counsel_core.published import Cell, RecomputedTable


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="a JSON line a table")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    from counsel_core.published import RECOMPUTED, recompute

    del settings
    for name in RECOMPUTED:
        table = recompute(name)
        if arguments.json:
            print_json(_as_json(table))
        else:
            print_line(_as_text(table))
    return DONE


def _as_json(table: RecomputedTable) -> dict[str, object]:
    cells = [
        {"row": cell.row, "column": cell.column, "printed": cell.printed, "recomputed": cell.recomputed}
        for cell in table.cells
    ]
    differing = [
        {"row": cell.row, "column": cell.column, "difference": cell.difference, "explained": cell.explained}
        for cell in table.differing
    ]
    return {
        "table": table.table,
        "cells": cells,
        "max_abs_error": table.max_abs_error,
        "differing": differing,
    }


def _as_text(table: RecomputedTable) -> str:
    from counsel_core.published import load_contradictions

    lines = [
        f"Table {table.table}: {len(table.cells)} cells, largest difference {table.max_abs_error:.1e}",
        f"{'':<16}{'':<28}{'printed':>10}{'recomputed':>13}{'difference':>13}",
        *(_line(cell) for cell in table.cells),
    ]
    notes = [
        note for note in load_contradictions() if table.table in note.tables and note.paper == "framework"
    ]
    lines += [f"- {note.title}: {note.says} {note.found}" for note in notes]
    return "\n".join([*lines, ""])


def _line(cell: Cell) -> str:
    mark = ""
    if cell.differs:
        mark = "  differs, within rounding" if cell.explained else "  differs"
    numbers = f"{cell.printed:>10.6f}{cell.recomputed:>13.6f}{cell.difference:>+13.1e}"
    return f"{cell.row:<16}{cell.column:<28}{numbers}{mark}"


PUBLISHED = Command(
    "published", "Recompute the framework paper's tables 3, 5, 6 and 7 from 2 and 4.", _configure, _run
)
