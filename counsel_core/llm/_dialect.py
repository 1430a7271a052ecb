"""What a server understands of the OpenAI chat API, found out by asking: a refusal takes one thing away."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from counsel_core.records import Message, ModelRequest

ResponseFormat = Literal["schema", "json", "none"]

_SIMPLER: dict[ResponseFormat, ResponseFormat] = {"schema": "json", "json": "none"}
_REFUSING = {400, 404, 415, 422, 500, 501}
_NO_LIMIT = re.compile(r"max_completion_tokens")
_NO_TEMPERATURE = re.compile(r"temperature")
_NO_USAGE = re.compile(r"stream_options|include_usage")
_NO_FORMAT = re.compile(r"response[_ ]?format|json[_ ]?(?:schema|object|mode)|grammar|structured|schema")
_NO_ROLES = re.compile(r"system (?:role|message|prompt)|role.{0,20}system|roles must alternate")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to ask a server: what is sent, and how it is named."""

    response_format: ResponseFormat = "schema"
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    usage: bool = True
    roles: bool = True

    def without(self, status: int | None, said: str, request: ModelRequest) -> Dialect | None:
        """Return the dialect that avoids what a server refused; None if nothing more can be avoided.

        `said` is the server's error: parameter, code and message.
        """
        said = said.lower()
        if status not in _REFUSING:
            return None
        if self.limit == "max_tokens" and _NO_LIMIT.search(said):
            return replace(self, limit="max_completion_tokens")
        if self.temperature and request.temperature is not None and _NO_TEMPERATURE.search(said):
            return replace(self, temperature=False)
        if self.usage and _NO_USAGE.search(said):
            return replace(self, usage=False)
        if self.roles and _NO_ROLES.search(said):
            return replace(self, roles=False)
        if request.schema is not None and self.response_format != "none" and _NO_FORMAT.search(said):
            return replace(self, response_format=_SIMPLER[self.response_format])
        return None

    def body(self, model: str, request: ModelRequest, extra: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON body of a request."""
        body: dict[str, Any] = {
            "model": model,
            "messages": _with_roles(request.messages) if self.roles else _without_roles(request.messages),
            self.limit: request.max_tokens,
            "stream": True,
        }
        if self.usage:
            body["stream_options"] = {"include_usage": True}
        if self.temperature and request.temperature is not None:
            body["temperature"] = request.temperature
        if request.schema is not None and self.response_format == "schema":
            name = re.sub(r"[^A-Za-z0-9_-]", "_", request.task.name)[:64] or "answer"
            wanted = {"name": name, "schema": request.schema, "strict": _is_strict(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif request.schema is not None and self.response_format == "json":
            body["response_format"] = {"type": "json_object"}
        return {**body, **extra}


def _with_roles(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _without_roles(messages: Sequence[Message]) -> list[dict[str, str]]:
    """Join system messages to the user's next one, and neighbours of one role to each other."""
    joined: list[dict[str, str]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if joined and joined[-1]["role"] == role:
            joined[-1]["content"] += f"\n\n{message.content}"
        else:
            joined.append({"role": role, "content": message.content})
    return joined


def _is_strict(schema: Any) -> bool:
    """Whether a schema keeps the rules of strict mode: every object closed, every key required."""
    if isinstance(schema, Mapping):
        if "properties" in schema:
            closed = schema.get("additionalProperties") is False
            if not closed or set(schema.get("required", ())) != set(schema["properties"]):
                return False
        return all(_is_strict(value) for value in schema.values())
    return not isinstance(schema, list | tuple) or all(_is_strict(value) for value in schema)
