"""`doctor`: what works here, what is missing and how to get it."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from counsel_core.commands._base import DONE, FAILED_ITEMS, Command, print_json, print_line
from counsel_core.doctor import Examined, examine
from counsel_core.settings import Settings

_MARKS = {"ok": "ok     ", "missing": "MISSING", "note": "note   "}


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="a JSON line for each thing looked at")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    code = DONE
    for row in examine(settings):
        if arguments.json:
            print_json(asdict(row))
        else:
            _print_row(row)
        code = FAILED_ITEMS if row.state == "missing" else code
    return code


def _print_row(row: Examined) -> None:
    print_line(f"{_MARKS[row.state]}  {row.subject}: {row.found}")
    if row.remedy:
        print_line(f"         {row.remedy}")


DOCTOR = Command("doctor", "See what works here, what is missing and how to get it.", _configure, _run)
