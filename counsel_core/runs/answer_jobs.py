"""Answers that models and agents are writing to a data set in the background, one job a data set.

One `AnswerJobs` serves a process and is found by the data set, so that a reload, a second tab or another page
sees the same job. Every answer is in a journal as it lands: after a stop or a crash the same job goes on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from counsel_core.datasets.library import SavedDataset, load, save
from counsel_core.datasets.writing import write_wide
from counsel_core.errors import BusyError, CounselError
from counsel_core.runs.answering import Answered, Respondent, answer_dataset
from counsel_core.runs.card_facts import measured_seconds
from counsel_core.settings import Settings


@dataclass
class AnswerJob:
    """One job: how far it is and, when it is over, what came of it. `saved` is the new data set."""

    respondents: tuple[Respondent, ...]
    started: float = field(default_factory=time.time)
    done: int = 0
    total: int = 0
    answered: Answered | None = None
    saved: SavedDataset | None = None
    error: CounselError | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def seconds_left(self) -> float | None:
        """How long it may still take, from what was done so far; None while nothing is known."""
        if not self.done:
            return None
        return (time.time() - self.started) / self.done * (self.total - self.done)


class AnswerJobs:
    """The jobs of this process, by the key of their data set. Safe to use from many threads."""

    def __init__(self) -> None:
        self._jobs: dict[str, AnswerJob] = {}
        self._lock = threading.Lock()

    def start(self, saved: SavedDataset, respondents: Sequence[Respondent], settings: Settings) -> None:
        """Let respondents answer what they have not answered yet.

        Raises
        ------
        BusyError
            The data set is being answered already.
        """
        with self._lock:
            if (job := self._jobs.get(saved.key)) is not None and not job.over.is_set():
                raise BusyError(f"{saved.name} is being answered already; wait for it, or stop it.")
            job = self._jobs[saved.key] = AnswerJob(tuple(respondents))
        thread = threading.Thread(
            target=_work, args=(job, saved, settings), name=f"answers-{saved.key}", daemon=True
        )
        thread.start()

    def find(self, key: str) -> AnswerJob | None:
        """Return the latest job of a data set in this process."""
        with self._lock:
            return self._jobs.get(key)

    def stop(self, key: str) -> None:
        """Stop a job; what was answered stays in its journal."""
        if (job := self.find(key)) is not None:
            job.cancel.set()

    def forget(self, key: str) -> None:
        """Forget a job that is over."""
        with self._lock:
            if (job := self._jobs.get(key)) is not None and job.over.is_set():
                del self._jobs[key]


def journal_file(saved: SavedDataset, settings: Settings) -> Path:
    """Return the file in which the answers to a data set are kept as they land."""
    return settings.data_dir / "answers" / f"{saved.key}.jsonl"


def name_with_answers(name: str) -> str:
    """Return the name of a data set with further answers.

    Examples
    --------
    >>> name_with_answers("mine.xlsx"), name_with_answers("mine, answered.csv")
    ('mine, answered.csv', 'mine, answered.csv')
    """
    stem = Path(name).stem.removesuffix(", answered")
    return f"{stem}, answered.csv"


def _work(job: AnswerJob, saved: SavedDataset, settings: Settings) -> None:
    def listen(done: int, total: int) -> None:
        job.done, job.total = done, total

    # Any other error ends the thread with its trace in the log; the job is then over without a result.
    try:
        file = journal_file(saved, settings)
        file.parent.mkdir(parents=True, exist_ok=True)
        job.answered = answer_dataset(
            load(settings, saved.key), job.respondents, settings, file, cancel=job.cancel, listen=listen
        )
        if not job.cancel.is_set():
            name = name_with_answers(saved.name)
            facts = {**job.answered.dataset.about, **measured_seconds(job.answered.replies)}
            job.saved = save(settings, name, write_wide(job.answered.dataset), facts=facts)
    except CounselError as error:
        job.error = error
    finally:
        job.over.set()
