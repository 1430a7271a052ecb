"""The worker of a run: `python -m counsel_core.runs.worker FOLDER`, a process that outlives the page.

One after the other it scores what text alone needs (a pool of processes), what encoders need, and what
a judge is asked (a pool of threads). Each result is in the journal before it is counted; at the end the
tables are written from the journal, so that a run in pieces gives the same files as an unbroken one.
"""

from __future__ import annotations

import argparse
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from counsel_core.errors import CounselError, RunError
from counsel_core.llm.cache import keeping_answers
from counsel_core.llm.catalogue import effective_local_only, list_models, open_model
from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext
from counsel_core.records import ModelSpec, QADataset, Score
from counsel_core.runs.encoding import encoder_context
from counsel_core.runs.folder import RunFolder, hold, is_held, read_json
from counsel_core.runs.journal import Entry, Journal, Key, read_entry
from counsel_core.runs.judging import score_by_judge
from counsel_core.runs.plan import Plan, read_plan
from counsel_core.runs.progress import Progress, RunStatus, Step, write_status
from counsel_core.runs.snapshot import digest_of, load_snapshot
from counsel_core.runs.text_scoring import TextSettings, score_one, score_texts
from counsel_core.runs.units import Units, read_units
from counsel_core.runs.writing import write_results
from counsel_core.settings import Settings, read_settings

STEPS = {"text": "Text metrics", "encoder": "Encoder metrics", "judge": "Judged metrics"}
WRITING = "Tables"
_LOOK = 0.3
_TOGETHER = 0.5
"""Seconds of an encoder's results that are written at once: waiting for the disk each time takes longer."""


@dataclass(frozen=True)
class _Work:
    """A run at work: its plan, its data, its journal, and how it can be stopped."""

    folder: RunFolder
    plan: Plan
    dataset: QADataset
    units: Units
    journal: Journal[Entry]
    progress: Progress
    cancel: threading.Event
    settings: Settings
    workers: int | None
    use_cache: bool

    def scores(self) -> list[Score]:
        """Return a score for each answer and metric."""
        chosen = [find_metric(name) for name in self.plan.metrics]
        return self.units.scores(chosen, self.journal.entries)

    def deliver(self, step: str) -> Callable[[list[Entry]], None]:
        """Return what keeps results of a step and counts them."""

        def keep(entries: list[Entry]) -> None:
            self.journal.append(entries)
            self.progress.add(step, len(entries), sum(bool(entry.error) for entry in entries))

        return keep


def work(
    folder: RunFolder,
    settings: Settings,
    *,
    workers: int | None = None,
    retry_failed: bool = False,
    use_cache: bool | None = None,
    listen: Callable[[RunStatus], None] = lambda status: None,
    cancel: threading.Event | None = None,
) -> RunStatus:
    """Do what is left of a run and write its tables; return how it ended.

    Parameters
    ----------
    workers
        Processes for text metrics; None: one a core.
    retry_failed
        Whether items that failed are scored again.
    use_cache
        Whether answers of before may be used; None: as the plan says.
    listen
        Called with the status whenever something was scored.

    Raises
    ------
    RunError
        Another worker is at work on the run, its folder cannot be written, or it is damaged.
    CounselError
        The judge or an encoder cannot be opened.
    """
    stop = cancel or threading.Event()
    with hold(folder):
        plan = read_plan(read_json(folder.plan)["plan"])
        dataset = _load(folder, plan)
        units = read_units(dataset, plan.sources)
        tasks = units.tasks([find_metric(name) for name in plan.metrics])
        journal = Journal(folder.journal, plan.digest, read_entry)
        try:
            due = _due(tasks, journal, retry_failed=retry_failed)
            progress = Progress(folder, _steps(tasks, due, journal), listen)
            use = plan.cache if use_cache is None else use_cache
            at_work = _Work(folder, plan, dataset, units, journal, progress, stop, settings, workers, use)
            with progress, _Watch(folder.cancel, stop):
                return _score_all(at_work, due)
        finally:
            journal.close()


def _load(folder: RunFolder, plan: Plan) -> QADataset:
    dataset = load_snapshot(folder.dataset)
    if digest_of(dataset) != plan.dataset:
        raise RunError(f"{folder.dataset}: the data set is not the one of the plan. Start a new run.")
    return dataset


def _due(tasks: Sequence[Key], journal: Journal[Entry], *, retry_failed: bool) -> list[Key]:
    """Return the tasks without a result; one that failed has none if it shall be done again."""
    done = {key for key, entry in journal.entries.items() if not (retry_failed and entry.error)}
    return [task for task in tasks if task not in done]


