"""The stage-aware instruction generator: I = [B[S]; {T_s}, s = 1..S; u_t; R_S] (SuDoSys, section 2.2.1)."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from string import Template

from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.protocol import Stage
from counsel_core.records import Json, Language, Message, Utterance


def build_instruction(inputs: TurnInputs) -> Message:
    """Return I as one message whose parts are B[S], the topics, the client's line and R_S, in this order.

    With `history_turns` > 0 the counsellor's last lines (and the client's between them) stand between
    the topics and the client's line: a deviation from the paper, where history is no part of I.
    """
    texts = _texts(inputs.protocol.language)
    history = shown_history(inputs)
    said = [part for line in history for part in (texts[line.speaker] + " ", line.text, "\n")]
    parts = (
        *_base_instruction(inputs, texts),
        *_topic_lines(inputs, texts),
        *([f"\n{texts['history_start']}\n", *said, f"{texts['history_end']}\n"] if history else []),
        f"\n{texts['utterance_start']}\n",
        inputs.client,
        f"\n{texts['utterance_end']}\n",
        _response_template(inputs, texts),
    )
    return Message("user", parts)


def shown_history(inputs: TurnInputs) -> tuple[Utterance, ...]:
    """Return the earlier utterances that the instruction shows: from the n-th last counsellor line on."""
    lines = [at for at, utterance in enumerate(inputs.before) if utterance.speaker == "counsellor"]
    if not inputs.history_turns or not lines:
        return ()
    return inputs.before[lines[-min(inputs.history_turns, len(lines))] :]


def answer_schema(stage: Stage, *, reason: bool) -> Json:
    """Return the JSON schema of R_S, for providers that constrain their output by one."""
    fields: Json = {
        "topics": _closed_object({key: {"type": "string"} for key in stage.keys}),
        **({"reason": {"type": "string"}} if reason else {}),
        "status": {"type": "integer", "enum": [-1, 0, 1]},
        "reply": {"type": "string", "minLength": 1},
    }
    return _closed_object(fields)


def placeholders(language: Language, stage: Stage) -> tuple[str, ...]:
    """Return what stands in the instruction where an answer is to come: given back, it is no answer."""
    texts = _texts(language)
    return texts["reply"], texts["topic"], texts["reason"], *(topic.about for topic in stage.topics)


def _base_instruction(inputs: TurnInputs, texts: dict[str, str]) -> tuple[str, str]:
    """Return B[S]: the role, and what this stage is for."""
    stage, following = inputs.stage, inputs.next_stage
    leads_on = (
        Template(texts["following"]).substitute(name=following.name, purpose=following.purpose)
        if following
        else texts["nothing_following"]
    )
    step = Template(texts["step"]).substitute(
        number=stage.number,
        last=inputs.protocol.last,
        name=stage.name,
        purpose=stage.purpose,
        instruction=stage.instruction,
        go_on=stage.go_on,
        go_back=stage.go_back,
        following=leads_on,
    )
    return f"{texts['role']}\n\n", f"{step}\n\n"


def _topic_lines(inputs: TurnInputs, texts: dict[str, str]) -> list[str]:
    """Return {T_s} for s = 1..S, a part for each topic."""
    parts = [f"{texts['topics']}\n"]
    for number in sorted(inputs.topics):
        stage = inputs.protocol.stage(number)
        heading = Template(texts["present" if number == inputs.number else "earlier"])
        parts.append(f"{heading.substitute(number=number, name=stage.name)}\n")
        for topic in stage.topics:
            value = json.dumps(inputs.topics[number][topic.key], ensure_ascii=False)
            parts.append(f"- {topic.key} ({topic.about}): {value}\n")
    return parts


def _response_template(inputs: TurnInputs, texts: dict[str, str]) -> str:
    """Return R_S: what to write, and the dictionary to write it in."""
    shape: Json = {"topics": dict.fromkeys(inputs.stage.keys, texts["topic"])}
    if inputs.reason:
        shape["reason"] = texts["reason"]
    shape |= {"status": 0, "reply": texts["reply"]}
    explained = texts["explained_with_reason" if inputs.reason else "explained"]
    return f"\n{explained}\n{json.dumps(shape, ensure_ascii=False, indent=2)}\n"


def _closed_object(properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


@cache
def _texts(language: Language) -> dict[str, str]:
    """Return the parts of the prompt file of a language; what stands before the first is a comment."""
    text = resources.files(__package__).joinpath(f"prompts/instruction_{language}.txt").read_text("utf-8")
    sections = (section.partition("\n") for section in f"\n{text}".split("\n## ")[1:])
    return {title.strip(): body.strip() for title, _, body in sections}
