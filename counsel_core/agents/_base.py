"""What an agent is: a value that holds functions and what a reader must know of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from counsel_core.errors import InputError, UnknownNameError
from counsel_core.language.embeddings import Embedder
from counsel_core.llm._base import Caller
from counsel_core.records import AgentReply, Json, Language, Utterance


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of an agent, declared so that pages and the command line can offer and check it."""

    key: str
    label: str
    kind: Literal["int", "float", "bool", "choice", "text"]
    default: Any
    help: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Opening:
    """How an agent begins: its first line ('' if it waits), its state, what it froze at the start."""

    text: str
    state: Any
    material: Json = field(default_factory=dict)


@dataclass(frozen=True)
class TurnContext:
    """All that surrounds one turn. `turn` counts the client's utterances, this one included.

    `danger` says that the risk check raised the client's utterance: the rules then hold their steps.
    """

    caller: Caller
    embedder: Embedder
    language: Language
    settings: Mapping[str, Any]
    material: Json
    turn: int
    progress: Callable[[str], None] = lambda step: None
    danger: bool = False


@dataclass(frozen=True)
class OverrideKind:
    """One thing a clinician may change in an agent's state.

    `apply(state, arguments, material)` returns the new state and a sentence that says what changed
    from what to what; it raises InputError for arguments that make no sense.
    """

    name: str
    apply: Callable[[Any, Json, Json], tuple[Any, str]]


@dataclass(frozen=True)
class Agent:
    """A counselling agent.

    Attributes
    ----------
    begin
        `begin(settings, language, protocols_dir)` → `Opening`. Raises `CounselError` for bad settings.
    respond
        `respond(state, transcript, context)` → `AgentReply`. `transcript` ends with the client's
        new utterance; it is a function of its arguments and stores nothing.
    load, dump
        State from and to a JSON object; `load(dump(s)) == s`.
    view
        `view(state, material, trace)` → the JSON object printed as `state` by `chat --json`.
    is_complete
        Whether the agent has reached the end of what it does (the client may go on).
    window
        How many of the last utterances `respond` reads; None: all of them.
    continue_from
        `continue_from(own_state, earlier_state)` → a state with an earlier session's memories, where
        the agent has any.
    """

    name: str
    label: str
    about: str
    source: str
    languages: tuple[Language, ...]
    settings: tuple[Setting, ...]
    begin: Callable[[Mapping[str, Any], Language, Path], Opening]
    respond: Callable[[Any, Sequence[Utterance], TurnContext], AgentReply]
    load: Callable[[Json], Any]
    dump: Callable[[Any], Json]
    view: Callable[[Any, Json, Json], Json]
    is_complete: Callable[[Any], bool] = lambda state: False
    window: Callable[[Mapping[str, Any]], int | None] = lambda settings: None
    overrides: tuple[OverrideKind, ...] = ()
    continue_from: Callable[[Any, Any], Any] | None = None


def check_settings(agent: Agent, given: Mapping[str, Any]) -> Json:
    """Return all settings of an agent: defaults, replaced by what was given, each checked.

    Strings are read as the setting's kind, so that the command line can pass them on.

    Raises
    ------
    UnknownNameError
        A key that the agent does not have; the message lists its settings.
    InputError
        A value of the wrong kind or out of its bounds.
    """
    known = {setting.key: setting for setting in agent.settings}
    for key in given:
        if key not in known:
            raise UnknownNameError(f"setting of {agent.label}", key, known)
    return {
        key: read_value(setting, given[key]) if key in given else setting.default
        for key, setting in known.items()
    }


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "bool": "yes or no",
    "choice": "one of its choices",
    "text": "a text",
}
_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True}
_BOOLEANS |= {"0": False, "false": False, "no": False, "off": False}


def read_value(setting: Setting, value: Any) -> Any:
    """Return a value as its setting's kind and within its bounds; InputError where it is not."""
    try:
        read = _of_kind(setting, value)
    except (ValueError, KeyError) as error:
        expected = f"{_KINDS[setting.kind]} ({setting.key})"
        raise InputError(f"{setting.label} is {value!r}; it takes {expected}.") from error
    if setting.kind in ("int", "float"):
        too_low = setting.minimum is not None and read < setting.minimum
        too_high = setting.maximum is not None and read > setting.maximum
        if math.isnan(read) or too_low or too_high:
            bounds = f"{setting.minimum} to {setting.maximum}"
            raise InputError(
                f"{setting.label} is {value!r}; it takes a number from {bounds} ({setting.key})."
            )
    return read


def _of_kind(setting: Setting, value: Any) -> Any:
    if setting.kind == "bool":
        return value if isinstance(value, bool) else _BOOLEANS[str(value).strip().lower()]
    if setting.kind == "int":
        return int(str(value))
    if setting.kind == "float":
        return float(value)
    if setting.kind == "choice" and value not in setting.choices:
        raise UnknownNameError(setting.label, str(value), setting.choices)
    return str(value)
