"""Many calls of a model: several at once, each result delivered as it lands, an end to repeated failures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from counsel_core.errors import StoppedError

T = TypeVar("T")
R = TypeVar("R")

CALLS_AT_ONCE = 4
FAILURES_IN_A_ROW = 5
"""After so many failed items in a row nothing more is asked: the server is down, or refuses."""


def land_each(
    tasks: Iterable[T],
    work: Callable[[T], R],
    *,
    error_of: Callable[[R], str],
    deliver: Callable[[R], None],
    cancel: threading.Event,
    at_once: int = CALLS_AT_ONCE,
) -> str:
    """Do each task in a pool of threads; return '' or the word that says why it ended early.

    Parameters
    ----------
    work
        Returns the result of a task, also of one that failed; StoppedError: it was cancelled.
    error_of
        Returns what went wrong in a result: '' for a good one.
    deliver
        Gets each result in this thread, as soon as it is there.
    cancel
        Nothing new is begun once it is set; calls that are open are told, and given up.
    """
    waiting = iter(tasks)
    running: set[Future[R]] = set()
    in_a_row, stopped = 0, ""
    with ThreadPoolExecutor(at_once) as pool:
        try:
            while True:
                while len(running) < at_once and not stopped and not cancel.is_set():
                    try:
                        running.add(pool.submit(work, next(waiting)))
                    except StopIteration:
                        break
                if not running:
                    return stopped
                done, running = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    if isinstance(future.exception(), StoppedError):
                        continue
                    deliver(future.result())
                    error = error_of(future.result())
                    in_a_row = in_a_row + 1 if error else 0
                    if in_a_row == FAILURES_IN_A_ROW:
                        stopped = (
                            f"Stopped after {in_a_row} failures in a row; the last one: {error} "
                            "What was done is kept: put that right, then resume."
                        )
        except BaseException:
            cancel.set()
            raise
