"""What a run says of itself: its steps, how far they are, and how long it will take."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from counsel_core.errors import RunError
from counsel_core.records import Json
from counsel_core.runs.folder import RunFolder, is_held, read_json, write_json

State = Literal["waiting", "running", "finished", "cancelled", "failed", "interrupted"]
"""`waiting`: its process is starting. `failed`: it stopped by itself, and says why. `interrupted`: its
process was ended from outside. All but `finished` and `running` can be resumed."""

_BEAT = 1.0
_STARTING = 20.0
"""Seconds in which a worker process has to take up its run."""
_SILENT = 30.0
"""Seconds after which a heart that does not beat is worth a word."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a run: metrics of one kind of work. `done` counts failed items too."""

    name: str
    total: int
    done: int = 0
    failed: int = 0
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class RunStatus:
    """How far a run is. `seconds_left` is that of the step at work; None where nothing is known yet."""

    state: State
    steps: tuple[Step, ...] = ()
    current: str = ""
    message: str = ""
    started: float = 0.0
    updated: float = 0.0
    process: int = 0

    @property
    def total(self) -> int:
        """Results the run will have."""
        return sum(step.total for step in self.steps)

    @property
    def done(self) -> int:
        """Results that are there, failed ones included."""
        return sum(step.done for step in self.steps)

    @property
    def failed(self) -> int:
        """Items that failed: they can be scored again on request."""
        return sum(step.failed for step in self.steps)

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return self.done / self.total if self.total else float(self.state == "finished")

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the step at work will take."""
        return next((step.seconds_left for step in self.steps if step.name == self.current), None)

    @property
    def at_work(self) -> bool:
        """Whether a process is, or will be in a moment, at work on the run."""
        return self.state in ("waiting", "running")


def write_status(folder: RunFolder, status: RunStatus) -> None:
    """Write what a run says of itself; RunError where that cannot be."""
    write_json(folder.status, asdict(status))


def read_status(folder: RunFolder, now: Callable[[], float] = time.time) -> RunStatus:
    """Return how far a run is, seen from outside: a worker that is gone is not running, whatever it wrote."""
    status = _from_json(read_json(folder.status)) if folder.status.exists() else RunStatus("interrupted")
    if not status.at_work:
        return status
    silent = now() - status.updated
    if is_held(folder):
        beat = f"No sign of life for {silent:.0f} seconds." if silent > _SILENT else status.message
        return replace(status, message=beat)
    if status.state == "waiting" and silent < _STARTING:
        return status
    reread = _from_json(read_json(folder.status))  # it may have ended between the two looks
    if not reread.at_work:
        return reread
    ended = "Its process was ended before it was done. Resume it: nothing is lost, nothing is scored twice."
    return replace(reread, state="interrupted", message=ended)


class Progress:
    """The steps of a run at work, told every second to the status file and to whoever listens."""

    def __init__(self, folder: RunFolder, steps: list[Step], listen: Callable[[RunStatus], None]) -> None:
        self._folder, self._listen = folder, listen
        self._steps = {step.name: step for step in steps}
        self._at_start: dict[str, tuple[float, int]] = {}
        self._lock, self._end = threading.Lock(), threading.Event()
        now = time.time()
        self._status = RunStatus("running", tuple(steps), "", "", now, now, os.getpid())
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Progress:
        write_status(self._folder, self._status)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def begin(self, name: str) -> None:
        """Say that a step begins."""
        with self._lock:
            done = self._steps[name].done if name in self._steps else 0
            self._at_start[name] = (time.monotonic(), done)
            self._status = replace(self._status, current=name)

    def add(self, name: str, done: int, failed: int) -> None:
        """Count results of a step."""
        with self._lock:
            step = self._steps[name]
            started, before = self._at_start[name]
            now_done = step.done + done
            pace = (time.monotonic() - started) / max(1, now_done - before)
            self._steps[name] = replace(
                step,
                done=now_done,
                failed=step.failed + failed,
                seconds_left=pace * (step.total - now_done),
            )
        self._listen(self._now())

    def end(self, state: State, message: str = "") -> RunStatus:
        """Say how the run ended, in the status file too."""
        self._end.set()
        self._thread.join()
        self._status = replace(self._now(), state=state, message=message, current="")
        write_status(self._folder, self._status)
        self._listen(self._status)
        return self._status

    def _now(self) -> RunStatus:
        with self._lock:
            steps = tuple(self._steps.values())
            self._status = replace(self._status, steps=steps, updated=time.time())
            return self._status

    def _beat(self) -> None:
        while not self._end.wait(_BEAT):
            with suppress(RunError):  # a full disk: the journal says so, and stops the run
                write_status(self._folder, self._now())


def _from_json(value: Any) -> RunStatus:
    try:
        steps = tuple(Step(**step) for step in value["steps"])
        fields: Json = {**value, "steps": steps}
        return RunStatus(**fields)
    except (KeyError, TypeError) as error:
        raise RunError("The status of the run cannot be read: it is of another version.") from error
