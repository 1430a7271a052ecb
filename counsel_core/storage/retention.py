"""How long sessions are kept: those nobody used for so many days are deleted, but for those in danger."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, delete, exists, select

from counsel_core.storage import audit, schema
from counsel_core.storage.database import Database

AT_ONCE = 50
"""Sessions deleted in one transaction, so that nobody waits long for it."""


@dataclass(frozen=True, slots=True)
class Due:
    """A session that nobody has used for too long. `held` says why it is kept nevertheless, if it is."""

    session: str
    title: str
    updated: datetime
    held: str = ""


def list_due(db: Database, days: int, now: datetime | None = None) -> tuple[Due, ...]:
    """Return the sessions unused for `days` days, the oldest first; those that are kept say why.

    A frozen session waits for a reviewer, and one that is being answered for its answer.
    """
    before = (now or datetime.now(UTC)) - timedelta(days=days)
    session = schema.sessions.c
    query = select(session.id, session.title, session.updated, session.frozen, _answering())
    with db.reading() as connection:
        found = connection.execute(query.where(session.updated < before).order_by(session.updated)).all()
    return tuple(
        Due(key, title, updated, _held(frozen=frozen, answered=answered))
        for key, title, updated, frozen, answered in found
    )


def purge(db: Database, days: int, now: datetime | None = None) -> tuple[Due, ...]:
    """Delete the sessions that are due and not held, with all their words; return them.

    Raises
    ------
    StorageError
        The database cannot be written, or another program keeps the log file from being emptied.
    """
    due = [one for one in list_due(db, days, now) if not one.held]
    before = (now or datetime.now(UTC)) - timedelta(days=days)
    gone: list[Due] = []
    for start in range(0, len(due), AT_ONCE):
        with db.writing() as connection:
            for one in due[start : start + AT_ONCE]:
                # It may have been used, or frozen, since it was listed.
                columns = schema.sessions.c
                unused = (columns.updated < before) & ~columns.frozen & ~_answering()
                which = delete(schema.sessions).where(columns.id == one.session, unused)
                if connection.execute(which).rowcount:
                    audit.record(connection, "session_purged", one.session, days=days)
                    gone.append(one)
    if gone:
        db.forget()
    return tuple(gone)


def _answering() -> ColumnElement[bool]:
    turn = schema.turns.c
    return exists().where(
        turn.session_id == schema.sessions.c.id, turn.status == "pending", turn.lease_until > time.time()
    )


def _held(*, frozen: bool, answered: bool) -> str:
    if frozen:
        return "frozen: a reviewer has to decide"
    return "being answered" if answered else ""
