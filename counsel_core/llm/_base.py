"""What a model and a model provider are, and the record that is kept of every call."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol, TypeVar, runtime_checkable

from counsel_core.errors import AgentReplyError, CounselError, ReplyFormatError, StoppedError
from counsel_core.records import Completion, ModelCall, ModelRequest, ModelSpec
from counsel_core.settings import Settings

T = TypeVar("T")

A_TRY = 1_000
"""What a further try adds to `ModelRequest.repeat`: above it are rounds, below a judge's repeats."""

A_ROUND = 1_000_000
"""What a further round adds to it."""


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


@runtime_checkable
class Remembering(Protocol):
    """A model that gives equal requests the answer of before, and can be told which was of no use."""

    def forget(self, request: ModelRequest) -> None:
        """Forget the answer to a request."""
        ...


@runtime_checkable
class Redacting(Protocol):
    """A model that sends less than it is given; what is recorded of a call is what was sent."""

    def as_sent(self, request: ModelRequest) -> ModelRequest:
        """Return a request as it leaves this machine."""
        ...


@dataclass(frozen=True)
class Provider:
    """A way to reach models: which ones there are, and how to open one."""

    name: str
    models: Callable[[Settings], tuple[ModelSpec, ...]]
    open: Callable[[ModelSpec, Settings], ChatModel]


@dataclass(frozen=True)
class Caller:
    """A model at work in one turn: records every call it makes, and can be stopped.

    `round` counts how often the whole work was begun anew: what was asked before is asked again then,
    and a model that remembers does not give the answer of before.
    """

    model: ChatModel
    record: Callable[[ModelCall], None] = lambda call: None
    cancel: threading.Event = field(default_factory=threading.Event)
    round: int = 0

    def complete(self, request: ModelRequest) -> Completion:
        """Ask once; the call is recorded, with its error if it failed.

        Raises
        ------
        AgentReplyError
            The answer was cut before its text began.
        ProviderError, StoppedError
            From the model.
        """

        def read(completion: Completion) -> tuple[Completion, tuple[str, ...]]:
            check_begun(completion)
            return completion, ()

        try:
            return self.attempt(request, read)
        except ReplyFormatError as error:
            raise AgentReplyError(f"{self.model.spec.label} gave no answer. {error}") from error

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
        request = self._of_this_round(request)
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

    def forget(self, request: ModelRequest) -> None:
        """Let a model that remembers forget its answer to a request, for it was of no use."""
        if isinstance(self.model, Remembering):
            self.model.forget(self._of_this_round(request))

    def _of_this_round(self, request: ModelRequest) -> ModelRequest:
        return replace(request, repeat=request.repeat + self.round * A_ROUND) if self.round else request


def check_begun(completion: Completion) -> None:
    """Refuse an answer that was cut while the model was still thinking."""
    if completion.finish == "length" and completion.reasoning and not completion.text.strip():
        raise ReplyFormatError(
            "The answer was cut off at the limit of its length while the model was still thinking; none of "
            "its text had come.",
            "回答达到长度上限时，模型还在思考，正文还没有开始。",
        )


def _call(
    model: ChatModel,
    request: ModelRequest,
    seconds: float,
    completion: Completion | None = None,
    repairs: tuple[str, ...] = (),
    error: str | None = None,
) -> ModelCall:
    if isinstance(model, Redacting):
        request = model.as_sent(request)
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
        reasoning=completion.reasoning if completion else "",
        cached=completion.cached if completion else False,
    )
