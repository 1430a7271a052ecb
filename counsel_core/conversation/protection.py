"""Which fixed safety text a session needs: in its language and region, for whom it is about, newly worded."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.engine import Connection

from counsel_core.records import RISK_LEVELS, Session, Turn
from counsel_core.safety.resources import UNKNOWN_REGION, regions
from counsel_core.safety.risk import REMEMBERED, find_signals
from counsel_core.safety.texts import Subject, concern_question, imminent_reply, subject_of
from counsel_core.storage.transcripts import count_notices, count_safety_replies, fetch_client_lines


def notice_before_reply(connection: Connection, session: Session, last: Turn | None, turn: Turn) -> str:
    """Return the question about safety if the line of `turn` rises to concern from `last`, else nothing."""
    if turn.risk.level != "concern" or (last is not None and last.risk.level != "none"):
        return ""
    seen = count_notices(connection, session.id)
    return concern_question(session.language, subject=find_subject([turn.client]), seen=seen)


def safety_reply(connection: Connection, session: Session, line: str) -> str:
    """Return the fixed answer to a client's line in a frozen session."""
    before = fetch_client_lines(connection, session.id, REMEMBERED)
    region = session.settings["region"]
    return imminent_reply(
        session.language,
        # A region that the data file no longer has must not keep a person from an answer.
        region if region in regions() else UNKNOWN_REGION,
        seen=count_safety_replies(connection, session.id),
        subject=find_subject([line, *reversed(before)]),
    )


def find_subject(lines: Sequence[str]) -> Subject:
    """Return whom the first line with a danger in it is about, at its highest level; newest line first.

    >>> find_subject(["Hello?", "I want to kill myself."])
    'self'
    """
    for line in lines:
        raised = [signal for signal in find_signals(line) if signal.level != "none"]
        if raised:
            worst = max(raised, key=lambda signal: RISK_LEVELS.index(signal.level))
            return subject_of(worst.pattern.category)
    return "general"
