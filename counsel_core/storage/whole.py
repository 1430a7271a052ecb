"""A session with all that belongs to it, read in one state of the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from counsel_core.records import Json, ModelCall, Note, Override, Session, Turn
from counsel_core.storage import rows, schema
from counsel_core.storage.database import Database
from counsel_core.storage.history import first_state, states_after_overrides, states_after_replies
from counsel_core.storage.prompts import Node, load_all_nodes
from counsel_core.storage.rows import Resumption, fetch_session
from counsel_core.storage.sessions import fetch_turns


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A call of a turn's attempt. `prompt` is the node its prompt ends at; `call.messages` is empty."""

    turn: int
    attempt: int
    prompt: bytes | None
    call: ModelCall


@dataclass(frozen=True, slots=True)
class WholeSession:
    """All of a session; `states` holds the state after each turn's reply, before overrides after it.

    `override_states` holds the state that each override left.
    """

    session: Session
    opening_state: Json
    turns: tuple[Turn, ...]
    states: dict[int, Json]
    calls: tuple[StoredCall, ...]
    nodes: dict[bytes, Node]
    overrides: tuple[Override, ...]
    override_states: tuple[Json, ...]
    notes: tuple[Note, ...]
    resumptions: tuple[Resumption, ...]


def load_whole(db: Database, session_id: str) -> WholeSession:
    """Return a session with all that belongs to it; InputError if there is none of that id."""
    with db.reading() as connection:
        return WholeSession(
            session=fetch_session(connection, session_id),
            opening_state=first_state(connection, session_id),
            turns=tuple(fetch_turns(connection, session_id)),
            states=dict(states_after_replies(connection, session_id)),
            override_states=tuple(states_after_overrides(connection, session_id)),
            calls=tuple(_read_call(row) for row in _all(connection, schema.model_calls, session_id)),
            nodes=load_all_nodes(connection, session_id),
            overrides=tuple(map(rows.read_override, _all(connection, schema.overrides, session_id))),
            notes=tuple(map(rows.read_note, _all(connection, schema.notes, session_id))),
            resumptions=tuple(map(rows.read_resumption, _all(connection, schema.resumptions, session_id))),
        )


def _all(connection: Connection, table: Table, session_id: str) -> Any:
    return connection.execute(select(table).where(table.c.session_id == session_id).order_by(table.c.id))


def _read_call(row: Any) -> StoredCall:
    return StoredCall(row.turn, row.attempt, row.prompt, rows.read_call(row, ()))
