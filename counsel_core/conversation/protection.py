"""Which fixed safety text a session needs: in its language and region, for whom it is about, newly worded."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy.engine import Connection

from counsel_core.errors import DataFileError
from counsel_core.records import Session, Turn
from counsel_core.safety.resources import UNKNOWN_REGION, regions
from counsel_core.safety.risk import REMEMBERED, category_of, find_signals, is_of_another
from counsel_core.safety.texts import Subject, concern_question, imminent_reply, subject_of
from counsel_core.storage.transcripts import count_notices, count_safety_replies, fetch_client_lines

_log = logging.getLogger(__name__)


def notice_before_reply(connection: Connection, session: Session, last: Turn | None, turn: Turn) -> str:
    """Return the question about safety if the line of `turn` rises to concern from `last`, else nothing."""
    if turn.risk.level != "concern" or (last is not None and last.risk.level != "none"):
        return ""
    before = fetch_client_lines(connection, session.id, REMEMBERED)
    seen = count_notices(connection, session.id)
    return concern_question(session.language, subject=find_subject(turn.client, before), seen=seen)


def safety_reply(
    connection: Connection, session: Session, line: str, resources_file: Path | None = None
) -> str:
    """Return the fixed answer to a client's line in a frozen session.

    A region that is no longer known, or a file of contacts that went wrong, keeps nobody from an answer.
    """
    before = fetch_client_lines(connection, session.id, REMEMBERED)
    try:
        known = regions(path=resources_file)
    except DataFileError as error:
        _log.error("The contacts that come with the project are shown instead: %s", error)
        known, resources_file = regions(), None
    region = session.settings["region"]
    return imminent_reply(
        session.language,
        region if region in known else UNKNOWN_REGION,
        seen=count_safety_replies(connection, session.id),
        subject=find_subject(line, before),
        resources_file=resources_file,
    )


def find_subject(line: str, before: Sequence[str] = ()) -> Subject:
    """Return whom a line is about or, if there is no danger in it, the last line `before` that holds one.

    Several dangers of the same level make it "general".

    >>> find_subject("Hello?", ["I want to kill myself."])
    'self'
    """
    lines = [*before, line]
    for place in reversed(range(len(lines))):
        signals = find_signals(lines[place], previous=lines[:place])
        if any(signal.level != "none" for signal in signals):
            category = category_of(signals)
            return "another" if is_of_another(lines[place], signals) else subject_of(category)
    return "general"
