"""Sessions and all that belongs to them, as pages and commands read and manage them."""

from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, delete, exists, func, insert, or_, select, update
from sqlalchemy.engine import Connection

from counsel_core.errors import InputError
from counsel_core.records import Json, ModelCall, Note, Override, Session, Turn
from counsel_core.storage import audit, rows, schema
from counsel_core.storage.database import Database
from counsel_core.storage.history import state_at
from counsel_core.storage.prompts import load_nodes, read_chain
from counsel_core.storage.rows import Resumption, fetch_session
from counsel_core.storage.words import read_typed

LONGEST_TITLE = 200
LONGEST_NOTE = 8000


def insert_session(connection: Connection, session: Session, *, opening_state: Json) -> None:
    """Store a new session, whose first state is given beside the one it has now."""
    values = {field.name: getattr(session, field.name) for field in fields(session)}
    connection.execute(insert(schema.sessions), values | {"opening_state": opening_state})


def load_session(db: Database, session_id: str) -> Session:
    """Return a session; InputError for an id that is none or that no session has."""
    with db.reading() as connection:
        return fetch_session(connection, session_id)


def list_sessions(
    db: Database, query: str = "", agent: str | None = None, limit: int = 50, offset: int = 0
) -> list[Session]:
    """Return sessions, the last used first; `query` is looked for in titles and in what was said."""
    columns = schema.sessions.c
    wanted = _matching(rows.session_query(), query, agent)
    page = wanted.order_by(columns.updated.desc(), columns.id).limit(limit).offset(offset)
    with db.reading() as connection:
        return [rows.read_session(row) for row in connection.execute(page)]


def count_sessions(db: Database, query: str = "", agent: str | None = None) -> int:
    """Return how many sessions `list_sessions` has in all for the same choice."""
    wanted = _matching(select(func.count()).select_from(schema.sessions), query, agent)
    with db.reading() as connection:
        return int(connection.execute(wanted).scalar_one())


def _matching(wanted: Select[Any], query: str, agent: str | None) -> Select[Any]:
    session, turn = schema.sessions.c, schema.turns.c
    if agent is not None:
        wanted = wanted.where(session.agent == agent)
    if words := query.strip():
        said = or_(
            turn.client.icontains(words, autoescape=True), turn.reply.icontains(words, autoescape=True)
        )
        spoken = exists().where(turn.session_id == session.id, said)
        wanted = wanted.where(or_(session.title.icontains(words, autoescape=True), spoken))
    return wanted


def rename_session(db: Database, session_id: str, title: str) -> Session:
    """Give a session another title (1 to 200 characters, one line) and return it."""
    name = read_typed(title, "title", longest=LONGEST_TITLE, one_line=True)
    with db.writing() as connection:
        fetch_session(connection, session_id)
        change = update(schema.sessions).where(schema.sessions.c.id == session_id)
        connection.execute(change.values(title=name))
        return fetch_session(connection, session_id)


def delete_session(db: Database, session_id: str) -> None:
    """Delete a session with all its words: rows, prompts, traces, and what the log file holds of them.

    Raises
    ------
    InputError
        No session has this id.
    StorageError
        It could not be deleted; or it was, but another program keeps the log file from being emptied.
    """
    with db.writing() as connection:
        fetch_session(connection, session_id)
        connection.execute(delete(schema.sessions).where(schema.sessions.c.id == session_id))
        audit.record(connection, "session_deleted", session_id)
    db.forget()


def load_turns(db: Database, session_id: str, first: int = 1, last: int | None = None) -> list[Turn]:
    """Return the turns from `first` to `last` (None: to the end), oldest first."""
    with db.reading() as connection:
        fetch_session(connection, session_id)
        return fetch_turns(connection, session_id, first, last)


def fetch_turns(
    connection: Connection, session_id: str, first: int = 1, last: int | None = None
) -> list[Turn]:
    """Return turns within a transaction; none for a session that is not there."""
    turn = schema.turns.c
    query = select(schema.turns).where(turn.session_id == session_id, turn.number >= first)
    if last is not None:
        query = query.where(turn.number <= last)
    return [rows.read_turn(row) for row in connection.execute(query.order_by(turn.number))]


def check_turn(session: Session, number: int) -> None:
    """Refuse the number of a turn that a session does not have; 0 is the opening."""
    if not 0 <= number <= session.turn_count:
        raise InputError(f"There is no turn {number}: the session has turns 0 to {session.turn_count}.")


def load_attempts(db: Database, session_id: str, turn: int) -> list[tuple[int, ModelCall]]:
    """Return every model call of a turn in order, each with the number of its attempt (from 1).

    Those of failed attempts are among them, with their full prompts.
    """
    call = schema.model_calls.c
    query = select(schema.model_calls).where(call.session_id == session_id, call.turn == turn)
    with db.reading() as connection:
        check_turn(fetch_session(connection, session_id), turn)
        found = connection.execute(query.order_by(call.id)).all()
        nodes = load_nodes(connection, session_id, [row.prompt for row in found if row.prompt])
    return [(row.attempt, rows.read_call(row, read_chain(nodes, row.prompt))) for row in found]


def load_overrides(db: Database, session_id: str) -> list[Override]:
    """Return what clinicians changed in a session, oldest first."""
    return [rows.read_override(row) for row in _belonging(db, schema.overrides, session_id)]


def load_resumptions(db: Database, session_id: str) -> list[Resumption]:
    """Return who let a session go on after a risk, and why, oldest first."""
    return [rows.read_resumption(row) for row in _belonging(db, schema.resumptions, session_id)]


def load_notes(db: Database, session_id: str) -> list[Note]:
    """Return the notes on a session's turns, in order of writing."""
    return [rows.read_note(row) for row in _belonging(db, schema.notes, session_id)]


def _belonging(db: Database, table: Any, session_id: str) -> Any:
    with db.reading() as connection:
        fetch_session(connection, session_id)
        query = select(table).where(table.c.session_id == session_id).order_by(table.c.id)
        return connection.execute(query).all()


def save_note(db: Database, session_id: str, turn: int, text: str) -> Note:
    """Add a note to a turn (0 is the opening) and return it."""
    words = read_typed(text, "note", longest=LONGEST_NOTE)
    values = {"session_id": session_id, "turn": turn, "text": words, "created": datetime.now(UTC)}
    with db.writing() as connection:
        check_turn(fetch_session(connection, session_id), turn)
        row = connection.execute(insert(schema.notes).values(values).returning(schema.notes)).one()
    return rows.read_note(row)


def delete_note(db: Database, session_id: str, note: int) -> None:
    """Delete a note; InputError if the session has none of that id."""
    columns = schema.notes.c
    with db.writing() as connection:
        fetch_session(connection, session_id)
        which = delete(schema.notes).where(columns.session_id == session_id, columns.id == note)
        if not connection.execute(which).rowcount:
            raise InputError(f"There is no note {note} in this session; it may have been deleted already.")


def state_after(db: Database, session_id: str, turn: int) -> Json:
    """Return the state after a turn (0: at the start), with what was overridden before the next one."""
    with db.reading() as connection:
        check_turn(fetch_session(connection, session_id), turn)
        return state_at(connection, session_id, turn)
