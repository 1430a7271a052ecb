"""A hosted model behind a screen: what tells who somebody is stays here, and is back in its answer."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from counsel_core.llm._base import ChatModel, Remembering
from counsel_core.privacy.redaction import Redaction, build_redaction
from counsel_core.records import Completion, ModelRequest, ModelSpec


@dataclass(frozen=True)
class RedactingModel:
    """A model that gets every message with placeholders for identifiers.

    `words` are names that the user gave. Each request is redacted by itself, history and memories
    included: the same original has the same placeholder throughout it.
    """

    model: ChatModel
    words: tuple[str, ...] = ()

    @property
    def spec(self) -> ModelSpec:
        """The model behind."""
        return self.model.spec

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        """Ask with placeholders and put the originals back; raises what the model behind raises."""
        redaction = self._redaction(request)
        done = self.model.complete(_redacted(request, redaction), cancel)
        in_json = request.schema is not None
        return replace(
            done,
            text=redaction.restore(done.text, in_json=in_json),
            reasoning=redaction.restore(done.reasoning),
        )

    def forget(self, request: ModelRequest) -> None:
        """Let the model behind forget its answer, where it remembers any."""
        if isinstance(self.model, Remembering):
            self.model.forget(self.as_sent(request))

    def as_sent(self, request: ModelRequest) -> ModelRequest:
        """Return a request as it leaves this machine."""
        return _redacted(request, self._redaction(request))

    def _redaction(self, request: ModelRequest) -> Redaction:
        return build_redaction((part for message in request.messages for part in message.parts), self.words)


def _redacted(request: ModelRequest, redaction: Redaction) -> ModelRequest:
    if not redaction.originals:
        return request
    messages = tuple(
        replace(message, parts=tuple(redaction.redact(part) for part in message.parts))
        for message in request.messages
    )
    return replace(request, messages=messages)
