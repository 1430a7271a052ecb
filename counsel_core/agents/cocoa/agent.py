"""CoCoA: one turn from the client's line to the reply (Lee et al. 2024, algorithms 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from pathlib import Path

from counsel_core.agents._base import TurnContext
from counsel_core.agents.cocoa.detection import Detection, find_distortion
from counsel_core.agents.cocoa.inputs import ReplyInputs
from counsel_core.agents.cocoa.insights import extract_insights
from counsel_core.agents.cocoa.memory import Distortion, DistortionScore, add_insights, target
from counsel_core.agents.cocoa.prompt import render_dynamic, write
from counsel_core.agents.cocoa.rendering import prompts_hash
from counsel_core.agents.cocoa.retrieval import Retrieved, retrieve
from counsel_core.agents.cocoa.stage import StageChoice, choose_stage
from counsel_core.agents.cocoa.state import (
    Applied,
    CocoaState,
    Exchange,
    begin_round,
    complete_stage,
    dump_score,
    heard,
    remember_reply,
)
from counsel_core.agents.cocoa.technique import choose_technique
from counsel_core.errors import StoppedError
from counsel_core.language.contriever import contriever
from counsel_core.language.embeddings import Embedder
from counsel_core.llm._base import Caller
from counsel_core.records import AgentReply, Json, Language, ModelCall, Utterance


@dataclass(frozen=True, slots=True)
class _Planned:
    """What prompt composition found before the reply is written."""

    state: CocoaState
    target: str
    embedder: str
    retrieved: tuple[Retrieved, ...]
    choice: StageChoice


def respond(state: CocoaState, transcript: Sequence[Utterance], context: TurnContext) -> AgentReply:
    """Answer the client's last line: extract, store, choose what to treat and how, reply.

    Raises
    ------
    AgentReplyError
        The model gave no usable answer to one of the questions.
    ProviderError, StoppedError
        From the model.
    """
    language = context.language
    latest = last_pair(transcript)
    state = heard(state, latest.counsellor, latest.client, context.turn)
    context.progress("Noticing")
    insights, detection = _extract(context.caller, latest, language)
    state = _remember(state, latest, insights, detection)
    scores = state.scores()
    planned = _plan(state, target(scores), latest, context)
    plan = planned.choice.plan if planned else None
    context.progress("Writing")
    reply = write(
        context.caller,
        ReplyInputs(
            latest=latest,
            plan=plan,
            distortion=detection.type,
            target=planned.target if planned else None,
            thought=_thought(state, planned),
            previous=state.applied.technique if state.applied else None,
            said=state.said,
            embedder=context.embedder,
            turn=context.turn,
            danger=context.danger,
            language=language,
        ),
    )
    applied = Applied(plan.technique.name, plan.stage) if plan else None
    stages = len(plan.technique.texts[language].stages) if plan else 0
    after = complete_stage(planned.state if planned else state, applied, stages)
    after = remember_reply(after, reply)
    return AgentReply(reply, after, _trace(scores, insights, detection, planned, language))


def last_pair(transcript: Sequence[Utterance]) -> Exchange:
    """Return U: the client's new line and the counsellor's line before it ('' if there is none)."""
    client = transcript[-1].text
    before = (utterance.text for utterance in reversed(transcript[:-1]) if utterance.speaker == "counsellor")
    return Exchange(next(before, ""), client)


def _extract(caller: Caller, latest: Exchange, language: Language) -> tuple[tuple[str, ...], Detection]:
    """Extract insights and distortion at the same time; their calls are recorded in a fixed order."""
    first: list[ModelCall] = []
    second: list[ModelCall] = []
    try:
        with ThreadPoolExecutor(max_workers=2, thread_name_prefix="cocoa") as pool:
            noted = pool.submit(extract_insights, replace(caller, record=first.append), latest, language)
            found = pool.submit(find_distortion, replace(caller, record=second.append), latest, language)
            try:
                for done in as_completed((noted, found)):
                    if done.exception() is not None:
                        caller.cancel.set()  # the turn failed: it does not wait for the other answer
            except BaseException:  # Ctrl-C
                caller.cancel.set()
                raise
        _raise_first(noted.exception(), found.exception())
        return noted.result(), found.result()
    finally:
        for call in (*first, *second):
            caller.record(call)


def _raise_first(*errors: BaseException | None) -> None:
    """Raise what went wrong; that a call was stopped because of it says nothing."""
    given = [error for error in errors if error is not None]
    for error in sorted(given, key=lambda error: isinstance(error, StoppedError)):
        raise error


def _remember(
    state: CocoaState, latest: Exchange, insights: tuple[str, ...], detection: Detection
) -> CocoaState:
    distortions = state.distortions
    if detection.type is not None and detection.severity is not None:
        entry = Distortion(detection.type, latest.client, detection.severity, state.turn)
        distortions = (*distortions, entry)
    return replace(
        state, insights=add_insights(state.insights, insights, state.turn), distortions=distortions
    )


def _plan(state: CocoaState, goal: str | None, latest: Exchange, context: TurnContext) -> _Planned | None:
    """Compose what the dynamic prompt needs; None while CD Memory holds nothing to treat."""
    if goal is None:
        return None
    language = context.language
    context.progress("Remembering")
    embedder = _embedder(context)
    query = " ".join(part for part in (goal, latest.counsellor, latest.client) if part)
    found = retrieve(state.insights, state.distortions, query, embedder, context.settings["top_k"])
    context.progress("Choosing a technique")
    technique = choose_technique(context.caller, goal, found, state, latest, language)
    state = begin_round(state, technique.name, len(technique.texts[language].stages))
    context.progress("Choosing its stage")
    choice = choose_stage(context.caller, technique, state.log[technique.name], latest, language)
    return _Planned(state, goal, embedder.name, found, choice)


def _embedder(context: TurnContext) -> Embedder:
    folder = context.settings["embedder"]
    return contriever(str(Path(folder).expanduser())) if folder else context.embedder


def _thought(state: CocoaState, planned: _Planned | None) -> str:
    if planned is None:
        return ""
    return next(entry.utterance for entry in reversed(state.distortions) if entry.type == planned.target)


def _trace(
    scores: Sequence[DistortionScore],
    insights: tuple[str, ...],
    detection: Detection,
    planned: _Planned | None,
    language: Language,
) -> Json:
    return {
        "insights": list(insights),
        "detection": {
            "type": detection.type,
            "severity": detection.severity,
            "ranking": [[name, score] for name, score in detection.ranking],
            "note": detection.note,
        },
        "scores": [dump_score(score) for score in scores],
        "target": planned.target if planned else None,
        "embedder": planned.embedder if planned else None,
        "retrieved": [entry.as_json() for entry in planned.retrieved] if planned else [],
        **_trace_plan(planned, language),
        "prompts": prompts_hash(language),
    }


def _trace_plan(planned: _Planned | None, language: Language) -> Json:
    if planned is None:
        nothing = ("technique", "technique_label", "stage", "stage_name", "example", "example_from")
        return {**dict.fromkeys(nothing), "clamped": "", "prompt": {"dynamic": ""}}
    choice = planned.choice
    plan, text = choice.plan, choice.plan.technique.texts[language]
    return {
        "technique": plan.technique.name,
        "technique_label": text.label,
        "stage": [plan.stage, len(text.stages)],
        "stage_name": text.stages[plan.stage - 1].name,
        "example": plan.example,
        "example_from": choice.example_from,
        "clamped": choice.clamped,
        "prompt": {"dynamic": render_dynamic(plan, language)},
    }
