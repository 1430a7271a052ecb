"""Risks that a reviewer has let a session go on after: what stays to be known of them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from counsel_core.storage import rows, schema
from counsel_core.storage.database import Database
from counsel_core.storage.rows import Resumption, fetch_session


@dataclass(frozen=True, slots=True)
class PastRisk:
    """A risk and the decision that ended it. `turn` is that of the line that raised it.

    It is None where that line was taken out since.
    """

    turn: int | None
    resumption: Resumption


def load_past_risks(db: Database, session_id: str) -> list[PastRisk]:
    """Return the risks of a session that a reviewer has decided on, oldest first."""
    turn, resumption = schema.turns.c, schema.resumptions.c
    with db.reading() as connection:
        fetch_session(connection, session_id)
        query = select(schema.resumptions).where(resumption.session_id == session_id).order_by(resumption.id)
        decided = [rows.read_resumption(row) for row in connection.execute(query)]
        if not decided:
            return []
        raised = select(turn.number, turn.risk).where(turn.session_id == session_id, turn.risk != "none")
        lines = connection.execute(raised.order_by(turn.number)).all()
    found, after = [], 0
    for one in decided:
        within = [row for row in lines if after < row.number <= one.after_turn]
        raising = next((row.number for row in within if row.risk == one.level), None)
        found.append(PastRisk(raising, one))
        after = one.after_turn
    return found
