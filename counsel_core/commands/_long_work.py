"""What commands that take long share: their arguments, a bar on a terminal, and an orderly stop."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from counsel_core.datasets.limits import LARGEST_FILE
from counsel_core.errors import InputError

_WIDTH = 30
_EVERY = 0.1


class Bar:
    """The bar of one piece of work on standard error."""

    def __init__(self) -> None:
        self._stream = sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None
        self._last, self._length = 0.0, 0

    def __enter__(self) -> Bar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None and self._length:
            print(file=self._stream, flush=True)

    def show(self, done: int, total: int, seconds_left: float | None = None, what: str = "") -> None:
        """Draw how much is done, at most ten times a second and when all is."""
        now = time.monotonic()
        if self._stream is None or not total or (now - self._last < _EVERY and done < total):
            return
        self._last = now
        full = _WIDTH * done // total
        line = f"[{'#' * full}{'.' * (_WIDTH - full)}] {done:,} of {total:,} {what}"
        line += "" if not seconds_left else f", {_said(seconds_left)} left"
        print(f"\r{line:<{self._length}}", end="", file=self._stream, flush=True)
        self._length = len(line)


def _said(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def workers_number(text: str) -> int:
    """Return a number of processes or threads; ArgumentTypeError if it is none."""
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of workers; give one from 1 to 256")
    return int(text)


def names_of(option: str, text: str) -> list[str]:
    """Return the names of a list with commas; InputError if one is empty."""
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise InputError(f"{option} got {text!r}; it takes names with commas between them, such as A,B.")
    return list(dict.fromkeys(names))


def read_file(file: Path) -> bytes:
    """Return a file's bytes, of one too large as many as show that; InputError says why it cannot be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # a zero byte in a name is a ValueError
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise InputError(f"{file} cannot be read: {reason}. Give the path of a data set's file.") from error


@contextmanager
def stop_at_interrupt() -> Iterator[threading.Event]:
    """Let Ctrl-C, or a request to end, stop the work after what is open; a second Ctrl-C ends at once."""
    stop = threading.Event()

    def handle(number: int, _: object) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