def _steps(tasks: Sequence[Key], due: Sequence[Key], journal: Journal[Entry]) -> list[Step]:
    """Return the steps with what they have: a failed item that is due again is not done."""
    left = set(due)
    steps = []
    for kind, label in STEPS.items():
        own = [task for task in tasks if find_metric(task[1]).work == kind]
        done = [task for task in own if task not in left]
        failed = sum(bool(journal.entries[task].error) for task in done)
        if own:
            steps.append(Step(label, len(own), len(done), failed))
    return steps


def _score_all(at_work: _Work, due: Sequence[Key]) -> RunStatus:
    progress, stopped = at_work.progress, ""
    try:
        for kind, label in STEPS.items():
            tasks = [task for task in due if find_metric(task[1]).work == kind]
            if tasks and not stopped:
                progress.begin(label)
                stopped = _SCORERS[kind](at_work, tasks, at_work.deliver(label))
            if at_work.cancel.is_set():
                return progress.end("cancelled", "Cancelled. Resume it: what was scored is kept.")
        progress.begin(WRITING)
        write_results(
            at_work.folder,
            at_work.plan,
            at_work.dataset,
            at_work.scores(),
            at_work.journal.entries.values(),
            _judge(at_work),
        )
    except CounselError as error:
        with suppress(RunError):  # the disk may be full; whoever started the run is told by the error
            progress.end("failed", str(error))
        raise
    return progress.end("failed" if stopped else "finished", stopped)


def _score_texts(at_work: _Work, tasks: Sequence[Key], deliver: Callable[[list[Entry]], None]) -> str:
    score_texts(
        tasks,
        at_work.units.inputs,
        TextSettings(at_work.plan.preset, at_work.plan.settings),
        workers=at_work.workers,
        deliver=deliver,
        cancel=at_work.cancel,
    )
    return ""


def _score_by_encoders(at_work: _Work, tasks: Sequence[Key], deliver: Callable[[list[Entry]], None]) -> str:
    context = encoder_context(at_work.plan, download=not effective_local_only(at_work.settings))
    landed: list[Entry] = []
    last = time.monotonic()
    for unit, name in tasks:
        if at_work.cancel.is_set():
            break
        landed.append(score_one(find_metric(name), unit, at_work.units.inputs[unit], context))
        if time.monotonic() - last > _TOGETHER:
            deliver(landed)
            landed, last = [], time.monotonic()
    deliver(landed)
    return ""


def _score_by_judge(at_work: _Work, tasks: Sequence[Key], deliver: Callable[[list[Entry]], None]) -> str:
    judge = open_model(at_work.plan.judge or "", at_work.settings)
    context = MetricContext(at_work.plan.preset, at_work.plan.settings)
    with keeping_answers(at_work.settings, use=at_work.use_cache) as kept:
        return score_by_judge(
            tasks, at_work.units.inputs, context, kept(judge), deliver=deliver, cancel=at_work.cancel
        )


def _judge(at_work: _Work) -> ModelSpec | None:
    """Return the judge's entry, None if the run has no judge or its entry is gone."""
    name = at_work.plan.judge
    if name is None:
        return None
    return next((spec for spec in list_models(at_work.settings) if spec.name == name), None)


_SCORERS = {"text": _score_texts, "encoder": _score_by_encoders, "judge": _score_by_judge}


class _Watch:
    """Looks for the file that cancels a run."""

    def __init__(self, file: Path, stop: threading.Event) -> None:
        self._file, self._stop, self._end = file, stop, threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(_LOOK):
            if self._file.exists():
                self._stop.set()


def main(arguments: Sequence[str] | None = None) -> int:
    """Work on the run in a folder; what is printed goes to its log."""
    parser = argparse.ArgumentParser(prog="python -m counsel_core.runs.worker", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--retry-failed", action="store_true")
    given = parser.parse_args(arguments)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    folder = RunFolder(given.folder)
    try:
        status = work(
            folder, read_settings(), workers=given.workers, retry_failed=given.retry_failed, cancel=stop
        )
    except CounselError as error:
        if not is_held(folder):  # else another worker is at it, and its word counts
            write_status(folder, RunStatus("failed", message=str(error), updated=time.time()))
        sys.stdout.write(f"error: {error}\n")
        return 2
    sys.stdout.write(f"{status.state}: {status.done} of {status.total} done, {status.failed} failed\n")
    return 1 if status.failed or status.state == "failed" else 0


if __name__ == "__main__":
    raise SystemExit(main())
