"""Many calls of a model: several at once, each result delivered as it lands, an end to repeated failures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from counsel_core.errors import StoppedError

_POLL_SECONDS = 0.1

T = TypeVar("T")
R = TypeVar("R")

FAILURES_IN_A_ROW = 5
"""After so many failed items in a row nothing more is asked: the server is down, or refuses.

Calls that are open by then still end, so that at most `at_once` items more than these have failed.
"""


def land_each(
    tasks: Iterable[T],
    work: Callable[[T], R],
    *,
    error_of: Callable[[R], str],
    deliver: Callable[[list[R]], None],
    cancel: threading.Event,
    at_once: int,
) -> str:
    """Do each task in a pool of threads; return '' or the word that says why it ended early.

    Parameters
    ----------
    work
        Returns the result of a task, also of one that failed; StoppedError: it was cancelled.
    error_of
        Returns what went wrong in a result: '' for a good one.
    deliver
        Gets results in this thread as soon as they are there; those that land together, together.
    cancel
        Nothing new is begun once it is set; calls that are open are told, and given up.
    at_once
        How many tasks are at work at the same time.
    """
    queue: _Queue[T, R] = _Queue(tasks, work, error_of, cancel, at_once)
    with ThreadPoolExecutor(at_once) as pool:
        try:
            workers = [pool.submit(queue.work_off) for _ in range(at_once)]
            for results in queue.results(len(workers)):
                deliver(results)
        except BaseException:
            cancel.set()
            raise
    for worker in workers:
        worker.result()  # raises what was a defect
    return queue.stopped


_END = object()


class _Queue(Generic[T, R]):
    """The tasks that are left, taken by several threads, and the results that have landed.

    Each thread takes its next task by itself: none waits while a result is being written to the disk. But
    no more results may be waiting for that than tasks are at work, for those a crash would lose.
    """

    def __init__(
        self,
        tasks: Iterable[T],
        work: Callable[[T], R],
        error_of: Callable[[R], str],
        cancel: threading.Event,
        at_once: int,
    ) -> None:
        self._waiting, self._work, self._error_of, self._cancel = iter(tasks), work, error_of, cancel
        self._landed: SimpleQueue[Any] = SimpleQueue()
        self._lock, self._room = threading.Lock(), threading.Semaphore(2 * at_once)
        self._in_a_row = 0
        self.stopped = ""

    def work_off(self) -> None:
        """Do tasks until there is none, or nothing more shall be begun."""
        try:
            while (task := self._next()) is not _END:
                try:
                    result = self._work(task)
                except StoppedError:
                    self._room.release()
                    continue
                self._count(self._error_of(result))
                self._landed.put(result)
        except BaseException:
            self._cancel.set()
            raise
        finally:
            self._landed.put(_END)

    def results(self, workers: int) -> Iterator[list[R]]:
        """Yield what has landed, until so many threads are through."""
        while workers:
            landed = [self._landed.get()]
            with suppress(Empty):
                while True:
                    landed.append(self._landed.get_nowait())
            results = [one for one in landed if one is not _END]
            workers -= len(landed) - len(results)
            if results:
                yield results
                self._room.release(len(results))

    def _next(self) -> Any:
        while not self._room.acquire(timeout=_POLL_SECONDS):
            if self._cancel.is_set():
                return _END
        with self._lock:
            return _END if self.stopped or self._cancel.is_set() else next(self._waiting, _END)

    def _count(self, error: str) -> None:
        with self._lock:
            self._in_a_row = self._in_a_row + 1 if error else 0
            if self._in_a_row == FAILURES_IN_A_ROW and not self.stopped:
                self.stopped = (
                    f"Stopped after {FAILURES_IN_A_ROW} failures in a row; the last one: {error} "
                    "What was done is kept: put that right, then resume."
                )
