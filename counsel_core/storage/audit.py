"""The audit log: what was done, in ids, numbers and hashes, never in words. It can only be added to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import insert, select
from sqlalchemy.engine import Connection

from counsel_core.records import Json
from counsel_core.storage.database import Database
from counsel_core.storage.schema import audit
from counsel_core.storage.words import digest

_NAME = re.compile(r"[A-Za-z0-9_.:/@+-]{1,80}")


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry; `actor_hash` is the digest of the name of whoever did it, where a name was given."""

    id: int
    created: datetime
    action: str
    session: str | None
    actor_hash: str | None
    details: Json


def record(
    connection: Connection,
    action: str,
    session: str | None = None,
    *,
    actor_hash: str | None = None,
    **details: int | str | None,
) -> None:
    """Add an entry, in the transaction of what it tells of.

    A detail is a number, a hash or a name without spaces; ValueError for anything that could be words.
    """
    for key, value in details.items():
        if isinstance(value, str) and not _NAME.fullmatch(value):
            raise ValueError(f"{key} of the audit entry {action} may be words; store their digest")
    values = {
        "created": datetime.now(UTC),
        "action": action,
        "session": session,
        "actor_hash": actor_hash,
        "details": details,
    }
    connection.execute(insert(audit), values)


def name_or_digest(name: str) -> str:
    """Return a name as it is if it cannot be words, else its digest."""
    return name if _NAME.fullmatch(name) else digest(name)


def read(db: Database, session: str | None = None) -> tuple[AuditEntry, ...]:
    """Return the entries, oldest first; those of one session if it is given."""
    query = select(audit).order_by(audit.c.id)
    if session is not None:
        query = query.where(audit.c.session == session)
    with db.reading() as connection:
        return tuple(AuditEntry(**row._mapping) for row in connection.execute(query))


def read_latest(db: Database, most: int, session: str | None = None) -> tuple[AuditEntry, ...]:
    """Return the latest entries, the newest first, at most so many; those of one session if it is given."""
    query = select(audit).order_by(audit.c.id.desc()).limit(most)
    if session is not None:
        query = query.where(audit.c.session == session)
    with db.reading() as connection:
        return tuple(AuditEntry(**row._mapping) for row in connection.execute(query))
