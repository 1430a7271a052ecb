"""The engines behind GGUF files: one a file in this process, loaded when asked, let go when idle."""

from __future__ import annotations

import atexit
import os
import secrets
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counsel_core.errors import StoppedError

IDLE_SECONDS = 600.0
"""After so long without a request an engine is let go, and its memory with it."""

PATIENCE_AT_EXIT = 5.0
"""Seconds that the end of the program waits for an answer that is being written to stop."""

_POLL_SECONDS = 0.05

_READ_AT_ONCE = 64
"""Tokens of a prompt between two looks at whether anybody still waits: some two seconds on one slow core."""

_KEPT_PROMPTS_MIB = 512
"""At most so much memory holds prompts that were read: a second turn of CoCoA took 27 s instead of 107."""


@dataclass
class Stream:
    """An answer as it comes from the engine; thinking that the engine tells apart is apart."""

    closing: threading.Event
    left: threading.Event = field(default_factory=threading.Event)
    pieces: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    finish: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None

    def take(self, event: Mapping[str, Any]) -> bool:
        """Take one event; True tells the engine to stop."""
        if isinstance(event.get("error"), Mapping):
            self.error = event["error"]
            return True
        if isinstance(event.get("usage"), Mapping):
            self.usage = event["usage"]
        for choice in event.get("choices", ())[:1]:
            delta = choice.get("delta", {})
            self.pieces.append(delta.get("content") or "")
            self.reasoning.append(delta.get("reasoning_content") or "")
            self.finish = choice.get("finish_reason") or self.finish
        return self.is_stopped

    @property
    def is_stopped(self) -> bool:
        """Whether nobody waits for the rest."""
        return self.left.is_set() or self.closing.is_set()


class Engine:
    """One file's engine. It has one slot: requests wait for each other, and a waiting one can be stopped."""

    def __init__(self, file: Path, context: int) -> None:
        self._file, self._context = file, context
        self._slot = threading.Lock()
        self._server: Any = None
        self._closing = threading.Event()
        self._idle: threading.Timer | None = None

    @property
    def is_loaded(self) -> bool:
        """Whether the file is in memory."""
        return self._server is not None

    def ask(self, body: dict[str, Any], cancel: threading.Event, seconds: float = float("inf")) -> Stream:
        """Answer one request; it is left as soon as `cancel` is set, though the engine may take a moment.

        Raises
        ------
        StoppedError
            `cancel` was set, or the program ends.
        TimeoutError
            It took more than `seconds`, waiting and loading included.
        RuntimeError, ValueError, OSError
            From the engine: the file cannot be loaded, or the request is none.
        """
        end = time.monotonic() + seconds
        while not self._slot.acquire(timeout=_POLL_SECONDS):
            _check_wanted(cancel, end, "Stopped while another session was being answered.")
        if self._idle is not None:
            self._idle.cancel()
        stream = Stream(self._closing)
        failed: list[Exception] = []

        def work() -> None:
            try:
                self._answer(body, stream)
            except (RuntimeError, ValueError, OSError) as error:
                failed.append(error)
            finally:
                self._slot.release()
                self._wait_for_idleness()

        # A thread of its own: while it loads, the engine looks at no flag, and is left alone with it.
        worker = threading.Thread(target=work, name="gguf", daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(_POLL_SECONDS)
                _check_wanted(cancel, end, "Stopped before the answer was whole.")
        finally:
            stream.left.set()
        if failed:
            raise failed[0]
        if stream.finish is None and self._closing.is_set():
            raise StoppedError("The program ended before the answer was whole.")
        return stream

    def _answer(self, body: dict[str, Any], stream: Stream) -> None:
        if stream.is_stopped:
            return
        if self._server is None:
            self._server = _load(self._file, self._context)
        if stream.is_stopped:
            return
        # Progress is told after each batch of the prompt, and then it can be stopped.
        returned = self._server.handle_chat_completions({**body, "return_progress": True}, stream.take)
        if isinstance(returned, Mapping):  # what is refused before it begins is returned, not streamed
            stream.take(returned)

    def release(self, patience: float = 0.0) -> bool:
        """Give the memory back unless an answer is being written; return whether nothing is held now."""
        if not self._slot.acquire(timeout=patience):
            return False
        self._server = None  # the package ends its threads and frees its memory with the object
        self._slot.release()
        return True

    def close(self, patience: float) -> bool:
        """Stop what is being written and give the memory back."""
        self._closing.set()
        if self._idle is not None:
            self._idle.cancel()
        return self.release(patience)

    def _wait_for_idleness(self) -> None:
        self._idle = threading.Timer(IDLE_SECONDS, self.release)
        self._idle.daemon = True
        self._idle.start()


def _check_wanted(cancel: threading.Event, end: float, stopped: str) -> None:
    if cancel.is_set():
        raise StoppedError(stopped)
    if time.monotonic() > end:
        raise TimeoutError


def _load(file: Path, context: int) -> Any:
    """Load a file; its own loopback listener is locked with a key that nobody is told."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(file)
    params.n_ctx, params.n_parallel, params.verbosity = context, 1, -1
    params.n_batch = params.n_ubatch = _READ_AT_ONCE
    # One core stays free: with all of them busy, generation stalls when anything else runs.
    threads = max(1, (os.cpu_count() or 2) - 1)
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    # The package cannot leave its HTTP listener out; what it offers needs a key, and is cut down.
    params.api_keys = [secrets.token_hex(32)]
    params.ui = params.endpoint_slots = params.endpoint_props = False
    params.n_threads_http = 1
    # Agents ask with several prompts in turn; read ones are kept, so that a turn reads only what is new.
    params.cache_ram_mib = _KEPT_PROMPTS_MIB
    return xllamacpp.Server(params)


_engines: dict[tuple[Path, int], Engine] = {}
_lock = threading.Lock()


def engine_of(file: Path, context: int) -> Engine:
    """Return the engine of a file in this process; it loads when it is first asked.

    One of the same file with another context is let go, unless it is at work.
    """
    with _lock:
        for (other, length), engine in _engines.items():
            if other == file and length != context:
                engine.release()
        return _engines.setdefault((file, context), Engine(file, context))


def release_all() -> tuple[Path, ...]:
    """Give back the memory of every engine that is not at work; return the files that are still loaded."""
    with _lock:
        for engine in _engines.values():
            engine.release()
    return loaded()


def loaded() -> tuple[Path, ...]:
    """Return the files that hold memory now."""
    with _lock:
        return tuple(file for (file, _), engine in _engines.items() if engine.is_loaded)


def _close_all() -> None:
    for engine in _engines.values():
        engine.close(PATIENCE_AT_EXIT)


# The package's own threads have to end before the interpreter does.
atexit.register(_close_all)
