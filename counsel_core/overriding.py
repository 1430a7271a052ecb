"""A clinician changes what an agent believes: the stage, a topic, a distortion's type."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from sqlalchemy import insert
from sqlalchemy.engine import Connection

from counsel_core.agents import find_agent
from counsel_core.errors import FrozenSessionError, UnknownNameError
from counsel_core.records import Json, Override, Session
from counsel_core.storage import audit, turns
from counsel_core.storage.database import Database
from counsel_core.storage.delta import diff
from counsel_core.storage.rows import fetch_session
from counsel_core.storage.schema import dump_json, overrides
from counsel_core.storage.words import digest


def override_state(db: Database, session_id: str, kind: str, arguments: Json) -> Session:
    """Change a session's state in one of the ways its agent offers, and return the session.

    The change is kept between the turns it was made between, marks the session as overridden and is
    logged. What changes nothing is not recorded.

    Raises
    ------
    UnknownNameError
        The agent has no override of this kind.
    InputError
        The arguments make no sense, or there is no such session.
    FrozenSessionError
        The session is frozen.
    ConflictError
        A line is being answered right now.
    """
    with db.writing() as connection:
        session = fetch_session(connection, session_id)
        last = turns.fetch_last_turn(connection, session)
        turns.check_idle(last)
        if session.frozen:
            raise FrozenSessionError("The session is frozen; a reviewer has to resume it before this change.")
        agent = find_agent(session.agent)
        known = {offered.name: offered for offered in agent.overrides}
        if kind not in known:
            raise UnknownNameError(f"override of {agent.label}", kind, known)
        state, summary = known[kind].apply(agent.load(session.state), arguments, session.material)
        new = json.loads(dump_json(agent.dump(state)))
        change = diff(session.state, new)
        if not change:
            return session
        made = Override(
            session_id, turns.last_settled(session, last), kind, arguments, summary, datetime.now(UTC)
        )
        insert_override(connection, made, change)
        what = digest(dump_json(arguments))
        audit.record(
            connection, "state_overridden", session_id, after_turn=made.after_turn, kind=kind, change=what
        )
        complete = agent.is_complete(state)
        turns.update_session(connection, session_id, state=new, complete=complete, overridden=True)
        return fetch_session(connection, session_id)


def insert_override(connection: Connection, made: Override, change: Json) -> None:
    """Store an override and what it changed in the state."""
    values = {
        "session_id": made.session,
        "after_turn": made.after_turn,
        "kind": made.kind,
        "arguments": made.arguments,
        "summary": made.summary,
        "state_delta": change,
        "created": made.created,
    }
    connection.execute(insert(overrides), values)
