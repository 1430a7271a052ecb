"""An export's bytes → the records it holds; whatever is wrong in it is named by its place in the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any

from counsel_core.agents import find_agent
from counsel_core.agents._base import Agent, check_settings, read_value
from counsel_core.clients import load_clients
from counsel_core.conversation.session import REGION, SECOND_OPINION
from counsel_core.errors import CounselError, InputError
from counsel_core.exports.data import FORMAT, read_prompt
from counsel_core.records import Finding, Json, ModelCall, Note, Override, Risk, Session, Turn
from counsel_core.safety.resources import UNKNOWN_REGION
from counsel_core.storage.rows import LOST, Resumption

LARGEST = 50_000_000
"""Bytes; a session of a thousand turns takes a few million."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file holds, not yet stored: ids of sessions in it are empty.

    `states` has the state after each turn's reply, `overrides` each with the state it left, and `calls`
    (turn, attempt, call).
    """

    session: Session
    opening_state: Json
    turns: tuple[Turn, ...]
    states: tuple[Json, ...]
    calls: tuple[tuple[int, int, ModelCall], ...]
    overrides: tuple[tuple[Override, Json], ...]
    notes: tuple[Note, ...]
    resumptions: tuple[Resumption, ...]


def read_export(content: bytes) -> Imported:
    """Read a session that `export --format json`, or the Archive, wrote.

    Raises
    ------
    InputError
        The file is too large, is no such export, or something in it cannot be: its place is named.
    """
    if len(content) > LARGEST:
        raise InputError(f"The file has {len(content):,} bytes; an export may have {LARGEST:,} at most.")
    data = _parse(content)
    error = next(iter(_validator().iter_errors(data)), None)
    if error is not None:
        raise _wrong(error.json_path.removeprefix("$."), error.message[:200])
    _check_prompts(data["prompts"])
    session = _read_session(data)
    turns = tuple(_read_turn(turn) for turn in data["turns"])
    for place, turn in enumerate(turns, start=1):
        if turn.number != place:
            raise _wrong(f"turns[{place - 1}].number", f"it is {turn.number}, but {place} comes next")
    imported = Imported(
        session=session,
        opening_state=data["opening_state"],
        turns=turns,
        states=tuple(turn["state"] for turn in data["turns"]),
        calls=tuple(_read_calls(data)),
        overrides=tuple(_read_override(one, len(turns)) for one in data["overrides"]),
        notes=tuple(
            Note(0, "", _within(one["turn"], len(turns)), one["text"], _moment(one["created"]))
            for one in data["notes"]
        ),
        resumptions=tuple(_read_resumption(one, len(turns)) for one in data["resumptions"]),
    )
    _check_states(find_agent(session.agent), imported)
    return imported


def _parse(content: bytes) -> Any:
    try:
        data = json.loads(content.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]
        raise InputError(f"The file is no JSON export of a session: {reason}.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(
            f"The file is no JSON export of a session: its 'format' is not {FORMAT!r}. "
            "Export the session as JSON from the Archive, then choose that file."
        )
    return data


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"it holds {name}, which is no JSON")


@cache
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    text = files("counsel_core.importing").joinpath("session.schema.json").read_text("utf-8")
    return Draft202012Validator(json.loads(text))


def _wrong(place: str, reason: str) -> InputError:
    return InputError(f"The export cannot be read at {place[:100]}: {reason.rstrip('.')}.")


def _check_prompts(prompts: Json) -> None:
    """Refuse parts that are not there, and chains that lead back to themselves."""
    nodes, sound = prompts["nodes"], set[int]()
    for start, node in enumerate(nodes):
        if node["text"] is not None and node["text"] >= len(prompts["texts"]):
            raise _wrong(f"prompts.nodes[{start}].text", "there is no such text")
        here: int | None = start
        walked: set[int] = set()
        while here is not None and here not in sound:
            if here >= len(nodes) or here in walked:
                raise _wrong(f"prompts.nodes[{start}].before", "it leads to no first part")
            walked.add(here)
            here = nodes[here]["before"]
        sound |= walked


def _read_session(data: Json) -> Session:
    given = data["session"]
    agent = find_agent(given["agent"])
    if given["language"] not in agent.languages:
        raise _wrong("session.language", f"{agent.label} does not speak {given['language']!r}")
    settings = dict(given["settings"])
    of_session = {
        REGION: str(settings.pop(REGION, UNKNOWN_REGION)),
        SECOND_OPINION.key: read_value(SECOND_OPINION, settings.pop(SECOND_OPINION.key, False)),
    }
    client = given.get("sample_client")
    return Session(
        id="",
        title=given["title"],
        agent=agent.name,
        model=given["model"],
        language=given["language"],
        settings=check_settings(agent, settings) | of_session,
        material=given["material"],
        opening=given["opening"],
        state=given["state"],
        created=_moment(given["created"]),
        updated=_moment(given["created"]),
        turn_count=len(data["turns"]),
        risk=given["risk"],
        frozen=given["frozen"],
        sample_client=client if client in load_clients() else None,
        overridden=bool(data["overrides"]),
    )


def _read_turn(given: Json) -> Turn:
    # Whoever was answering when it was exported does so no more.
    lost = {"status": "failed", "error": LOST} if given["status"] == "pending" else {}
    kept = ("number", "status", "client", "author", "reply", "notice", "safety_reply", "trace")
    optional = ("error", "model", "seconds", "prompt_tokens", "completion_tokens", "tokens_estimated")
    return Turn(
        session="",
        created=_moment(given["created"]),
        risk=Risk(
            given["risk"]["level"],
            tuple(given["risk"]["evidence"]),
            tuple(given["risk"].get("opinions", ())),
        ),
        findings=tuple(Finding(one["rule"], one["evidence"]) for one in given["findings"]),
        **{key: given[key] for key in kept} | {key: given[key] for key in optional if key in given} | lost,
    )


def _read_calls(data: Json) -> Iterator[tuple[int, int, ModelCall]]:
    known = ("error", "prompt_tokens", "completion_tokens", "tokens_estimated", "reasoning", "cached")
    for turn in data["turns"]:
        for given in turn["calls"]:
            if given["prompt"] is not None and given["prompt"] >= len(data["prompts"]["nodes"]):
                raise _wrong(f"turns[{turn['number'] - 1}].calls", "a call names a prompt that is not there")
            call = ModelCall(
                task=given["task"],
                model=given["model"],
                messages=read_prompt(data["prompts"], given["prompt"]),
                text=given["text"],
                seconds=given["seconds"],
                repairs=tuple(given.get("repairs", ())),
                **{key: given[key] for key in known if key in given},
            )
            yield turn["number"], given["attempt"], call


def _read_override(given: Json, turns: int) -> tuple[Override, Json]:
    after = _within(given["after_turn"], turns)
    made = Override("", after, given["kind"], given["arguments"], given["summary"], _moment(given["created"]))
    return made, given["state"]


def _read_resumption(given: Json, turns: int) -> Resumption:
    after, created = _within(given["after_turn"], turns), _moment(given["created"])
    return Resumption("", after, given["level"], given["reviewer"], given["reason"], created)


def _within(turn: int, turns: int) -> int:
    if turn > turns:
        raise InputError(f"The export speaks of turn {turn}, but has {turns} turns.")
    return turn


def _moment(given: str) -> datetime:
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InputError(f"The export holds the moment {given!r}; it takes ISO 8601 with a time zone.")
    return moment


def _check_states(agent: Agent, imported: Imported) -> None:
    """Refuse states that the agent cannot have, and what its panel could not show."""
    traces = [turn.trace for turn in imported.turns]
    places: list[tuple[str, Json, Json]] = [("opening_state", imported.opening_state, {})]
    places += [(f"turns[{at}].state", state, traces[at]) for at, state in enumerate(imported.states)]
    places += [(f"overrides[{at}].state", state, {}) for at, (_, state) in enumerate(imported.overrides)]
    for place, state, trace in places:
        try:
            loaded = agent.load(state)
            same = agent.dump(loaded) == state
            agent.view(loaded, imported.session.material, trace)
        except (CounselError, LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise _wrong(place, f"{agent.label} cannot have such a state ({error!r:.100})") from error
        if not same:
            raise _wrong(place, f"{agent.label} cannot have such a state")
