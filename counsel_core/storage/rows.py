"""From rows to records, and how the rows are found."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.engine import Connection

from counsel_core.errors import InputError
from counsel_core.records import Finding, ModelCall, Note, Override, Risk, RiskLevel, Session, Turn
from counsel_core.storage import schema

LOST = (
    "The program that was answering stopped before the answer was saved. The client's line is kept: "
    "retry it, or take it back."
)

_ID = re.compile(r"[0-9a-f]{16}")
_SESSION_FIELDS = tuple(field.name for field in fields(Session))
_TURN_FIELDS = tuple(
    field.name for field in fields(Turn) if field.name not in ("session", "risk", "findings")
)
_SESSION_COLUMNS = tuple(schema.sessions.c[name] for name in _SESSION_FIELDS)


@dataclass(frozen=True, slots=True)
class Resumption:
    """A reviewer's decision that a session may go on, and why. `level` is the risk that stood until then."""

    session: str
    after_turn: int
    level: RiskLevel
    reviewer: str
    reason: str
    created: datetime


def check_id(session_id: str) -> str:
    """Return a session's id if it has the form of one.

    Raises
    ------
    InputError
        It is anything else: part of an address that was typed or cut, for one.
    """
    if not isinstance(session_id, str) or not _ID.fullmatch(session_id):
        raise InputError(
            f"{str(session_id)[:40]!r} is no session id: that has 16 digits and letters a to f. "
            "Open the session from the Archive."
        )
    return session_id


def fetch_session(connection: Connection, session_id: str) -> Session:
    """Return a session.

    Raises
    ------
    InputError
        The id has not the form of one, or no session has it.
    """
    query = select(*_SESSION_COLUMNS).where(schema.sessions.c.id == check_id(session_id))
    row = connection.execute(query).one_or_none()
    if row is None:
        raise InputError(
            f"There is no session {session_id}: it was deleted, or is in another database. "
            "The Archive lists those there are."
        )
    return read_session(row)


def session_query() -> Any:
    """Return the query of all sessions, for `read_session`."""
    return select(*_SESSION_COLUMNS)


def read_session(row: Row[Any]) -> Session:
    """Return the record of a session's row."""
    return Session(**row._mapping)


def read_turn(row: Row[Any]) -> Turn:
    """Return the record of a turn's row; one whose program has gone silent counts as failed."""
    values = {name: row._mapping[name] for name in _TURN_FIELDS}
    if row.status == "pending" and row.lease_until < time.time():
        values |= {"status": "failed", "error": LOST}
    return Turn(
        **values,
        session=row.session_id,
        risk=_read_risk(row.risk, row.evidence),
        findings=tuple(Finding(**finding) for finding in row.findings),
    )


def _read_risk(level: RiskLevel, evidence: list[Any]) -> Risk:
    """Return a line's risk: among its phrases stand, as objects, what second opinions said."""
    phrases = tuple(one for one in evidence if isinstance(one, str))
    return Risk(level, phrases, tuple(one["opinion"] for one in evidence if isinstance(one, dict)))


def read_call(row: Row[Any], messages: Any) -> ModelCall:
    """Return the record of a call's row, given the messages of its prompt."""
    return ModelCall(
        task=row.task,
        model=row.model,
        messages=messages,
        text=row.text,
        seconds=row.seconds,
        repairs=tuple(row.repairs),
        error=row.error,
        prompt_tokens=row.prompt_tokens,
        completion_tokens=row.completion_tokens,
        tokens_estimated=row.tokens_estimated,
        reasoning=row.reasoning,
        cached=row.cached,
    )


def read_override(row: Row[Any]) -> Override:
    """Return the record of an override's row."""
    return Override(row.session_id, row.after_turn, row.kind, row.arguments, row.summary, row.created)


def read_note(row: Row[Any]) -> Note:
    """Return the record of a note's row."""
    return Note(row.id, row.session_id, row.turn, row.text, row.created)


def read_resumption(row: Row[Any]) -> Resumption:
    """Return the record of a resumption's row."""
    return Resumption(row.session_id, row.after_turn, row.level, row.reviewer, row.reason, row.created)
