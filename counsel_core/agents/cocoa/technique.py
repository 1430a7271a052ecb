"""Which technique to apply: t* chosen from the list, given what was retrieved (equation 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from counsel_core.agents.cocoa.guided import choose_by_table
from counsel_core.agents.cocoa.inputs import TechniqueInputs
from counsel_core.agents.cocoa.knowledge import Technique, distortion_types, techniques
from counsel_core.agents.cocoa.rendering import render, render_exchange, render_list
from counsel_core.agents.cocoa.retrieval import Retrieved
from counsel_core.agents.cocoa.state import CocoaState, Exchange, Progress
from counsel_core.errors import ReplyFormatError
from counsel_core.llm._base import Caller
from counsel_core.llm.structured import ask, read_object
from counsel_core.records import Completion, Json, Language, ModelRequest, Task

TASK = Task("cocoa technique", choose_by_table)

_LENIENT: Json = {
    "type": "object",
    "properties": {"technique": {"type": "string"}},
    "required": ["technique"],
}
_PROGRESS: dict[Language, tuple[str, str, str]] = {
    "en": ("{name}: {completed} of {of} stages completed", "{name}: finished", ", being applied now"),
    "zh": ("{name}：已完成 {of} 个阶段中的 {completed} 个", "{name}：已完成", "，正在进行"),
}


def choose_technique(
    caller: Caller,
    target: str,
    retrieved: Sequence[Retrieved],
    state: CocoaState,
    latest: Exchange,
    language: Language,
) -> Technique:
    """Return t*. Beyond equation 3 the model is shown the usage log, so that it can go on with what it began.

    A finished technique may be chosen again, which starts it anew; the prompt asks to prefer others.
    """
    current = state.applied.technique if state.applied else None
    memories = tuple(entry.text for entry in retrieved)
    request = ModelRequest(
        task=TASK,
        messages=render(
            "technique",
            language,
            techniques=list_techniques(language),
            target=_describe(target, language),
            memories=render_list(memories, language),
            log=render_list(describe_log(state.log, current, language), language),
            utterances=render_exchange(latest.counsellor, latest.client, language),
        ),
        inputs=TechniqueInputs(target, memories, dict(state.log), current, latest, language),
        language=language,
        schema=_schema(),
        max_tokens=512,
        temperature=0.0,
    )
    return ask(caller, request, read_technique)


def read_technique(completion: Completion) -> tuple[Technique, tuple[str, ...]]:
    """Read a technique by its name, or its label in either language, whatever the case.

    Raises
    ------
    ReplyFormatError
        The answer is outside the list; the message repeats the list.
    """
    values, repairs = read_object(completion, _LENIENT)
    given = values["technique"]
    key = _plain(given)
    for technique in techniques().values():
        names = (technique.name, *(text.label for text in technique.texts.values()))
        if key in map(_plain, names):
            return technique, repairs
    listed = ", ".join(techniques())
    raise ReplyFormatError(
        f"{given!r} is not in the list. Choose exactly one of: {listed}.",
        f"{given!r}不在列表中。请从下列技术中只选一项：{listed}。",
    )


def describe_log(log: Mapping[str, Progress], current: str | None, language: Language) -> tuple[str, ...]:
    """Return the usage log in words, a line for each technique used."""
    under_way, finished, now = _PROGRESS[language]
    lines = []
    for name, progress in log.items():
        of = len(techniques()[name].texts[language].stages)
        form = finished if progress.completed >= of else under_way
        line = form.format(name=name, completed=progress.completed, of=of)
        lines.append(line + (now if name == current else ""))
    return tuple(lines)


def list_techniques(language: Language) -> str:
    """Return all techniques with what they are and what they help with."""
    lines = []
    for technique in techniques().values():
        text = technique.texts[language]
        label = "" if language == "en" else f"（{text.label}）"
        lines.append(f"- {technique.name}{label}: {text.what} {text.helps}")
    return "\n".join(lines)


def _describe(target: str, language: Language) -> str:
    text = distortion_types()[target].texts[language]
    label = "" if language == "en" else f"（{text.label}）"
    return f"{target}{label}: {text.definition}"


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _schema() -> Json:
    return {
        "type": "object",
        "properties": {"technique": {"type": "string", "enum": list(techniques())}},
        "required": ["technique"],
        "additionalProperties": False,
    }
