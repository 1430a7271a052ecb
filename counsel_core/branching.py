"""Branch a session from any of its turns, or rewind it; nothing that was entered is lost.

"After turn n" is the moment before the client's line n + 1: overrides made in between belong to it. A
copy has the risk and the freeze that its source has now, wherever it begins; and it is frozen where it ends
between a danger and the resumption that a reviewer wrote later: no branch lifts a freeze.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Table, func, insert, literal, select
from sqlalchemy.engine import Connection

from counsel_core.agents import find_agent
from counsel_core.records import Json, Session
from counsel_core.storage import audit, schema, turns
from counsel_core.storage.database import Database
from counsel_core.storage.history import state_at
from counsel_core.storage.prompts import copy_prompts
from counsel_core.storage.rows import fetch_session
from counsel_core.storage.sessions import LONGEST_TITLE, check_turn, insert_session


def branch_session(db: Database, session_id: str, after_turn: int) -> Session:
    """Copy a session as it was after a turn (0: its opening) and return the copy.

    Raises
    ------
    InputError
        No such session, or no such turn in it.
    ConflictError
        That turn is being answered right now.
    """
    with db.writing() as connection:
        session = fetch_session(connection, session_id)
        check_turn(session, after_turn)
        last = turns.fetch_last_turn(connection, session)
        if last is not None and after_turn == last.number:
            turns.check_idle(last)
        return _copy(connection, session, after_turn, f"branch after turn {after_turn}")


def rewind_session(db: Database, session_id: str, after_turn: int) -> tuple[Session, Session | None]:
    """Take a session back to a turn; what is cut stays in a copy of the whole session.

    Returns
    -------
    tuple
        The shortened session, and the copy; None in its place if there was nothing to cut.

    Raises
    ------
    InputError
        No such session, or no such turn in it.
    ConflictError
        The last turn is being answered right now.
    """
    with db.writing() as connection:
        session = fetch_session(connection, session_id)
        check_turn(session, after_turn)
        turns.check_idle(turns.fetch_last_turn(connection, session))
        if after_turn == session.turn_count:
            return session, None
        copy = _copy(connection, session, session.turn_count, f"before rewinding to turn {after_turn}")
        turns.remove_turns(connection, session_id, after_turn)
        state = state_at(connection, session_id, after_turn)
        turns.update_session(connection, session_id, **_standing(connection, session, session_id, state))
        audit.record(connection, "session_rewound", session_id, after_turn=after_turn, copy=copy.id)
        return fetch_session(connection, session_id), copy


def _copy(connection: Connection, source: Session, after_turn: int, remark: str) -> Session:
    state = state_at(connection, source.id, after_turn)
    query = select(schema.sessions.c.opening_state).where(schema.sessions.c.id == source.id)
    first_state = connection.execute(query).scalar_one()
    now = datetime.now(UTC)
    copy = replace(
        source,
        id=secrets.token_hex(8),
        title=f"{source.title[: LONGEST_TITLE - len(remark) - 3]} ({remark})",
        state=state,
        created=now,
        updated=now,
        turn_count=after_turn,
        parent=source.id,
        parent_turn=after_turn,
    )
    insert_session(connection, copy, opening_state=first_state)
    for table, number in (
        (schema.turns, "number"),
        (schema.model_calls, "turn"),
        (schema.overrides, "after_turn"),
        (schema.notes, "turn"),
        (schema.resumptions, "after_turn"),
    ):
        _copy_rows(connection, table, number, source.id, copy)
    copy_prompts(connection, source.id, copy.id, after_turn)
    standing = _standing(connection, source, copy.id, state)
    if _danger_unanswered(connection, copy.id):
        standing |= {"frozen": True, "risk": "imminent"}
    turns.update_session(connection, copy.id, **standing)
    audit.record(connection, "session_branched", source.id, after_turn=after_turn, copy=copy.id)
    return fetch_session(connection, copy.id)


def _danger_unanswered(connection: Connection, session_id: str) -> bool:
    """Whether a session's last imminent line came after its last resumption."""
    line, resumed = schema.turns.c, schema.resumptions.c
    imminent = select(func.max(line.number)).where(line.session_id == session_id, line.risk == "imminent")
    last = select(func.max(resumed.after_turn)).where(resumed.session_id == session_id)
    danger: int | None = connection.execute(imminent).scalar_one()
    decided: int | None = connection.execute(last).scalar_one()
    return danger is not None and (decided is None or decided < danger)


def _copy_rows(connection: Connection, table: Table, number: str, source: str, copy: Session) -> None:
    kept = [column for column in table.c if column.name not in ("id", "session_id")]
    which = (table.c.session_id == source) & (table.c[number] <= copy.turn_count)
    key: list[Any] = [table.c[number]] if "id" not in table.c else [table.c.id]
    rows = select(literal(copy.id), *kept).where(which).order_by(*key)
    connection.execute(insert(table).from_select(["session_id", *[column.name for column in kept]], rows))


def _standing(connection: Connection, source: Session, session_id: str, state: Json) -> dict[str, Any]:
    """Return what a session's row says of a state that was rebuilt."""
    agent = find_agent(source.agent)
    query = select(schema.overrides.c.id).where(schema.overrides.c.session_id == session_id).limit(1)
    overridden = connection.execute(query).first() is not None
    return {"state": state, "complete": agent.is_complete(agent.load(state)), "overridden": overridden}
