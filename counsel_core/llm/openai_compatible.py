"""Models behind the OpenAI chat API, hosted or on this machine, through the `openai` package."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from counsel_core.errors import MissingKeyError, StoppedError
from counsel_core.llm._answer import Answer
from counsel_core.llm._base import ChatModel, Provider
from counsel_core.llm._context import estimate_prompt, estimate_tokens, fit_context
from counsel_core.llm._dialect import Dialect, ResponseFormat
from counsel_core.llm.model_file import read_models
from counsel_core.llm.traffic import calls_at_once, traffic_to
from counsel_core.records import Completion, FinishReason, ModelRequest, ModelSpec
from counsel_core.settings import Settings

if TYPE_CHECKING:
    import openai

    from counsel_core.llm._failures import Failure

NO_KEY = "none"
"""Sent where no key is named: servers on this machine take any."""

SHORTEST_SECRET = 12
"""Characters; what is shorter is a filler for a server that takes any key, and may be a word of an answer."""

LONGEST_WAIT = 30.0
"""Seconds; a server that asks for more is not waited for."""

MOST_TOKENS = 1_000_000_000
"""More than any prompt has: a server that counts further does not count."""


@dataclass(frozen=True)
class Limits:
    """How long and how often a server is asked; the options of a model's entry, in seconds."""

    connect_seconds: float = 5.0
    stall_seconds: float = 60.0
    total_seconds: float = 300.0
    retries: int = 2


class _Clock:
    """The time a request takes; waiting for its turn to be sent does not count."""

    def __init__(self, total: float) -> None:
        self._started = time.monotonic()
        self._total = total

    def leave_out(self, seconds: float) -> None:
        self._started += seconds

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    @property
    def deadline(self) -> float:
        return self._started + self._total


