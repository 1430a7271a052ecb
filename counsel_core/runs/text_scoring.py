"""Metrics of text alone, scored by all cores: chunks of neighbouring answers go to a pool of processes."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from counsel_core.metrics import find_metric
from counsel_core.metrics._base import Metric, MetricContext, ScoreInput
from counsel_core.records import Preset
from counsel_core.runs.journal import Entry, Key

Work = tuple[int, ScoreInput, tuple[str, ...]]
"""A unit, its texts, and the metrics it is to be scored by."""

_CHUNK_CHARACTERS = 40_000
"""About a third of a second of work: small enough to stop soon, large enough to send cheaply."""
_FEW_CHARACTERS = 400_000
"""Less than this is done before a pool of processes has started."""
_TRIES = 2
_KILLED = "the process that scored it was ended from outside, twice; there may be too little memory"


@dataclass(frozen=True, slots=True)
class TextSettings:
    """What a process needs to build the context of the metrics."""

    preset: Preset
    settings: Mapping[str, Any]


def score_texts(
    tasks: Sequence[Key],
    inputs: Sequence[ScoreInput],
    settings: TextSettings,
    *,
    workers: int | None,
    deliver: Callable[[list[Entry]], None],
    cancel: threading.Event,
) -> None:
    """Score tasks of text metrics; results are delivered chunk by chunk, in any order.

    Parameters
    ----------
    workers
        How many processes; None: one a core. With one, or with few texts, this process does it.
    deliver
        Gets each chunk's results, in this thread.
    cancel
        Stops after the chunks that are being scored.
    """
    chunks = list(_chunks(tasks, inputs))
    processes = min(workers or usable_cores(), len(chunks))
    characters = sum(len(inputs[unit].answer) for unit in {unit for unit, _ in tasks})
    if processes > 1 and characters > _FEW_CHARACTERS:
        _Pool(settings, processes, deliver, cancel).run(chunks)
        return
    context = _context(settings)
    for chunk in chunks:
        if cancel.is_set():
            return
        deliver(score_chunk(chunk, context))


def score_chunk(chunk: Sequence[Work], context: MetricContext) -> list[Entry]:
    """Score the units of a chunk one by one."""
    return [
        score_one(find_metric(name), unit, given, context) for unit, given, names in chunk for name in names
    ]


def score_one(metric: Metric, unit: int, given: ScoreInput, context: MetricContext) -> Entry:
    """Score one unit by one metric. What text metrics were made of is not kept: it can be computed again."""
    scored = metric.score(given, context)
    # What a text metric was made of is found anew when it is looked at; what it reports beside is kept.
    kept = metric.beside if metric.work == "text" else scored.detail
    detail = {key: one for key, one in scored.detail.items() if key in kept}
    if scored.value is not None and not math.isfinite(scored.value):
        return Entry(unit, metric.name, None, "the value is no finite number", detail)
    value = None if scored.value is None else float(scored.value)
    return Entry(unit, metric.name, value, scored.reason, detail)


def _chunks(tasks: Sequence[Key], inputs: Sequence[ScoreInput]) -> Iterator[list[Work]]:
    """Yield chunks; metrics of one unit, and answers to one question, stay together and share their work."""
    by_unit: dict[int, list[str]] = {}
    for unit, name in tasks:
        by_unit.setdefault(unit, []).append(name)
    chunk: list[Work] = []
    characters = 0
    for unit, names in by_unit.items():
        chunk.append((unit, inputs[unit], tuple(names)))
        characters += len(inputs[unit].answer) + 200
        if characters >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, characters = [], 0
    if chunk:
        yield chunk


class _Pool:
    """A pool of processes, set up anew when one of them is ended from outside."""

    def __init__(
        self,
        settings: TextSettings,
        processes: int,
        deliver: Callable[[list[Entry]], None],
        cancel: threading.Event,
    ) -> None:
        self._settings, self._processes = settings, processes
        self._deliver, self._cancel = deliver, cancel

    def run(self, chunks: Sequence[list[Work]]) -> None:
        due = [(chunk, _TRIES) for chunk in chunks]
        while due and not self._cancel.is_set():
            due, lost = self._run_until_broken(due)
            for chunk, tries in lost:
                if tries > 1:
                    due.append((chunk, tries - 1))
                else:
                    self._deliver(
                        [Entry(unit, name, error=_KILLED) for unit, _, names in chunk for name in names]
                    )

    def _run_until_broken(
        self, due: list[tuple[list[Work], int]]
    ) -> tuple[list[tuple[list[Work], int]], list[tuple[list[Work], int]]]:
        """Score chunks; return those not begun, and those lost with a process that was ended."""
        left = list(reversed(due))
        running: dict[Future[list[Entry]], tuple[list[Work], int]] = {}
        pool = ProcessPoolExecutor(
            self._processes,
            multiprocessing.get_context("spawn"),  # a fork would hold the run's lock after a crash
            set_up_process,
            (self._settings,),
        )
        try:
            while (left and not self._cancel.is_set()) or running:
                while left and len(running) < 2 * self._processes and not self._cancel.is_set():
                    running[pool.submit(_score_in_process, left[-1][0])] = left[-1]
                    left.pop()
                done, _ = wait(running, timeout=0.2, return_when=FIRST_COMPLETED)
                for future in done:
                    self._deliver(future.result())
                    del running[future]
        except BrokenProcessPool:
            return list(reversed(left)), list(running.values())
        finally:
            pool.shutdown(cancel_futures=True)
        return [], []


_context_of_process: list[MetricContext] = []


def set_up_process(settings: TextSettings) -> None:
    """Make a process of the pool ready; it ends with its parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _context_of_process.append(_context(settings))


def _end_with_parent() -> None:
    """End this process when the worker has ended, however it did: a pool would wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _score_in_process(chunk: list[Work]) -> list[Entry]:
    return score_chunk(chunk, _context_of_process[0])


def _context(settings: TextSettings) -> MetricContext:
    return MetricContext(settings.preset, settings.settings)


def usable_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
