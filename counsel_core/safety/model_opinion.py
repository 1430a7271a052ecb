"""The second opinion of a language model on a client's line. Like every other, it can only raise."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from counsel_core.llm._base import Caller
from counsel_core.llm.fencing import fence_for
from counsel_core.llm.structured import ask, read_object
from counsel_core.records import RISK_LEVELS, Completion, Json, Language, Message, ModelRequest, Task
from counsel_core.safety.screening import Opinion

TASK = "second_opinion"
EARLIER = 4
"""How many of the client's earlier lines the model sees."""

LONGEST_PHRASE = 300
TRIES = 2
SCHEMA = {
    "type": "object",
    "properties": {"level": {"enum": list(RISK_LEVELS)}, "phrase": {"type": "string"}},
    "required": ["level", "phrase"],
}
_LABELS = {"en": ("Earlier messages", "Last message"), "zh": ("之前的消息", "最后一条消息")}


def ask_opinion(caller: Caller, text: str, previous: Sequence[str], language: Language) -> Opinion:
    """Return what a model thinks of a line; every call is recorded by the caller.

    Raises
    ------
    AgentReplyError
        No usable answer came in two tries.
    ProviderError, StoppedError
        From the model.
    """

    def read(completion: Completion) -> tuple[Json, tuple[str, ...]]:
        return read_object(completion, SCHEMA)

    found = ask(caller, build_request(text, previous, language), read, TRIES)
    phrase = " ".join(found["phrase"].split())[:LONGEST_PHRASE]
    # What the model did not copy from the line is not shown as the client's words.
    evidence = phrase if phrase and phrase in " ".join(text.split()) else ""
    return Opinion(found["level"], evidence, caller.model.spec.label)


def build_request(text: str, previous: Sequence[str], language: Language) -> ModelRequest:
    """Return what the model is asked: each line in a fence that does not occur in any of them."""
    lines = list(previous[-EARLIER:])
    fence = fence_for("\n".join((*lines, text)))
    before, last = _LABELS[language]
    parts = [f"{before}:\n", *(f"<<{fence}\n{line}\n{fence}>>\n" for line in lines)] if lines else []
    parts += [f"{last}:\n", f"<<{fence}\n{text}\n{fence}>>"]
    return ModelRequest(
        task=Task(TASK),
        messages=(Message("system", (_prompt(language),)), Message("user", tuple(parts))),
        inputs={"text": text},
        language=language,
        schema=SCHEMA,
        max_tokens=256,
        temperature=0.0,
    )


@cache
def _prompt(language: Language) -> str:
    file = files("counsel_core.safety").joinpath("prompts", f"second_opinion_{language}.txt")
    return file.read_text(encoding="utf-8")
