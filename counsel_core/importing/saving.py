"""Storing an imported session: a new one, of whoever imports it, in which no danger has been decided on.

A file can be written by anybody. What its lines say is checked anew, and can only be graver than the file
has it; a freeze comes along, as does any imminent line, whatever resumption the file tells of: that
decision was another installation's, and stays to be read.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

from sqlalchemy import insert
from sqlalchemy.engine import Connection

from counsel_core.agents import find_agent
from counsel_core.errors import InputError
from counsel_core.importing.reading import Imported, read_export
from counsel_core.overriding import insert_override
from counsel_core.records import RISK_LEVELS, Risk, RiskLevel, Session, Turn
from counsel_core.safety.risk import REMEMBERED
from counsel_core.safety.screening import screen
from counsel_core.storage import audit, schema, turns
from counsel_core.storage.database import Database
from counsel_core.storage.delta import diff
from counsel_core.storage.rows import fetch_session
from counsel_core.storage.sessions import LONGEST_TITLE, insert_session
from counsel_core.storage.words import digest, read_typed

REMARK = " (imported)"


def import_session(db: Database, content: bytes) -> Session:
    """Store the session of a JSON export under a new id and return it.

    Raises
    ------
    InputError
        The file is no such export, or something in it cannot be; nothing is stored.
    StorageError
        The database cannot be used.
    """
    imported = read_export(content)
    lines = _checked(imported.turns)
    levels: list[RiskLevel] = [imported.session.risk, *(turn.risk.level for turn in lines)]
    gravest = max(levels, key=RISK_LEVELS.index)
    frozen = imported.session.frozen or gravest == "imminent"
    session = replace(
        imported.session,
        id=secrets.token_hex(8),
        title=_title(imported.session.title),
        risk="imminent" if frozen else gravest,
        frozen=frozen,
        complete=_is_complete(imported.session),
    )
    with db.writing() as connection:
        insert_session(connection, session, opening_state=imported.opening_state)
        _insert_all(connection, session, replace(imported, turns=lines))
        audit.record(
            connection,
            "session_imported",
            session.id,
            turns=session.turn_count,
            file=digest(content.decode("utf-8", "replace")),
        )
        return fetch_session(connection, session.id)


def _title(given: str) -> str:
    title = read_typed(given[:2000], "title of the export", longest=2000, one_line=True)
    return title[: LONGEST_TITLE - len(REMARK)] + REMARK


def _is_complete(session: Session) -> bool:
    agent = find_agent(session.agent)
    return agent.is_complete(agent.load(session.state))


def _checked(given: tuple[Turn, ...]) -> tuple[Turn, ...]:
    """Return the turns, the risk of each line as the file has it or as it is found now, if that is graver."""
    checked: list[Turn] = []
    for turn in given:
        before = [earlier.client for earlier in checked[-REMEMBERED:]]
        found = screen(turn.client, previous=before)
        checked.append(replace(turn, risk=_graver(turn.risk, found)))
    return tuple(checked)


def _graver(one: Risk, other: Risk) -> Risk:
    return other if RISK_LEVELS.index(other.level) > RISK_LEVELS.index(one.level) else one


def _insert_all(connection: Connection, session: Session, imported: Imported) -> None:
    state = imported.opening_state
    overrides = sorted(imported.overrides, key=lambda made: made[0].after_turn)
    for number in range(session.turn_count + 1):
        if number:
            turn, after = imported.turns[number - 1], imported.states[number - 1]
            turns.insert_turn(connection, replace(turn, session=session.id, state_delta=diff(state, after)))
            state = after
        while overrides and overrides[0][0].after_turn == number:
            made, after = overrides.pop(0)
            insert_override(connection, replace(made, session=session.id), diff(state, after))
            state = after
    if overrides or state != session.state:
        raise InputError("The export's changes do not lead to the state it ends with; nothing was stored.")
    for turn_number, attempt, call in imported.calls:
        turns.save_calls(connection, session.id, turn_number, attempt, [call])
    notes = [
        {"session_id": session.id, "turn": note.turn, "text": note.text, "created": note.created}
        for note in imported.notes
    ]
    if notes:
        connection.execute(insert(schema.notes), notes)
    for one in imported.resumptions:
        values = {"after_turn": one.after_turn, "level": one.level, "created": one.created}
        words = {"reviewer": one.reviewer, "reason": one.reason}
        connection.execute(insert(schema.resumptions), {"session_id": session.id, **values, **words})
