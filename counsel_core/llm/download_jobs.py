"""Downloads in the background, one a file: a reload, a second tab or another page sees the same one."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

from counsel_core.errors import BusyError, CounselError
from counsel_core.llm.downloads import HUB, Offer, download
from counsel_core.settings import Settings


@dataclass
class DownloadJob:
    """One download: how far it is and, when it is over, where the file is or what went wrong."""

    offer: Offer
    received: int = 0
    file: Path | None = None
    error: CounselError | None = None
    cancel: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)


class DownloadJobs:
    """The downloads of this process by their file's name. Safe to use from many threads."""

    def __init__(self, hub: str = HUB) -> None:
        self._hub = hub
        self._jobs: dict[str, DownloadJob] = {}
        self._lock = threading.Lock()

    @property
    def hub(self) -> str:
        """The hub that is asked."""
        return self._hub

    def start(self, offer: Offer, settings: Settings) -> DownloadJob:
        """Begin a download that was described and agreed to.

        Raises
        ------
        BusyError
            The file is being fetched already.
        """
        with self._lock:
            job = self._jobs.get(offer.model.file)
            if job is not None and not job.over.is_set():
                raise BusyError(f"{offer.model.file} is being fetched already; wait for it, or stop it.")
            job = self._jobs[offer.model.file] = DownloadJob(offer)
        threading.Thread(target=self._work, args=(job, settings), name="download", daemon=True).start()
        return job

    def find(self, file: str) -> DownloadJob | None:
        """Return the latest download of a file in this process."""
        with self._lock:
            return self._jobs.get(file)

    def forget(self, file: str) -> None:
        """Forget a download that is over."""
        with self._lock:
            if (job := self._jobs.get(file)) is not None and job.over.is_set():
                del self._jobs[file]

    def _work(self, job: DownloadJob, settings: Settings) -> None:
        def listen(received: int) -> None:
            job.received = received

        try:
            job.file = download(job.offer, settings, cancel=job.cancel, listen=listen, hub=self._hub)
        except CounselError as error:
            job.error = error
        finally:
            job.over.set()
