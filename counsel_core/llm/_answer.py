"""An answer as it comes from a server: its text, and apart from it what the model wrote as thinking."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from counsel_core.llm._failures import Failure, Failures

MAX_ANSWER = 1_000_000
"""Characters of one answer, its thinking included."""

_THINKING = ("reasoning_content", "reasoning")
"""What servers call it: DeepSeek, DashScope and llama.cpp the first, OpenRouter and Ollama the second."""

_OPENED = re.compile(r"\s*<think>(.*?)(?:</think>|\Z)", re.DOTALL)
_ONLY_CLOSED = re.compile(r"(.*?)^</think>[ \t]*$", re.DOTALL | re.MULTILINE)


@dataclass
class Answer:
    """The pieces of an answer, its end, and the tokens that the server counted."""

    pieces: list[str] = field(default_factory=list)
    thinking: list[str] = field(default_factory=list)
    length: int = 0
    begun: bool = False
    chosen: bool = False
    finish: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)

    def read(self, events: Iterator[Any], failures: Failures) -> Answer | Failure:
        """Take every event; return what went wrong, or the whole answer."""
        for event in events:
            if not isinstance(event, Mapping):
                return failures.no_json()
            if event.get("error"):
                return failures.in_stream(event["error"])
            self._add(event)
            if self.length > MAX_ANSWER:
                return failures.too_long()
        if self.finish == "content_filter":
            return failures.blocked()
        if not self.chosen:
            return failures.no_choices()
        return self if self.finish else failures.broke_off()

    def _add(self, event: Mapping[str, Any]) -> None:
        if isinstance(event.get("usage"), Mapping):
            self.usage = event["usage"]
        choices = event.get("choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(first, Mapping) or first.get("index", 0) != 0 or self.finish:
            return
        self.begun = self.chosen = True
        said = first.get("delta") or first.get("message")
        if isinstance(said, Mapping):
            self._take(self.pieces, said.get("content") or said.get("refusal"))
            self._take(self.thinking, next((said[name] for name in _THINKING if said.get(name)), None))
        if first.get("finish_reason"):
            self.finish = str(first["finish_reason"])

    def _take(self, pieces: list[str], piece: Any) -> None:
        if isinstance(piece, str):
            pieces.append(piece)
            self.length += len(piece)

    def told_apart(self) -> tuple[str, str]:
        """Return the text and the thinking, whichever way the server sent them."""
        text, thought = split_thinking("".join(self.pieces))
        return text, "\n".join(part for part in ("".join(self.thinking), thought) if part)


def split_thinking(content: str) -> tuple[str, str]:
    r"""Return the text of an answer and the thinking between marks at its start.

    Thinking that was never closed is all there is: the answer was cut before its text began. Some
    servers keep the first mark, for it belongs to the prompt; then the last one stands on its own line.

    Examples
    --------
    >>> split_thinking("<think>A greeting.</think>\n\nHello."), split_thinking("<think>A gree")
    (('Hello.', 'A greeting.'), ('', 'A gree'))
    >>> split_thinking("A greeting.\n</think>\n\nHello."), split_thinking("Hi </think>.")
    (('Hello.', 'A greeting.'), ('Hi </think>.', ''))
    """
    found = _OPENED.match(content) or _ONLY_CLOSED.match(content)
    return (content[found.end() :].lstrip(), found[1].strip()) if found else (content, "")
