"""The SuDoSys agent: one turn through the five modules of the paper's Figure 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from counsel_core.agents._base import Agent, Opening, OverrideKind, Setting, TurnContext
from counsel_core.agents.sudosys.controller import Step, control_stage
from counsel_core.agents.sudosys.guided import answer_turn
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.instruction import answer_schema, build_instruction, placeholders
from counsel_core.agents.sudosys.pacing import SESSION_TURNS
from counsel_core.agents.sudosys.protocol import Protocol, from_json, load_protocol, to_json
from counsel_core.agents.sudosys.state import (
    SudosysState,
    dump_state,
    first_state,
    load_state,
    remember_reply,
)
from counsel_core.agents.sudosys.topics import Written, visible_topics, write_topics
from counsel_core.agents.sudosys.unpacker import Unpacked, unpack
from counsel_core.errors import InputError, ReplyFormatError
from counsel_core.llm.structured import ask
from counsel_core.records import AgentReply, Completion, Json, Language, ModelRequest, Task, Utterance

DEFAULT_PROTOCOL: Mapping[Language, str] = {"en": "pm_plus_en", "zh": "pm_plus_zh"}

SETTINGS = (
    Setting(
        "protocol",
        "Protocol",
        "text",
        "",
        "Name or file of the protocol; empty: PM+ in seven steps, in the session's language.",
    ),
    Setting(
        "history_turns",
        "Earlier counsellor lines shown to the model",
        "int",
        1,
        "1 gives a bare “yes” its meaning. 0 is strictly the paper: history is no part of the instruction.",
        minimum=0,
        maximum=20,
    ),
    Setting(
        "reason",
        "Ask for the reason of the status",
        "bool",
        True,
        "Shown to the clinician only. Off is strictly the paper.",
    ),
    Setting(
        "max_turns_per_stage",
        "Most turns in a stage",
        "int",
        0,
        "After so many the session goes on by itself. 0: never, as in the paper.",
        minimum=0,
        maximum=100,
    ),
)

TASK = Task("sudosys_turn", answer_turn)


def begin(settings: Mapping[str, Any], language: Language, protocols_dir: Path) -> Opening:
    """Load the protocol and open its first stage.

    Raises
    ------
    UnknownNameError, DataFileError
        The protocol is not there, or its file is wrong.
    InputError
        The protocol is in another language than the session.
    """
    name = settings["protocol"].strip() or DEFAULT_PROTOCOL[language]
    protocol = load_protocol(name, protocols_dir)
    if protocol.language != language:
        raise InputError(
            f"The protocol {protocol.name} is in {protocol.language!r}, the session in {language!r}. "
            f"Choose a protocol in {language!r}, such as {DEFAULT_PROTOCOL[language]}, or the other language."
        )
    opening = protocol.stage(1).opening
    return Opening(opening, first_state(protocol, opening), {"protocol": to_json(protocol)})


def respond(state: SudosysState, transcript: Sequence[Utterance], context: TurnContext) -> AgentReply:
    """Answer one client utterance: instruction, model, unpacker, topic database, stage controller."""
    context.progress("Reading the topics")
    protocol = from_json(context.material["protocol"])
    inputs = _inputs(state, protocol, transcript, context)
    request = ModelRequest(
        task=TASK,
        messages=(build_instruction(inputs),),
        inputs=inputs,
        language=context.language,
        schema=answer_schema(inputs.stage, reason=inputs.reason),
    )
    context.progress("Writing the reply")
    answer = ask(context.caller, request, _reader(inputs))
    written = write_topics(state.topics, state.stage, answer.topics)
    step = control_stage(
        state.stage,
        answer.status,
        protocol.last,
        complete=state.complete,
        turns=inputs.turns,
        max_turns=context.settings["max_turns_per_stage"],
    )
    after = replace(
        remember_reply(state, answer.reply, context.turn),
        topics=written.values,
        stage=step.stage,
        furthest=max(state.furthest, step.stage),
        turns=0 if step.moved else inputs.turns,
        complete=step.complete,
    )
    return AgentReply(answer.reply, after, _trace(inputs, answer, written, step))


def view(state: SudosysState, material: Json, trace: Json) -> Json:
    """Return the stage in which the last reply was made, and the topics up to it."""
    number = trace.get("stage", state.stage)
    shown = visible_topics(state.topics, max(number, state.stage))
    return {
        "stage": {
            "number": number,
            "name": material["protocol"]["stages"][number - 1]["name"],
            "status": trace.get("status", 0),
            "complete": state.complete,
        },
        "topics": {str(stage): dict(values) for stage, values in shown.items()},
    }


def _inputs(
    state: SudosysState, protocol: Protocol, transcript: Sequence[Utterance], context: TurnContext
) -> TurnInputs:
    return TurnInputs(
        protocol=protocol,
        number=state.stage,
        topics=visible_topics(state.topics, state.stage),
        client=transcript[-1].text,
        before=tuple(transcript[:-1]),
        turn=context.turn,
        turns=state.turns + 1,
        furthest=state.furthest,
        complete=state.complete,
        said=state.said,
        embedder=context.embedder,
        history_turns=context.settings["history_turns"],
        reason=context.settings["reason"],
        danger=context.danger,
    )


def _reader(inputs: TurnInputs) -> Callable[[Completion], tuple[Unpacked, tuple[str, ...]]]:
    """Return what reads an answer: it is unpacked, and one that was given before is asked again, once."""
    asked_again = False

    def read(completion: Completion) -> tuple[Unpacked, tuple[str, ...]]:
        nonlocal asked_again
        echoes = placeholders(inputs.protocol.language, inputs.stage)
        answer = unpack(completion.text, inputs.stage.keys, completion.finish, echoes)
        if not inputs.said.has_replied(answer.reply):
            return answer, answer.repairs
        if asked_again:
            return answer, (*answer.repairs, "The reply repeats an earlier one word for word.")
        asked_again = True
        raise ReplyFormatError(
            '"reply" repeats word for word what you said before; answer what the person says now.',
            "“reply”与你之前说过的话完全相同；请回应对方现在说的话。",
        )

    return read


def _trace(inputs: TurnInputs, answer: Unpacked, written: Written, step: Step) -> Json:
    return {
        "stage": inputs.number,
        "stage_name": inputs.stage.name,
        "status": answer.status,
        "moved": step.moved,
        "next_stage": step.stage,
        "reason": answer.reason,
        "changed": list(written.changed),
        "kept": list(answer.missing),
        "dropped": list(answer.dropped),
        "pruned": list(answer.pruned),
        "clamped": step.note,
        "repairs": list(answer.repairs),
        "history_turns": inputs.history_turns,
        "deviations": _deviations(inputs, answer),
    }


def _deviations(inputs: TurnInputs, answer: Unpacked) -> list[str]:
    """Say where this turn differs from the paper."""
    found = []
    if inputs.history_turns:
        found.append(
            f"The instruction also shows earlier counsellor lines, at most the last {inputs.history_turns}."
        )
    if inputs.reason:
        found.append("The response template also asks for the reason of the status.")
    if answer.missing:
        found.append("Topics that the answer left out keep their value (the paper: T_S := T'_S).")
    return found


def _set_stage(state: SudosysState, arguments: Json, material: Json) -> tuple[SudosysState, str]:
    protocol, number = from_json(material["protocol"]), arguments.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= protocol.last:
        raise InputError(f"The stage is {number!r}; it takes a whole number from 1 to {protocol.last}.")
    names = f"{state.stage} ({protocol.stage(state.stage).name}) to {number} ({protocol.stage(number).name})"
    changed = replace(state, stage=number, furthest=max(state.furthest, number), turns=0)
    return changed, f"Stage set from {names}."


def _set_topic(state: SudosysState, arguments: Json, material: Json) -> tuple[SudosysState, str]:
    protocol = from_json(material["protocol"])
    number, key, value = (arguments.get(name) for name in ("stage", "key", "value"))
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= protocol.last:
        raise InputError(f"The stage is {number!r}; it takes a whole number from 1 to {protocol.last}.")
    keys = protocol.stage(number).keys
    if key not in keys:
        raise InputError(f"The topic is {key!r}; stage {number} has {', '.join(keys)}.")
    if not isinstance(value, str):
        raise InputError(f"The topic {_words(key)} is {value!r}; it takes a text, or '' to clear the topic.")
    written = write_topics(state.topics, number, {key: value.strip()})
    change = f"from “{state.topics[number][key]}” to “{value.strip()}”"
    return replace(state, topics=written.values), f"Topic {_words(key)} of stage {number} changed {change}."


def _words(key: str) -> str:
    return f"“{key.replace('_', ' ')}”"


SUDOSYS = Agent(
    name="sudosys",
    label="SuDoSys",
    about="Leads through the stages of a protocol, such as PM+ Managing Problems, and keeps topics by stage.",
    source="Structured Dialogue System for Mental Health: An LLM Chatbot Leveraging the PM+ Guidelines",
    languages=("en", "zh"),
    settings=SETTINGS,
    begin=begin,
    respond=respond,
    load=load_state,
    dump=dump_state,
    view=view,
    is_complete=lambda state: bool(state.complete),
    window=lambda settings: 2 * max(SESSION_TURNS, settings["history_turns"]),
    overrides=(
        OverrideKind("stage", _set_stage),
        OverrideKind("topic", _set_topic),
    ),
)
