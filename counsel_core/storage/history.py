"""The state of a session at any point: its first state, and every change since in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.engine import Connection

from counsel_core.records import Json
from counsel_core.storage import delta
from counsel_core.storage.schema import overrides, sessions, turns


@dataclass(frozen=True, slots=True)
class _Change:
    """A turn's change (`override` 0) or that of an override after it (its id, from 1 on)."""

    turn: int
    override: int
    delta: Json


def state_at(connection: Connection, session_id: str, turn: int) -> Json:
    """Return the state that the client's line after `turn` meets: overrides made after `turn` count."""
    state = first_state(connection, session_id)
    for change in _changes(connection, session_id):
        if change.turn <= turn:
            state = delta.apply(state, change.delta)
    return state


def states_after_replies(connection: Connection, session_id: str) -> Iterator[tuple[int, Json]]:
    """Yield each turn's number and the state its reply left, oldest first, before any override after it."""
    state = first_state(connection, session_id)
    for change in _changes(connection, session_id):
        state = delta.apply(state, change.delta)
        if not change.override:
            yield change.turn, state


def states_after_overrides(connection: Connection, session_id: str) -> Iterator[Json]:
    """Yield the state that each override left, in the order in which they were made."""
    state = first_state(connection, session_id)
    found: dict[int, Json] = {}
    for change in _changes(connection, session_id):
        state = delta.apply(state, change.delta)
        if change.override:
            found[change.override] = state
    yield from (found[key] for key in sorted(found))


def first_state(connection: Connection, session_id: str) -> Json:
    """Return the state a session began with."""
    query = select(sessions.c.opening_state).where(sessions.c.id == session_id)
    state: Json = connection.execute(query).scalar_one()
    return state


def _changes(connection: Connection, session_id: str) -> list[_Change]:
    of_turns = select(turns.c.number, turns.c.state_delta).where(turns.c.session_id == session_id)
    columns = overrides.c
    of_overrides = select(columns.after_turn, columns.id, columns.state_delta).where(
        columns.session_id == session_id
    )
    changes = [_Change(number, 0, change) for number, change in connection.execute(of_turns)]
    changes += [_Change(*row) for row in connection.execute(of_overrides)]
    return sorted(changes, key=lambda change: (change.turn, change.override))