class OpenAICompatibleModel:
    """One model at one base URL. What its server does not understand is found out once, and kept."""

    def __init__(self, spec: ModelSpec, key: str, *, local_only: bool) -> None:
        self._spec, self._key, self._local_only = spec, key, local_only
        named = {name: spec.options[name] for name in Limits.__dataclass_fields__ if name in spec.options}
        self._limits = Limits(**named)
        self._traffic = traffic_to(spec.base_url)
        self._lock = threading.Lock()
        self._client: openai.OpenAI | None = None

    @property
    def spec(self) -> ModelSpec:
        """Which model this is and where words sent to it go."""
        return self._spec

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        """Ask the server; transient faults are tried again, a bounded number of times.

        Raises
        ------
        RequestRefusedError
            The server refused (400, 401, 403, 404): asking again changes nothing.
        ContextOverflowError
            The prompt is longer than the model's context.
        ProviderUnavailableError
            It cannot be reached, is overloaded, stalled or broke off.
        LocalOnlyError
            Local-only mode is on and the host is not this machine.
        StoppedError
            `cancel` was set.
        """
        request = fit_context(request, self._spec)
        clock = _Clock(self._limits.total_seconds)
        known = dialect = _known_dialect(self._spec)
        failed = 0
        while True:
            with self._traffic.call(calls_at_once(self._spec), cancel) as queued:
                clock.leave_out(queued)
                outcome = self._ask(request, dialect, cancel, clock.deadline)
            if isinstance(outcome, Answer):
                break
            simpler = dialect.without(outcome.status, outcome.said, request)
            if simpler is not None:
                dialect = simpler
                continue
            failed += 1
            self._wait_or_raise(outcome, failed, clock.deadline, cancel)
        if dialect != known:
            _DIALECTS[_address(self._spec)] = dialect
        return self._completion(request, outcome, clock.seconds)

    def _wait_or_raise(self, failure: Failure, failed: int, deadline: float, cancel: threading.Event) -> None:
        """Wait before the same request is sent again: as the server asks, else 0.5 s, then twice that.

        A pause that a busy server asks for holds for every call to it. Waits differ by chance, so that
        calls which failed together do not come back together.
        """
        asked, spread = failure.wait, random.uniform(0.0, 0.25)  # noqa: S311 - guards nothing
        wait = 0.5 * 2 ** (failed - 1) * (1 + spread) if asked is None else asked + spread
        too_long = (asked or 0.0) > LONGEST_WAIT or time.monotonic() + wait > deadline
        if failure.transient and failure.status == 429 and asked is not None and not too_long:
            self._traffic.pause(asked)
        if not failure.transient or failed > self._limits.retries or too_long:
            raise failure.error
        if cancel.wait(wait):
            raise StoppedError("Stopped while waiting to ask again.")

    def _ask(
        self, request: ModelRequest, dialect: Dialect, cancel: threading.Event, deadline: float
    ) -> Answer | Failure:
        import httpx2
        import openai

        from counsel_core.llm import _wire
        from counsel_core.llm._failures import Failures

        failures = Failures(self._spec, self._key)
        body = dialect.body(self._spec.model, request, self._spec.options.get("extra_body", {}))
        answer = Answer()
        client = self._open_client()
        try:
            events = _wire.stream_chat(
                client, body, cancel, stall_seconds=self._limits.stall_seconds, deadline=deadline
            )
            return answer.read(events, failures)
        except (
            _wire.StalledError,
            _wire.TooLongError,
            _wire.WrongContentError,
            openai.OpenAIError,
            httpx2.HTTPError,
            httpx2.StreamError,
            ValueError,
            RecursionError,
        ) as error:
            failure = failures.name(error, begun=answer.begun)
            if failure is None:
                raise
            return failure

    def _completion(self, request: ModelRequest, answer: Answer, seconds: float) -> Completion:
        text, reasoning = answer.told_apart()
        if len(self._key) >= SHORTEST_SECRET:  # some servers repeat the headers of a request
            text, reasoning = (part.replace(self._key, "[key]") for part in (text, reasoning))
        finish: FinishReason = "length" if answer.finish in ("length", "max_tokens") else "stop"
        prompt, written = answer.usage.get("prompt_tokens"), answer.usage.get("completion_tokens")
        counted = _is_count(prompt) and _is_count(written)
        if not counted:
            prompt, written = estimate_prompt(request), estimate_tokens(text + reasoning)
        return Completion(
            text=text,
            seconds=seconds,
            finish=finish,
            prompt_tokens=prompt,
            completion_tokens=written,
            tokens_estimated=not counted,
            reasoning=reasoning,
        )

    def _open_client(self) -> openai.OpenAI:
        from counsel_core.llm._wire import open_client

        with self._lock:
            if self._client is None:
                self._client = open_client(
                    self._spec.base_url,
                    self._key,
                    local_only=self._local_only,
                    connect_seconds=self._limits.connect_seconds,
                )
            return self._client


_DIALECTS: dict[tuple[str, str, str], Dialect] = {}


def _address(spec: ModelSpec) -> tuple[str, str, str]:
    return spec.base_url, spec.model, _format(spec)


def _known_dialect(spec: ModelSpec) -> Dialect:
    """Return what is known of a server: what it taught, else what the model's entry says."""
    return _DIALECTS.get(_address(spec)) or Dialect(response_format=_format(spec))


def _format(spec: ModelSpec) -> ResponseFormat:
    given: ResponseFormat = spec.options.get("response_format", "schema")
    return given


def _is_count(value: Any) -> bool:
    """Whether a server's number of tokens can be one; some send null, texts or nonsense."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def _list(settings: Settings) -> tuple[ModelSpec, ...]:
    """Return the models of the user's file, with where words sent to them go."""
    return tuple(
        spec for spec in read_models(settings.models_file).models if spec.provider == "openai_compatible"
    )


def _open(spec: ModelSpec, settings: Settings) -> ChatModel:
    key = NO_KEY
    if spec.key_variable:
        key = settings.secrets.get(spec.key_variable, "").strip()
        if not key:
            raise MissingKeyError(
                f"{spec.label} needs a key: set the environment variable {spec.key_variable} "
                "(or the Streamlit secret of that name) and start the app again."
            )
        if not key.isascii() or not key.isprintable() or " " in key:
            raise MissingKeyError(f"{spec.key_variable} holds characters that no key has; set it anew.")
    return OpenAICompatibleModel(spec, key, local_only=settings.local_only)


OPENAI_COMPATIBLE = Provider(name="openai_compatible", models=_list, open=_open)
