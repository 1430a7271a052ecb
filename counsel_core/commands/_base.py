"""What a command of the command line is, and how it reads and writes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from counsel_core.errors import InputError
from counsel_core.settings import Settings

DONE, FAILED_ITEMS, REFUSED = 0, 1, 2
"""Exit codes: done; done with failed items, each listed; refused with one line on stderr."""


@dataclass(frozen=True)
class Command:
    """One command: `configure` declares its arguments, `run` does it and returns the exit code."""

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Settings], int]


def input_lines() -> Iterator[str]:
    """Yield the lines of standard input without their ends; blank lines are passed over.

    Raises
    ------
    InputError
        A line is not UTF-8.
    """
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            reason = f"byte {error.start + 1} is not UTF-8; save the input as UTF-8"
            raise InputError(f"standard input, line {number}: {reason}.") from error
        if line.strip():
            yield line


def print_json(value: Any) -> None:
    """Write one JSON object as a line, at once, so that a reader of the pipe sees it."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def report(text: str) -> None:
    """Write a line to standard error."""
    print(text, file=sys.stderr, flush=True)
