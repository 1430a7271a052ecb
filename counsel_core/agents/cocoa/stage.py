"""Which stage of the technique comes now, and an example of it: generated together (equation 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from counsel_core.agents.cocoa.guided import follow_log
from counsel_core.agents.cocoa.inputs import Plan, StageInputs
from counsel_core.agents.cocoa.knowledge import Technique
from counsel_core.agents.cocoa.rendering import NOTHING, render, render_exchange
from counsel_core.agents.cocoa.state import Exchange, Progress
from counsel_core.agents.cocoa.technique import describe_log
from counsel_core.errors import ReplyFormatError
from counsel_core.llm._base import Caller
from counsel_core.llm.structured import ask, read_object
from counsel_core.records import Completion, Json, Language, ModelRequest, Task

TASK = Task("cocoa stage", follow_log)

_LENIENT: Json = {
    "type": "object",
    "properties": {
        "stage": {"type": ["number", "string"]},
        "example": {"type": ["string", "null"]},
    },
    "required": ["stage"],
}


@dataclass(frozen=True, slots=True)
class StageChoice:
    """The plan of a turn, where its example comes from, and how the stage was clamped ('' if not)."""

    plan: Plan
    example_from: Literal["model", "file"]
    clamped: str = ""


def choose_stage(
    caller: Caller, technique: Technique, progress: Progress, latest: Exchange, language: Language
) -> StageChoice:
    """Return the stage (from 1) and an example: the model's, or the data file's where it gave none.

    The stage is clamped: nothing is skipped, so at most one beyond those completed.
    """
    text = technique.texts[language]
    log = describe_log({technique.name: progress}, None, language)
    request = ModelRequest(
        task=TASK,
        messages=render(
            "stage",
            language,
            technique=text.label,
            what=text.what,
            stages=_list_stages(technique, language),
            log=log[0],
            dialogue=_render_dialogue(progress, latest, language),
            utterances=render_exchange(latest.counsellor, latest.client, language),
        ),
        inputs=StageInputs(technique, progress, latest, language),
        language=language,
        schema=_schema(len(text.stages)),
        max_tokens=512,
        temperature=0.0,
    )
    given, example = ask(caller, request, read_stage)
    stage = max(1, min(given, progress.completed + 1, len(text.stages)))
    clamped = "" if stage == given else f"stage {given} was asked for, {stage} is next"
    ready = text.stages[stage - 1].example
    # An example written for another stage than the one taken would lead the reply astray.
    if not example or clamped or example == ready:
        return StageChoice(Plan(technique, stage, ready), "file", clamped)
    return StageChoice(Plan(technique, stage, example), "model")


def read_stage(completion: Completion) -> tuple[tuple[int, str], tuple[str, ...]]:
    """Read stage and example ('' if there is none). ReplyFormatError: the stage is no number."""
    values, repairs = read_object(completion, _LENIENT)
    return (_read_number(values["stage"]), (values.get("example") or "").strip()), repairs


def _read_number(given: Any) -> int:
    try:
        return round(float(given))
    except (ValueError, OverflowError):
        raise ReplyFormatError(
            f"stage is {given!r}; it takes the number of a stage.", f"stage 是{given!r}；应为阶段的编号。"
        ) from None


def _list_stages(technique: Technique, language: Language) -> str:
    lines = []
    colon, example = (": ", "For example: ") if language == "en" else ("：", "例如：")
    for number, stage in enumerate(technique.texts[language].stages, 1):
        lines.append(f"{number}. {stage.name}{colon}{stage.goal} {example}{stage.example}")
    return "\n".join(lines)


def _render_dialogue(progress: Progress, latest: Exchange, language: Language) -> str:
    earlier = [exchange for exchange in progress.dialogue if exchange != latest]
    lines = [render_exchange(exchange.counsellor, exchange.client, language) for exchange in earlier]
    return "\n".join(lines) or NOTHING[language]


def _schema(stages: int) -> Json:
    return {
        "type": "object",
        "properties": {
            "stage": {"type": "integer", "minimum": 1, "maximum": stages},
            "example": {"type": "string"},
        },
        "required": ["stage", "example"],
        "additionalProperties": False,
    }
