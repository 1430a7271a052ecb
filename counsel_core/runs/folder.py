"""The folder of a run: where its files are, whole writes, and the lock that lets one worker in."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counsel_core.errors import RunError

OUTPUTS = (
    "scores.parquet",
    "summary.csv",
    "topic_summary.csv",
    "correlations.csv",
    "topics.csv",
    "z_scores.csv",
    "distances.csv",
    "paired.csv",
    "run.json",
    "report.html",
)
"""The files a reader of the results opens; what the run works with is in the folder `work` beside them."""

_PATIENCE = 3.0
"""Seconds a worker waits for the lock: whoever only looks at it holds it for an instant."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The files of one run."""

    root: Path

    @property
    def work(self) -> Path:
        """The folder of what the run works with."""
        return self.root / "journal"

    @property
    def plan(self) -> Path:
        """The plan, as JSON."""
        return self.work / "plan.json"

    @property
    def dataset(self) -> Path:
        """The data set as it was read, so that nothing can change below the run."""
        return self.work / "dataset.json.gz"

    @property
    def journal(self) -> Path:
        """The results, a line each, in the order they came."""
        return self.work / "results.jsonl"

    @property
    def status(self) -> Path:
        """What the worker last said of itself."""
        return self.work / "status.json"

    @property
    def cancel(self) -> Path:
        """A file that is there when the run shall stop."""
        return self.work / "cancel"

    @property
    def lock(self) -> Path:
        """The file a worker locks."""
        return self.work / "lock"

    @property
    def log(self) -> Path:
        """What the worker process printed."""
        return self.work / "worker.log"


def create_folder(path: Path) -> None:
    """Create a folder and those above it; RunError where that cannot be."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all: an earlier one stays until the new one is complete.

    Raises
    ------
    RunError
        It cannot be written: no such folder, no right to, or the disk is full.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(path, error) from error


def write_json(path: Path, value: Any) -> None:
    """Write a value as JSON, whole or not at all; raises as `write_whole` does."""
    write_whole(path, (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode())


def read_json(path: Path) -> Any:
    """Return what a JSON file of the run holds.

    Raises
    ------
    RunError
        It is not there, cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is damaged"
        raise RunError(
            f"{path}: {reason or error}. This is no folder of a run, or it lost a file; start a new run."
        ) from error


def cannot_write(path: Path, error: OSError) -> RunError:
    """Return the error that says which file cannot be written, and why."""
    reason = (error.strerror or str(error)).lower()
    return RunError(
        f"{path} cannot be written: {reason}. Free space, or choose a folder you may write to; "
        "what was scored so far is kept."
    )


@contextmanager
def hold(folder: RunFolder) -> Iterator[None]:
    """Hold the run's lock: the system lets go of it when the process ends, however it ends.

    Raises
    ------
    RunError
        Another worker is at work on the run.
    """
    handle = _open(folder.lock)
    try:
        end = time.monotonic() + _PATIENCE
        while not _try_lock(handle):
            if time.monotonic() > end:
                raise RunError(
                    f"{folder.root}: another process is at work on this run. Wait until it is done, or "
                    "cancel it first."
                )
            time.sleep(0.05)
        yield
    finally:
        os.close(handle)


def is_held(folder: RunFolder) -> bool:
    """Whether a worker is at work on the run now."""
    try:
        handle = os.open(folder.lock, os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise RunError(f"{folder.lock} cannot be read: {error.strerror}.") from error
    try:
        return not _try_lock(handle)
    finally:
        os.close(handle)


def is_released(folder: RunFolder, within: float = 5.0) -> bool:
    """Whether no worker holds the run. One that ends says so a moment before it lets go: it is waited for."""
    end = time.monotonic() + within
    while is_held(folder):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise cannot_write(path, error) from error


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
