"""One turn: a client's line goes in, a checked reply comes out, nothing is lost.

A turn is stored in two steps. The client's line is saved first, with what the risk check found; then the
agent answers; then one transaction saves the reply, the change of state, the trace and every call. What
happens in between, a failure or the end of the program, leaves a line that can be retried or taken back.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from sqlalchemy.engine import Connection

from counsel_core.agents import find_agent
from counsel_core.agents._base import TurnContext
from counsel_core.conversation.protection import notice_before_reply, safety_reply
from counsel_core.conversation.second_opinion import ask_second_opinion, save_raised
from counsel_core.conversation.session import agent_settings_among
from counsel_core.errors import AgentReplyError, ConflictError, CounselError, StoppedError
from counsel_core.language.embeddings import embedder_for
from counsel_core.llm._base import Caller, ChatModel
from counsel_core.records import (
    LONGEST_LINE,
    RISK_LEVELS,
    Finding,
    ModelCall,
    Risk,
    Session,
    Turn,
    TurnStatus,
)
from counsel_core.safety.reply import check_reply
from counsel_core.safety.risk import REMEMBERED
from counsel_core.safety.screening import screen
from counsel_core.safety.texts import blocked_reply
from counsel_core.storage import audit, turns
from counsel_core.storage.database import Database
from counsel_core.storage.leases import Claim, Lease
from counsel_core.storage.rows import check_id, fetch_session
from counsel_core.storage.transcripts import fetch_client_lines, fetch_transcript
from counsel_core.storage.words import read_typed

OVERTAKEN = "Stopped: while this line was being answered, the next one froze the session."

Progress = Callable[[str], None]


def take_turn(
    db: Database,
    model: ChatModel,
    session_id: str,
    text: str,
    *,
    expected_turn: int | None = None,
    author: Literal["person", "sample client"] = "person",
    progress: Progress = lambda step: None,
    cancel: threading.Event | None = None,
    resources_file: Path | None = None,
) -> Turn:
    """Take a client's line and answer it.

    A line of imminent risk freezes the session and is answered with a fixed text, at once and whatever
    state the line before it is in; no agent and no model is asked then, nor while the session is frozen.
    At a rise to concern a question about safety is put before the agent's reply.

    Parameters
    ----------
    text
        1 to 8,000 characters; control characters are left out.
    expected_turn
        The number the turn is expected to have, as a page shows it: another one means that the session
        went on elsewhere. None: whichever comes next.
    progress
        Called with each step of the agent as it begins.
    cancel
        Set by another thread to stop the answer.
    resources_file
        The deployer's own contacts, `Settings.resources_file`; it need not exist.

    Raises
    ------
    InputError
        The line is empty or too long, or there is no such session. Nothing is saved.
    ConflictError
        The session went on elsewhere, is being answered, or its last line has no answer yet.
    ProviderError, AgentReplyError, StoppedError
        The agent could not answer. The line is saved and can be retried; the state is unchanged.
    StorageError
        The database cannot be used.
    """
    line = read_typed(text, "message", longest=LONGEST_LINE)
    with db.reading() as connection:
        before = fetch_client_lines(connection, check_id(session_id), REMEMBERED)
    risk = screen(line, previous=before)
    with db.writing() as connection:
        session = fetch_session(connection, session_id)
        last = turns.fetch_last_turn(connection, session)
        _check_next(session, last, line, risk, expected_turn)
        turn = Turn(session_id, session.turn_count + 1, "pending", line, datetime.now(UTC), author, risk=risk)
        claim = _save_line(db, connection, session, last, turn, resources_file)
        if claim is None:
            return turns.fetch_turn(connection, session_id, turn.number)
    return _answer(db, model, session, claim, turn, progress, cancel, resources_file)


def retry_turn(
    db: Database,
    model: ChatModel,
    session_id: str,
    *,
    progress: Progress = lambda step: None,
    cancel: threading.Event | None = None,
    resources_file: Path | None = None,
) -> Turn:
    """Answer the last line again after a failure, a stop or a crash; raises as `take_turn` does.

    The calls of earlier attempts are kept. In a frozen session the fixed safety text answers.
    """
    with db.writing() as connection:
        session = fetch_session(connection, session_id)
        last = _unanswered(turns.fetch_last_turn(connection, session))
        if session.frozen:
            reply = safety_reply(connection, session, last.client, resources_file)
            turns.settle_with_safety(connection, last, reply)
            audit.record(connection, "safety_reply", session_id, turn=last.number)
            return turns.fetch_turn(connection, session_id, last.number)
        claim = turns.claim_again(connection, last, db.lease_seconds)
    return _answer(db, model, session, claim, last, progress, cancel, resources_file)


def withdraw_turn(db: Database, session_id: str) -> str:
    """Take back a last line that was not answered and return it, so that it can be put in other words.

    Raises
    ------
    ConflictError
        The last line has its answer, or is being answered.
    """
    with db.writing() as connection:
        session = fetch_session(connection, session_id)
        last = _unanswered(turns.fetch_last_turn(connection, session))
        turns.remove_turns(connection, session_id, after=last.number - 1)
        audit.record(connection, "turn_withdrawn", session_id, turn=last.number, risk=last.risk.level)
    return last.client


def _unanswered(last: Turn | None) -> Turn:
    turns.check_idle(last)
    if last is None or last.status == "answered":
        which = "Nothing was said yet" if last is None else f"Turn {last.number} has its answer"
        raise ConflictError(f"{which}; there is no line to retry or to take back.")
    return last


def _check_next(
    session: Session, last: Turn | None, line: str, risk: Risk, expected_turn: int | None
) -> None:
    elsewhere = expected_turn is not None and expected_turn != session.turn_count + 1
    if session.frozen or risk.level == "imminent":
        # Danger does not wait its turn; only the same line sent twice is not taken twice.
        if not (elsewhere and last is not None and last.client == line):
            return
    else:
        turns.check_idle(last)
    if elsewhere:
        raise ConflictError(
            f"The session went on in another window: this would be turn {session.turn_count + 1}, not "
            f"{expected_turn}. Read what was said there, then send your line again."
        )
    if last is not None and last.status != "answered":
        raise ConflictError("The last line has no answer yet. Retry it, or take it back, then go on.")


def _save_line(
    db: Database,
    connection: Connection,
    session: Session,
    last: Turn | None,
    turn: Turn,
    resources_file: Path | None,
) -> Claim | None:
    """Save a line; with imminent risk, or while frozen, with its fixed answer: then nothing is claimed."""
    frozen = session.frozen or turn.risk.level == "imminent"
    claim = None
    if frozen:
        if last is not None and last.status == "pending":
            turns.end_unanswered(connection, last, OVERTAKEN)
        text = safety_reply(connection, session, turn.client, resources_file)
        turn = replace(turn, status="answered", reply=text, safety_reply=True, seconds=0.0)
    else:
        claim = turns.new_claim(session.id, turn.number)
        turn = replace(turn, notice=notice_before_reply(connection, session, last, turn))
    turns.insert_turn(connection, turn, claim, db.lease_seconds)
    risk = max(session.risk, turn.risk.level, key=RISK_LEVELS.index)
    turns.update_session(connection, session.id, turn_count=turn.number, risk=risk, frozen=frozen)
    if frozen:
        action = "safety_reply" if session.frozen else "session_frozen"
        audit.record(connection, action, session.id, turn=turn.number)
    return claim


def _answer(
    db: Database,
    model: ChatModel,
    session: Session,
    claim: Claim,
    turn: Turn,
    progress: Progress,
    cancel: threading.Event | None,
    resources_file: Path | None,
) -> Turn:
    calls: list[ModelCall] = []
    caller = Caller(model, calls.append, cancel or threading.Event())
    with Lease(db, claim, caller.cancel):
        try:
            risk = ask_second_opinion(db, session, turn, caller, progress)
            if risk != turn.risk:
                with db.writing() as connection:
                    save_raised(connection, session, claim, turn, risk, resources_file)
                    if risk.level == "imminent":
                        turns.save_calls(connection, session.id, claim.number, claim.attempt, calls)
                        return turns.fetch_turn(connection, session.id, claim.number)
            answer = _ask(db, session, claim.number, risk, caller, progress)
        except CounselError as error:
            status: TurnStatus = "stopped" if isinstance(error, StoppedError) else "failed"
            with db.writing() as connection:
                turns.save_failure(connection, claim, status, str(error), calls)
            raise
        with db.writing() as connection:
            return turns.save_answer(connection, session, claim, answer, calls)


def _ask(
    db: Database, session: Session, number: int, risk: Risk, caller: Caller, progress: Progress
) -> turns.Answer:
    """Ask the agent; a reply that must not be shown is asked for once more, then replaced."""
    started = time.perf_counter()
    agent = find_agent(session.agent)
    own = agent_settings_among(session.settings)
    with db.reading() as connection:
        transcript = fetch_transcript(connection, session, number, agent.window(own))
    context = TurnContext(
        caller,
        embedder_for(session.language),
        session.language,
        own,
        session.material,
        number,
        progress,
        danger=risk.level != "none",
    )
    findings: tuple[Finding, ...] = ()
    for _ in range(2):
        reply = agent.respond(agent.load(session.state), transcript, context)
        if not reply.text.strip():
            raise AgentReplyError(f"{agent.label} wrote an empty reply. Try again, or choose another model.")
        found = check_reply(reply.text)
        findings += found
        if not found:
            break
    return turns.Answer(
        reply=blocked_reply(session.language) if found else reply.text,
        state=agent.dump(reply.state),
        complete=agent.is_complete(reply.state),
        trace=reply.trace,
        findings=findings,
        model=None if found else caller.model.spec.label,
        model_name=caller.model.spec.name,
        seconds=time.perf_counter() - started,
    )
