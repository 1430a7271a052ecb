"""CD Memory: is there a distortion in the client's utterance (Lee et al. 2024, appendix D)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counsel_core.agents.cocoa.guided import detect_distortion
from counsel_core.agents.cocoa.inputs import ExtractionInputs
from counsel_core.agents.cocoa.knowledge import distortion_types, find_type
from counsel_core.agents.cocoa.rendering import render, render_exchange
from counsel_core.agents.cocoa.state import Exchange
from counsel_core.errors import ReplyFormatError
from counsel_core.llm._base import Caller
from counsel_core.llm.structured import ask, read_object
from counsel_core.records import Completion, Json, Language, ModelRequest, Task

TASK = Task("cocoa distortion", detect_distortion)
LOWEST, HIGHEST = 1, 5

_LENIENT: Json = {
    "type": "object",
    "properties": {
        "type": {"type": ["string", "null", "array"]},
        "score": {"type": ["number", "string", "null"]},
        "ranking": {"type": "array"},
    },
    "required": ["type"],
}


@dataclass(frozen=True, slots=True)
class Detection:
    """What was found in one utterance: a type with its severity (1–5), or neither.

    `ranking` holds every type with a score from 0 to 1 where the rules judged; `note` says how an
    answer outside the list was taken.
    """

    type: str | None = None
    severity: int | None = None
    ranking: tuple[tuple[str, float], ...] = ()
    note: str = ""


def find_distortion(caller: Caller, latest: Exchange, language: Language) -> Detection:
    """Return the most likely distortion in the client's line, if there is one."""
    exchange = render_exchange(latest.counsellor, latest.client, language)
    request = ModelRequest(
        task=TASK,
        messages=render("distortion", language, types=_list_types(language), utterances=exchange),
        inputs=ExtractionInputs(latest, language),
        language=language,
        schema=_schema(),
        max_tokens=512,
        temperature=0.0,
    )
    return ask(caller, request, read_detection)


def read_detection(completion: Completion) -> tuple[Detection, tuple[str, ...]]:
    """Read a detection: a type outside the list is none, a severity outside 1–5 the nearest of them.

    Raises
    ------
    ReplyFormatError
        There is no such object, or a type without a severity.
    """
    values, repairs = read_object(completion, _LENIENT)
    ranking = tuple((str(name), float(score)) for name, score in values.get("ranking", ()))
    given = values["type"]
    if isinstance(given, list):
        repairs = (*repairs, f"{len(given)} types given, the first is kept") if given else repairs
        given = given[0] if given else None
    name, note = find_type(str(given or ""))
    repairs = (*repairs, note) if note else repairs
    if name is None:
        return Detection(ranking=ranking, note=note), repairs
    severity, repair = _read_severity(values.get("score"))
    return Detection(name, severity, ranking, note), (*repairs, *repair)


def _read_severity(given: Any) -> tuple[int, tuple[str, ...]]:
    try:
        severity = round(float(given))
    except (TypeError, ValueError, OverflowError):
        raise ReplyFormatError(
            f"score is {given!r}; where a type is given it takes a whole number from {LOWEST} to {HIGHEST}.",
            f"score 是{given!r}；给出类型时，应为{LOWEST}到{HIGHEST}的整数。",
        ) from None
    clamped = min(HIGHEST, max(LOWEST, severity))
    return clamped, () if clamped == severity else (f"severity {given} is read as {clamped}",)


def _list_types(language: Language) -> str:
    lines = []
    for kind in distortion_types().values():
        text = kind.texts[language]
        label = "" if text.label == kind.name or language == "en" else f"（{text.label}）"
        lines.append(f"- {kind.name}{label}: {text.definition}")
    return "\n".join(lines)


def _schema() -> Json:
    return {
        "type": "object",
        "properties": {
            "type": {"type": ["string", "null"], "enum": [*distortion_types(), None]},
            "utterance": {"type": "string"},
            "score": {"type": ["integer", "null"], "minimum": LOWEST, "maximum": HIGHEST},
        },
        "required": ["type", "utterance", "score"],
        "additionalProperties": False,
    }
