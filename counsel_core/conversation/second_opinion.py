"""A language model's second opinion within a turn: it raises the line's risk before the agent is asked."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sqlalchemy.engine import Connection

from counsel_core.conversation.protection import notice_before_reply, safety_reply
from counsel_core.conversation.session import SECOND_OPINION
from counsel_core.errors import AgentReplyError, ProviderError
from counsel_core.llm._base import Caller
from counsel_core.records import RISK_LEVELS, Risk, Session, Turn
from counsel_core.safety.model_opinion import TASK, ask_opinion
from counsel_core.safety.risk import REMEMBERED
from counsel_core.safety.screening import raise_by
from counsel_core.storage import audit, turns
from counsel_core.storage.database import Database
from counsel_core.storage.leases import Claim
from counsel_core.storage.transcripts import fetch_client_lines

_log = logging.getLogger(__name__)


def ask_second_opinion(
    db: Database, session: Session, turn: Turn, caller: Caller, progress: Callable[[str], None]
) -> Risk:
    """Return the line's risk, raised if the session's model sees more; rules have no second opinion.

    A model that fails, or gives no usable answer, leaves the risk as it is.
    """
    wanted = session.settings.get(SECOND_OPINION.key, False) and caller.model.spec.location != "rules"
    if not wanted or turn.risk.level == "imminent":
        return turn.risk
    progress("Asking the model whether there is danger")
    with db.reading() as connection:
        lines = fetch_client_lines(connection, session.id, REMEMBERED + 1)
    try:
        opinion = ask_opinion(caller, turn.client, lines[:-1], session.language)
    except (ProviderError, AgentReplyError) as error:
        _log.error(
            "The model's second opinion failed, and the risk stands as it is: %s", type(error).__name__
        )
        return turn.risk
    return raise_by(turn.risk, opinion)


def save_raised(
    connection: Connection,
    session: Session,
    claim: Claim,
    turn: Turn,
    risk: Risk,
    resources_file: Path | None,
) -> Turn:
    """Store a risk that was raised after the line was: with a question before the reply, or with a freeze.

    Raises
    ------
    ConflictError
        The claim is lost; nothing is stored.
    """
    raised = replace(turn, risk=risk)
    if risk.level == "imminent":
        reply = safety_reply(connection, session, turn.client, resources_file)
        raised = replace(raised, status="answered", reply=reply, safety_reply=True, seconds=0.0)
    elif turn.risk.level == "none":
        last = turns.fetch_turn(connection, session.id, turn.number - 1) if turn.number > 1 else None
        raised = replace(raised, notice=notice_before_reply(connection, session, last, raised))
    turns.save_raised(connection, claim, raised)
    level = max(session.risk, risk.level, key=RISK_LEVELS.index)
    frozen = risk.level == "imminent"
    turns.update_session(connection, session.id, risk=level, frozen=frozen)
    audit.record(connection, TASK, session.id, turn=turn.number, risk=risk.level)
    if frozen:
        audit.record(connection, "session_frozen", session.id, turn=turn.number)
    return raised
