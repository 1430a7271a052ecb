"""Runs of probes in the background of a process, one a folder, so that a page stays usable."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from counsel_core.errors import BusyError, CounselError
from counsel_core.safety_evaluation.running import ProbePlan, run_probes
from counsel_core.settings import Settings


@dataclass
class ProbeJob:
    """One run: how far it is, and what went wrong."""

    done: int = 0
    total: int = 0
    error: CounselError | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


class ProbeJobs:
    """The runs of this process, by their folder. Safe to use from many threads."""

    def __init__(self) -> None:
        self._jobs: dict[Path, ProbeJob] = {}
        self._lock = threading.Lock()

    def start(self, plan: ProbePlan, folder: Path, settings: Settings) -> ProbeJob:
        """Begin a run, or go on with it; BusyError while it is at work."""
        with self._lock:
            job = self._jobs.get(folder)
            if job is not None and not job.over.is_set():
                raise BusyError("These dialogues are being played already; wait for them, or stop them.")
            job = self._jobs[folder] = ProbeJob()
        arguments = (job, plan, folder, settings)
        threading.Thread(target=_work, args=arguments, name="probes", daemon=True).start()
        return job

    def find(self, folder: Path) -> ProbeJob | None:
        """Return the latest run in a folder, of this process."""
        with self._lock:
            return self._jobs.get(folder)


def _work(job: ProbeJob, plan: ProbePlan, folder: Path, settings: Settings) -> None:
    def listen(done: int, total: int) -> None:
        job.done, job.total = done, total

    # Any other error ends the thread with its trace in the log; the run is then over.
    try:
        run_probes(plan, folder, settings, cancel=job.cancel, listen=listen)
    except CounselError as error:
        job.error = error
    finally:
        job.over.set()
