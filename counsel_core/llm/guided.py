"""The guided provider: answers by the agents' own rules, without a language model, key or network."""

from __future__ import annotations

import threading
import time

from counsel_core.errors import StoppedError, UnsupportedTaskError
from counsel_core.llm._base import ChatModel, Provider
from counsel_core.records import Completion, ModelRequest, ModelSpec
from counsel_core.settings import Settings

SPEC = ModelSpec(
    name="guided", provider="guided", label="Guided (rules, no language model)", location="rules"
)


class GuidedModel:
    """Gives the typed inputs of a request to the rules of its task; it has no tokens to count."""

    @property
    def spec(self) -> ModelSpec:
        """The one guided model."""
        return SPEC

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        """Answer by rules.

        Raises
        ------
        UnsupportedTaskError
            The task has no rules, or the conversation is in Chinese: a language model is needed.
        StoppedError
            `cancel` was set before.
        """
        if cancel.is_set():
            raise StoppedError("Stopped before the rules were asked.")
        if request.task.rules is None:
            raise UnsupportedTaskError(
                f"{SPEC.label} has no rules for the task {request.task.name!r}: a language model is needed. "
                "Choose one on the Models page."
            )
        if request.language != "en":
            raise UnsupportedTaskError(
                f"{SPEC.label} speaks English only: for Chinese a language model is needed. "
                "Choose one on the Models page."
            )
        started = time.perf_counter()
        text = request.task.rules(request.inputs)
        return Completion(text=text, seconds=time.perf_counter() - started)


def _open(spec: ModelSpec, settings: Settings) -> ChatModel:
    del spec, settings
    return GuidedModel()


GUIDED = Provider(name="guided", models=lambda settings: (SPEC,), open=_open)
