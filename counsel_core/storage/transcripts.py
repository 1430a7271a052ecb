"""What was said in a session, as the risk check and the agents read it."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from counsel_core.records import Session, Utterance
from counsel_core.storage.schema import turns


def fetch_client_lines(connection: Connection, session_id: str, count: int) -> list[str]:
    """Return the client's last lines, oldest first."""
    column = turns.c
    query = select(column.client).where(column.session_id == session_id)
    return list(connection.execute(query.order_by(column.number.desc()).limit(count)).scalars())[::-1]


def count_safety_replies(connection: Connection, session_id: str) -> int:
    """Return how often a session's client was answered with the fixed safety text."""
    query = select(func.count()).select_from(turns)
    return int(
        connection.execute(query.where(turns.c.session_id == session_id, turns.c.safety_reply)).scalar_one()
    )


def count_notices(connection: Connection, session_id: str) -> int:
    """Return how often a session's client was asked about safety before a reply."""
    query = select(func.count()).select_from(turns)
    return int(
        connection.execute(query.where(turns.c.session_id == session_id, turns.c.notice != "")).scalar_one()
    )


def fetch_transcript(
    connection: Connection, session: Session, number: int, window: int | None
) -> list[Utterance]:
    """Return what was said up to the client's line of turn `number`: all of it, or its last `window`."""
    column = turns.c
    first = 1 if window is None else max(1, number - max(window, 1) + 1)
    query = (
        select(column.client, column.notice, column.reply)
        .where(column.session_id == session.id, column.number >= first, column.number <= number)
        .order_by(column.number)
    )
    said = [Utterance("counsellor", session.opening)] if session.opening else []
    for client, notice, reply in connection.execute(query):
        said.append(Utterance("client", client))
        shown = "\n\n".join(part for part in (notice, reply) if part)
        if shown:
            said.append(Utterance("counsellor", shown))
    last = max(at for at, utterance in enumerate(said) if utterance.speaker == "client")
    heard = said[: last + 1]
    return heard if window is None else heard[-max(window, 1) :]
