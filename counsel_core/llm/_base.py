"""What a model and a model provider are, and the record that is kept of every call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from counsel_core.errors import CounselError, ReplyFormatError, StoppedError
from counsel_core.records import Completion, ModelCall, ModelRequest, ModelSpec
from counsel_core.settings import Settings

T = TypeVar("T")


class ChatModel(Protocol):
    """A model that answers. Instances are safe to use from several threads at once."""

    @property
    def spec(self) -> ModelSpec:
        """Which model this is and where words sent to it go."""
        ...

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        """Answer one request.

        Raises
        ------
        ProviderError
            One of its kinds, named after what went wrong.
        StoppedError
            `cancel` was set before the answer was whole.
        """
        ...


@dataclass(frozen=True)
class Provider:
    """A way to reach models: which ones there are, and how to open one."""

    name: str
    models: Callable[[Settings], tuple[ModelSpec, ...]]
    open: Callable[[ModelSpec, Settings], ChatModel]


@dataclass(frozen=True)
class Caller:
    """A model at work in one turn: records every call it makes, and can be stopped."""

    model: ChatModel
    record: Callable[[ModelCall], None] = lambda call: None
    cancel: threading.Event = field(default_factory=threading.Event)

    def complete(self, request: ModelRequest) -> Completion:
        """Ask once; the call is recorded, with its error if it failed."""
        return self.attempt(request, lambda completion: (completion, ()))

    def attempt(self, request: ModelRequest, read: Callable[[Completion], tuple[T, tuple[str, ...]]]) -> T:
        """Ask once and read the answer: `read` returns the value and the repairs it took.

        Raises
        ------
        ReplyFormatError
            From `read`: the answer is not what was asked for.
        ProviderError, StoppedError
            From the model.
        """
        started = time.perf_counter()
        if self.cancel.is_set():
            raise StoppedError("Stopped before the model was asked.")
        try:
            completion = self.model.complete(request, self.cancel)
        except CounselError as error:
            self.record(_call(self.model, request, time.perf_counter() - started, error=str(error)))
            raise
        try:
            value, repairs = read(completion)
        except ReplyFormatError as error:
            self.record(_call(self.model, request, completion.seconds, completion, error=str(error)))
            raise
        self.record(_call(self.model, request, completion.seconds, completion, repairs))
        return value


def _call(
    model: ChatModel,
    request: ModelRequest,
    seconds: float,
    completion: Completion | None = None,
    repairs: tuple[str, ...] = (),
    error: str | None = None,
) -> ModelCall:
    return ModelCall(
        task=request.task.name,
        model=model.spec.label,
        messages=request.messages,
        text=completion.text if completion else "",
        seconds=seconds,
        repairs=repairs,
        error=error,
        prompt_tokens=completion.prompt_tokens if completion else None,
        completion_tokens=completion.completion_tokens if completion else None,
        tokens_estimated=completion.tokens_estimated if completion else False,
    )
