"""Turns that are answered in the background, so that a page stays alive and can be reloaded meanwhile.

One `LiveTurns` serves a process. It is found by session, not by page, so that a reload, a second tab or
another page sees the same answer coming. The database stays the truth: what is here is forgotten once read.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from counsel_core.conversation import retry_turn, take_turn
from counsel_core.errors import BusyError, CounselError
from counsel_core.llm._base import ChatModel
from counsel_core.records import Turn
from counsel_core.safety.risk import REMEMBERED
from counsel_core.safety.screening import screen
from counsel_core.storage.database import Database
from counsel_core.storage.transcripts import fetch_client_lines

MOST_AT_ONCE = 32
MOST_UNREAD = 256


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """How far an answer is. `started` is when it began, in seconds since 1970; `error` why there is none."""

    steps: tuple[str, ...]
    started: float
    done: bool
    error: CounselError | None = None


@dataclass
class _LiveTurn:
    """One answer on its way."""

    started: float = field(default_factory=time.time)
    cancel: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)
    steps: list[str] = field(default_factory=list)
    error: CounselError | None = None

    def run(self, answer: Callable[[_LiveTurn], Turn]) -> None:
        # Any other error ends the thread with its trace in the log, and the turn counts as failed.
        try:
            answer(self)
        except CounselError as error:
            self.error = error
        finally:
            self.over.set()


class LiveTurns:
    """The answers that are being written in this process, by session. Safe to use from many threads."""

    def __init__(
        self, db: Database, *, most_at_once: int = MOST_AT_ONCE, resources_file: Path | None = None
    ) -> None:
        self._db, self._most_at_once, self._resources_file = db, most_at_once, resources_file
        self._live: dict[str, _LiveTurn] = {}
        self._lock = threading.Lock()

    def submit(
        self,
        session_id: str,
        model: ChatModel,
        text: str,
        *,
        expected_turn: int | None = None,
        author: Literal["person", "sample client"] = "person",
    ) -> None:
        """Begin to answer a client's line; see `conversation.take_turn`. Errors come by `status`.

        A line of imminent risk does not wait: it overtakes the answer being written.

        Raises
        ------
        BusyError
            This session is being answered here, or too many others are.
        StorageError
            The client's lines so far cannot be read.
        """

        def answer(live: _LiveTurn) -> Turn:
            return take_turn(
                self._db,
                model,
                session_id,
                text,
                expected_turn=expected_turn,
                author=author,
                progress=live.steps.append,
                cancel=live.cancel,
                resources_file=self._resources_file,
            )

        with self._db.reading() as connection:
            before = fetch_client_lines(connection, session_id, REMEMBERED)
        self._start(session_id, answer, urgent=screen(text, previous=before).level == "imminent")

    def retry(self, session_id: str, model: ChatModel) -> None:
        """Begin to answer the last line again; see `conversation.retry_turn` and `submit`."""

        def answer(live: _LiveTurn) -> Turn:
            return retry_turn(
                self._db,
                model,
                session_id,
                progress=live.steps.append,
                cancel=live.cancel,
                resources_file=self._resources_file,
            )

        self._start(session_id, answer)

    def status(self, session_id: str) -> LiveStatus | None:
        """Return how far a session's answer is; None if none is being written.

        The status of an answer that is done is given once, then forgotten.
        """
        with self._lock:
            live = self._live.get(session_id)
            if live is None:
                return None
            done = live.over.is_set()
            if done:
                del self._live[session_id]
        return LiveStatus(tuple(live.steps), live.started, done, live.error)

    def wait(self, session_id: str, seconds: float) -> LiveStatus | None:
        """Wait until a session's answer is done, at most so many seconds; then as `status`."""
        with self._lock:
            live = self._live.get(session_id)
        if live is not None:
            live.over.wait(seconds)
        return self.status(session_id)

    def stop(self, session_id: str) -> bool:
        """Stop a session's answer; False if none is being written here."""
        with self._lock:
            live = self._live.get(session_id)
        if live is None or live.over.is_set():
            return False
        live.cancel.set()
        return True

    def _start(self, session_id: str, answer: Callable[[_LiveTurn], Turn], *, urgent: bool = False) -> None:
        live = _LiveTurn()
        with self._lock:
            self._make_room(session_id, urgent)
            self._live[session_id] = live
        # A daemon thread does not hold up the end of the process: what it leaves can be retried.
        name = f"turn-{session_id}"
        threading.Thread(target=live.run, args=(answer,), name=name, daemon=True).start()

    def _make_room(self, session_id: str, urgent: bool) -> None:
        """Refuse a second answer to one session and too many in all; danger overtakes either."""
        writing = [key for key, live in self._live.items() if not live.over.is_set()]
        if session_id in writing and not urgent:
            raise BusyError("This session is being answered right now. Wait for it, or stop it.")
        if len(writing) >= self._most_at_once and not urgent:
            raise BusyError(
                f"{len(writing)} answers are being written here already. Send your line again in a moment."
            )
        earlier = self._live.pop(session_id, None)
        if earlier is not None:
            earlier.cancel.set()
        unread = [key for key in self._live if key not in writing]
        for key in unread[: max(0, len(unread) - MOST_UNREAD + 1)]:
            del self._live[key]
