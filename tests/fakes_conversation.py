"""A small agent and a small model for tests of storage and conversation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from counsel_core.agents._base import Agent, Opening, OverrideKind, Setting, TurnContext
from counsel_core.errors import InputError
from counsel_core.records import (
    AgentReply,
    Completion,
    Message,
    ModelCall,
    ModelRequest,
    ModelSpec,
    Task,
    Turn,
)
from counsel_core.storage.database import Database
from counsel_core.storage.sessions import load_attempts, load_turns

INSTRUCTION = "You listen, and you answer in one sentence.\n"


@dataclass
class FakeModel:
    """Answers with `answer(request)`, by default with the last message; keeps every request."""

    answer: Callable[[ModelRequest], str] = lambda request: f"You said: {request.messages[-1].content}"
    name: str = "fake"
    requests: list[ModelRequest] = field(default_factory=list)

    @property
    def spec(self) -> ModelSpec:
        return ModelSpec(self.name, "fake", f"Fake model ({self.name})", "rules")

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        self.requests.append(request)
        text = self.answer(request)
        return Completion(text, 0.01, prompt_tokens=7, completion_tokens=3)


def _begin(settings, language, protocols_dir):
    greeting = {"en": "What brings you here?", "zh": "您想谈些什么？"}[language]
    return Opening(greeting, {"heard": [], "topic": ""}, {"greeting": greeting})


def _respond(state, transcript, context: TurnContext) -> AgentReply:
    context.progress("Listening")
    roles = {"client": "user", "counsellor": "assistant"}
    history = tuple(Message(roles[said.speaker], (said.text,)) for said in transcript)
    messages = (Message("system", (INSTRUCTION, context.material["greeting"])), *history)
    request = ModelRequest(Task("echo"), messages, transcript[-1].text, context.language)
    answer = context.caller.complete(request).text
    heard = [*state["heard"], transcript[-1].text]
    trace = {"turn": context.turn, "read": len(transcript)}
    return AgentReply(answer, {**state, "heard": heard}, trace)


def _set_topic(state, arguments, material):
    if not isinstance(arguments.get("value"), str):
        raise InputError("topic takes a text.")
    return {**state, "topic": arguments["value"]}, f"topic {state['topic']!r} → {arguments['value']!r}"


ECHO = Agent(
    name="echo",
    label="Echo",
    about="Says again what it heard.",
    source="written for tests",
    languages=("en", "zh"),
    settings=(Setting("window", "Window", "int", 0, "utterances read; 0: all", 0, 100),),
    begin=_begin,
    respond=_respond,
    load=dict,
    dump=dict,
    view=lambda state, material, trace: {"heard": len(state["heard"]), "topic": state["topic"]},
    is_complete=lambda state: len(state["heard"]) >= 3,
    window=lambda settings: settings["window"] or None,
    overrides=(OverrideKind("topic", _set_topic),),
    continue_from=lambda own, earlier: {**own, "heard": list(earlier["heard"])},
)


def load_turn(db: Database, session_id: str, number: int) -> Turn:
    """Return one turn."""
    return load_turns(db, session_id, number, number)[0]


def load_calls(db: Database, session_id: str, turn: int) -> list[ModelCall]:
    """Return the model calls of a turn, of every attempt."""
    return [call for _, call in load_attempts(db, session_id, turn)]


def install() -> None:
    """Make `ECHO` the one agent there is, in a process of its own."""
    import counsel_core.agents

    counsel_core.agents.agents = lambda: {"echo": ECHO}
