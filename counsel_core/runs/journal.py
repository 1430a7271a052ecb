"""The journal of long work: each result is a line that is on the disk before the next one is counted."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from counsel_core.errors import RunError
from counsel_core.records import Json
from counsel_core.runs.folder import cannot_write

Key = tuple[int, str]
"""A unit of the run and a metric's name."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What came of one unit and one metric: a value, a reason why there is none, or an error."""

    unit: int
    metric: str
    value: float | None = None
    reason: str = ""
    detail: Json = field(default_factory=dict)
    error: str = ""

    @property
    def key(self) -> Key:
        """What the entry is about."""
        return self.unit, self.metric

    def as_json(self) -> Json:
        """Return the entry as its line holds it."""
        value: Json = {"u": self.unit, "m": self.metric}
        value |= {"e": self.error} if self.error else {"v": self.value}
        value |= {"r": self.reason} if self.reason else {}
        return value | ({"d": self.detail} if self.detail else {})


def read_entry(value: Json) -> Entry:
    """Return the entry of a line."""
    reason, detail, error = value.get("r", ""), value.get("d", {}), value.get("e", "")
    return Entry(value["u"], value["m"], value.get("v"), reason, detail, error)


class Line(Protocol):
    """A result that a journal holds; of several with one key the last one counts."""

    @property
    def key(self) -> Hashable:
        """What the result is about."""
        ...

    def as_json(self) -> Json:
        """Return the result as its line holds it."""
        ...


L = TypeVar("L", bound=Line)


class Journal(Generic[L]):
    """The journal of one plan, opened by its one worker. Safe to use from several threads.

    A line that a crash cut short is taken off when the journal is opened: what it held is done anew.
    """

    def __init__(self, path: Path, digest: str, read: Callable[[Json], L]) -> None:
        """Open or begin the journal of the plan with that digest; RunError if it is another plan's."""
        self._path = path
        self._lock = threading.Lock()
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise cannot_write(path, error) from error
        try:
            data = path.read_bytes()
            self._end = data.rfind(b"\n") + 1
            os.ftruncate(self._file, self._end)
            self.entries = {line.key: line for line in _lines(path, data[: self._end], digest, read)}
            if not self._end:
                self._write((json.dumps({"plan": digest}) + "\n").encode())
        except BaseException:
            self.close()
            raise

    def append(self, entries: Iterable[L]) -> None:
        """Write entries; they are on the disk when this returns.

        Raises
        ------
        RunError
            The disk is full, for one; the journal is as it was before.
        """
        fresh = list(entries)
        with self._lock:
            self._write("".join(map(_written, fresh)).encode())
            self.entries.update((entry.key, entry) for entry in fresh)

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _write(self, data: bytes) -> None:
        try:
            written = 0
            while written < len(data):
                written += os.pwrite(self._file, data[written:], self._end + written)
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._end)
            raise cannot_write(self._path, error) from error
        self._end += len(data)


def read_journal(path: Path, digest: str, read: Callable[[Json], L]) -> dict[Hashable, L]:
    """Return what a journal holds so far, without changing it; its worker may be writing.

    Raises
    ------
    RunError
        It is another plan's, or damaged.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from error
    return {line.key: line for line in _lines(path, data[: data.rfind(b"\n") + 1], digest, read)}


def _lines(path: Path, data: bytes, digest: str, read: Callable[[Json], L]) -> Iterator[L]:
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            value = json.loads(line)
            if number > 1:
                yield read(value)
                continue
            plan = value["plan"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise RunError(f"{path}, line {number}: it is damaged. Start anew in another place.") from error
        if plan != digest:
            raise RunError(
                f"{path} holds the results of another plan (the data set, or what was chosen, differs). "
                "Results are never mixed: start anew in another place."
            )


def _written(line: Line) -> str:
    return json.dumps(line.as_json(), ensure_ascii=True, allow_nan=False) + "\n"
