"""What a command of the command line is, and how it reads and writes."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from counsel_core.errors import InputError
from counsel_core.records import LONGEST_LINE
from counsel_core.settings import Settings
from counsel_core.storage.words import read_typed

DONE, FAILED_ITEMS, REFUSED, INTERRUPTED = 0, 1, 2, 130
"""Exit codes: done; done with failed items, each listed; refused with one line on stderr; Ctrl-C."""

_MAX_BYTES = 4_000_000
"""Of one line: more than any command reads, even where every character is written as an escape."""


@dataclass(frozen=True)
class Command:
    """One command: `configure` declares its arguments, `run` does it and returns the exit code."""

    name: str
    help: str
    configure: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace, Settings], int]


def input_lines() -> Iterator[tuple[int, str]]:
    """Yield the lines of standard input, each with its number from 1; blank ones are passed over.

    Raises
    ------
    InputError
        A line is not UTF-8, or has no end within 4 MB.
    """
    if sys.stdin is None:  # closed by the shell (`<&-`)
        return
    read = sys.stdin.buffer.readline
    for number, raw in enumerate(iter(lambda: read(_MAX_BYTES), b""), start=1):
        if len(raw) == _MAX_BYTES:
            limit = f"{_MAX_BYTES:,} bytes"
            raise InputError(f"standard input, line {number}: it is longer than {limit}; split it.")
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            reason = f"byte {error.start + 1} is not UTF-8; save the input as UTF-8"
            raise InputError(f"standard input, line {number}: {reason}.") from error
        if line.strip():
            yield number, line


def read_utterance(line: str) -> str:
    """Return a line as the chat would take it; InputError where the chat would not."""
    return read_typed(line, "utterance", longest=LONGEST_LINE)


def report_failure(number: int, error: Exception) -> int:
    """List a line that failed, and return the exit code that tells of it."""
    report(f"line {number} failed: {one_line(error)}")
    return FAILED_ITEMS


def print_json(value: Any) -> None:
    """Write one JSON object as a line."""
    print_line(json.dumps(value, ensure_ascii=False))


def print_line(text: str) -> None:
    """Write to standard output, at once, so that a reader of the pipe sees it.

    Raises
    ------
    InputError
        Nothing can be written there: it is a file on a full disk, for one.
    BrokenPipeError
        The reader went away.
    """
    try:
        print(text, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        _let_go(sys.stdout)
        reason = (error.strerror or "unknown error").lower()
        raise InputError(f"Standard output cannot be written: {reason}. Send it elsewhere.") from error


def report(text: str) -> None:
    """Write a line to standard error, if there is one: progress that nobody can read is no failure."""
    if sys.stderr is None:
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        _let_go(sys.stderr)


def one_line(error: Exception) -> str:
    """Return an error's message on one line."""
    return " ".join(str(error).split())


def _let_go(stream: TextIO) -> None:
    """Drop what a stream still holds: Python would fail over it once more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
