"""The traffic to a server: so many calls at once in this process, and none while it asks for a pause."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from counsel_core.errors import StoppedError
from counsel_core.records import ModelSpec

AT_ONCE = 8
"""Calls of one model at once, unless its entry says otherwise (`at_once`)."""

_BY_RULES = 4
_POLL_SECONDS = 0.05


def calls_at_once(spec: ModelSpec) -> int:
    """Return how many calls of a model are worth making at once; a file in this process answers one by one.

    Examples
    --------
    >>> calls_at_once(ModelSpec("m", "openai_compatible", "M", "remote", options={"at_once": 2}))
    2
    """
    if spec.location in ("rules", "process"):
        return _BY_RULES if spec.location == "rules" else 1
    given: int = spec.options.get("at_once", AT_ONCE)
    return given


def threads_for(spec: ModelSpec) -> int:
    """Return how many threads keep a model busy: a few more than calls, for prompts and answers take time.

    Examples
    --------
    >>> threads_for(ModelSpec("m", "openai_compatible", "M", "remote"))
    10
    """
    calls = calls_at_once(spec)
    return calls if spec.location == "rules" else calls + max(1, calls // 4)


class Traffic:
    """The calls to one server that are open now. Its models share it, and the pauses it asks for."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._open = 0
        self._pause_ends = 0.0

    @contextmanager
    def call(self, at_once: int, cancel: threading.Event) -> Iterator[float]:
        """Wait until a call may be made, and give the seconds that it waited.

        Raises
        ------
        StoppedError
            `cancel` was set while it waited.
        """
        came = time.monotonic()
        with self._changed:
            while (wait := self._pause_ends - time.monotonic()) > 0 or self._open >= at_once:
                if cancel.is_set():
                    raise StoppedError("Stopped while waiting for its turn to be sent.")
                self._changed.wait(min(_POLL_SECONDS, wait) if wait > 0 else _POLL_SECONDS)
            self._open += 1
        try:
            yield time.monotonic() - came
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify()

    def pause(self, seconds: float) -> None:
        """Let no further call begin for so long; those that are open go on."""
        with self._changed:
            self._pause_ends = max(self._pause_ends, time.monotonic() + seconds)


_TRAFFIC: dict[str, Traffic] = {}
_LOCK = threading.Lock()


def traffic_to(base_url: str) -> Traffic:
    """Return the traffic of this process to a server."""
    with _LOCK:
        return _TRAFFIC.setdefault(base_url, Traffic())
