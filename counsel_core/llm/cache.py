"""Answers of models that are kept, so that a run which is done again asks, and pays, for nothing twice.

Runs use it, chats do not. An entry holds what a model wrote, and a model may repeat what it was told: the
file may hold a user's words, though no prompt is in it, only its hash. `clear_cache` takes them from the
disk; removing a data set or a run does not.

What is kept are whole answers with a text. An answer that was cut is none: it is of little use, and a server
may cut for reasons that pass. Answers by rules cost nothing and are never kept.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from counsel_core.errors import StoppedError
from counsel_core.llm._base import ChatModel
from counsel_core.llm._cache_file import CacheFile, clear_file
from counsel_core.llm.redacting import RedactingModel
from counsel_core.records import Completion, ModelRequest, ModelSpec
from counsel_core.settings import Settings

LIMIT = 200_000_000
"""Bytes of the file; beyond it the answers that were not used for longest go."""

_KEY = 1
"""The number of the way in which keys are made; another way finds nothing of before."""

_CHANGING = ("extra_body", "response_format")
"""The options of a model that change what it answers."""

_POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class ModelShare:
    """What is kept of one model, and how often it was used instead of a call."""

    model: str
    entries: int
    bytes: int
    hits: int


@dataclass(frozen=True, slots=True)
class CacheStatistics:
    """What a cache holds. `bytes` is the size of its file, `oldest` when its oldest entry was made."""

    entries: int
    bytes: int
    oldest: datetime | None
    models: tuple[ModelShare, ...]


class CompletionCache:
    """The cache in one file. Safe to use from several threads, and from several processes at once."""

    def __init__(self, file: Path, limit: int = LIMIT) -> None:
        """Open the file, or make it.

        Raises
        ------
        StorageError
            It cannot be used; the message says why, and what to do.
        """
        self._file = CacheFile(file, limit)
        self._place = str(file.resolve())

    def find(self, key: bytes) -> Completion | None:
        """Return the answer of that key: marked as cached, no second long, with its tokens of then."""
        row = self._file.take(key)
        if row is None:
            return None
        text, reasoning, prompt, written, estimated = row
        return Completion(
            text=text,
            seconds=0.0,
            prompt_tokens=prompt,
            completion_tokens=written,
            tokens_estimated=bool(estimated),
            reasoning=reasoning,
            cached=True,
        )

    def keep(self, key: bytes, model: str, answer: Completion) -> None:
        """Keep an answer, unless it was cut or is empty; what is too much then goes."""
        if answer.finish != "stop" or not answer.text.strip():
            return
        counts = (answer.prompt_tokens, answer.completion_tokens, answer.tokens_estimated)
        self._file.put(key, model, (answer.text, answer.reasoning, *counts))

    def forget(self, key: bytes) -> None:
        """Forget an answer that was of no use."""
        self._file.drop(key)

    def statistics(self) -> CacheStatistics:
        """Return what is kept, the models with the most first."""
        entries, oldest = self._file.totals()
        return CacheStatistics(
            entries=entries,
            bytes=self._file.size(),
            oldest=None if oldest is None else datetime.fromtimestamp(oldest, UTC),
            models=tuple(ModelShare(*row) for row in self._file.by_model()),
        )

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> CompletionCache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def asking(self, key: bytes, cancel: threading.Event) -> Iterator[bool]:
        """Let one thread at a time ask for a key; say to the others that they waited for its answer.

        Raises
        ------
        StoppedError
            `cancel` was set while it waited.
        """
        mine, place = threading.Event(), (self._place, key)
        waited = False
        while (other := _begin(place, mine)) is not mine:
            waited = True
            while not other.wait(_POLL_SECONDS):
                if cancel.is_set():
                    raise StoppedError("Stopped while another call asked for the same answer.")
        try:
            yield waited
        finally:
            with _LOCK:
                del _ASKED[place]
            mine.set()


_ASKED: dict[tuple[str, bytes], threading.Event] = {}
"""What is being asked for now in this process, by file and key."""

_LOCK = threading.Lock()


def _begin(place: tuple[str, bytes], mine: threading.Event) -> threading.Event:
    with _LOCK:
        return _ASKED.setdefault(place, mine)


@dataclass(frozen=True)
class CachedModel:
    """A model whose answers are kept: an equal request is answered without asking it."""

    model: ChatModel
    cache: CompletionCache

    @property
    def spec(self) -> ModelSpec:
        """The model's own."""
        return self.model.spec

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        """Answer from the cache, else ask; raises what the model raises, and StorageError."""
        key = key_of(self.spec, request)
        if (known := self.cache.find(key)) is not None:
            return known
        with self.cache.asking(key, cancel) as waited:
            if waited and (known := self.cache.find(key)) is not None:
                return known
            answer = self.model.complete(request, cancel)
            self.cache.keep(key, self.spec.label, answer)
            return answer

    def forget(self, request: ModelRequest) -> None:
        """Forget the answer to a request, for it was of no use."""
        self.cache.forget(key_of(self.spec, request))


def cached(model: ChatModel, cache: CompletionCache) -> ChatModel:
    """Return a model whose answers are kept in a cache; rules are returned as they are.

    Of a model behind a screen what was sent is kept, with what came: placeholders, no identifiers.
    """
    if isinstance(model, RedactingModel):
        return replace(model, model=cached(model.model, cache))
    return model if model.spec.location == "rules" else CachedModel(model, cache)


def key_of(spec: ModelSpec, request: ModelRequest) -> bytes:
    """Return what tells a request to a model from all others: everything its answer depends on."""
    value = {
        "key": _KEY,
        "model": [spec.provider, spec.base_url, spec.model, _edition(spec)],
        "options": {name: spec.options[name] for name in _CHANGING if name in spec.options},
        "task": request.task.name,
        "messages": [[message.role, message.content] for message in request.messages],
        "schema": request.schema,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "repeat": request.repeat,
    }
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).digest()


def _edition(spec: ModelSpec) -> list[int]:
    """Return what tells a model's file from another that had its name before."""
    if spec.location != "process":
        return []
    with suppress(OSError):  # the model says itself that its file is gone
        at = Path(spec.model).stat()
        return [at.st_size, at.st_mtime_ns]
    return []


def cache_file(settings: Settings) -> Path:
    """Return where the answers of this installation's runs are kept."""
    return settings.data_dir / "cache" / "completions.sqlite3"


def cache_statistics(settings: Settings) -> CacheStatistics:
    """Return what is kept of this installation's runs; StorageError if the file cannot be read."""
    if not cache_file(settings).exists():
        return CacheStatistics(0, 0, None, ())
    with CompletionCache(cache_file(settings)) as cache:
        return cache.statistics()


def clear_cache(settings: Settings) -> None:
    """Forget every answer that is kept of runs; the words are gone from the disk afterwards.

    Raises
    ------
    StorageError
        Another program is reading the file, so that it cannot be emptied yet, or it cannot be written.
    """
    if cache_file(settings).exists():
        clear_file(cache_file(settings))


@contextmanager
def keeping_answers(settings: Settings, *, use: bool) -> Iterator[Callable[[ChatModel], ChatModel]]:
    """Give the function that makes a model keep its answers; without `use` it changes nothing.

    Raises
    ------
    StorageError
        The cache's file cannot be used.
    """
    if not use:
        yield lambda model: model
        return
    with CompletionCache(cache_file(settings)) as cache:
        yield lambda model: cached(model, cache)
