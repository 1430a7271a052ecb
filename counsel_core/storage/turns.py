"""The steps by which a turn is stored; each runs within a transaction of its caller."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Text, delete, insert, select, type_coerce, update
from sqlalchemy.engine import Connection
from sqlalchemy.sql.dml import Update

from counsel_core.errors import BusyError, ConflictError
from counsel_core.records import Finding, Json, ModelCall, Risk, Session, Turn, TurnStatus
from counsel_core.storage import audit
from counsel_core.storage.delta import diff
from counsel_core.storage.leases import Claim
from counsel_core.storage.prompts import prune_prompts, save_prompts
from counsel_core.storage.schema import (
    dump_json,
    model_calls,
    notes,
    overrides,
    resumptions,
    sessions,
    turns,
)
from counsel_core.storage.sessions import fetch_turns

NO_LONGER_OURS = (
    "This answer was not saved: meanwhile the session went on elsewhere, was frozen or was deleted. "
    "Reload the page to see how it stands."
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a turn. `model` is None where a fixed safety text took the reply's place."""

    reply: str
    state: Json
    complete: bool
    trace: Json
    findings: tuple[Finding, ...]
    model: str | None
    model_name: str
    seconds: float


def fetch_last_turn(connection: Connection, session: Session) -> Turn | None:
    """Return a session's last turn. One whose program went silent is marked as failed for good."""
    if not session.turn_count:
        return None
    last = fetch_turn(connection, session.id, session.turn_count)
    if last.status == "failed":
        lost = _turn(session.id, last.number).where(turns.c.status == "pending")
        connection.execute(lost.values(status="failed", error=last.error, holder=None, lease_until=None))
    return last


def fetch_turn(connection: Connection, session_id: str, number: int) -> Turn:
    """Return one turn that is known to be there."""
    return fetch_turns(connection, session_id, number, number)[0]


def check_idle(last: Turn | None) -> None:
    """Refuse to change a session while its last line is being answered."""
    if last is not None and last.status == "pending":
        raise BusyError(
            "The last line has no answer yet: it is being answered in this or another window, or the "
            "program stopped meanwhile. Wait for the answer, or half a minute until it can be retried."
        )


def last_settled(session: Session, last: Turn | None) -> int:
    """Return the number of the last turn the state counts in; a failed one is yet to change it."""
    unanswered = last is not None and last.status != "answered"
    return session.turn_count - 1 if unanswered else session.turn_count


def insert_turn(
    connection: Connection, turn: Turn, claim: Claim | None = None, lease_seconds: float = 0.0
) -> None:
    """Store a turn: pending under a claim, or settled, with its safety reply for one."""
    values = {
        "session_id": turn.session,
        "number": turn.number,
        "status": turn.status,
        "author": turn.author,
        "created": turn.created,
        "client": turn.client,
        "notice": turn.notice,
        "reply": turn.reply,
        "safety_reply": turn.safety_reply,
        "risk": turn.risk.level,
        "evidence": _evidence(turn.risk),
        "findings": [asdict(finding) for finding in turn.findings],
        "trace": turn.trace,
        "state_delta": turn.state_delta,
        "error": turn.error,
        "model": turn.model,
        "seconds": turn.seconds,
        "prompt_tokens": turn.prompt_tokens,
        "completion_tokens": turn.completion_tokens,
        "tokens_estimated": turn.tokens_estimated,
        "attempt": 1,
        "holder": claim.holder if claim else None,
        "lease_until": time.time() + lease_seconds if claim else None,
    }
    connection.execute(insert(turns), values)


def update_session(connection: Connection, session_id: str, **values: Any) -> None:
    """Change columns of a session and note when."""
    change = update(sessions).where(sessions.c.id == session_id)
    connection.execute(change.values(**values, updated=datetime.now(UTC)))


def new_claim(session_id: str, number: int, attempt: int = 1) -> Claim:
    """Return a claim that nobody else holds."""
    return Claim(session_id, number, attempt, secrets.token_hex(8))


def claim_again(connection: Connection, last: Turn, lease_seconds: float) -> Claim:
    """Reserve a failed turn for another attempt."""
    query = select(turns.c.attempt).where(turns.c.session_id == last.session, turns.c.number == last.number)
    claim = new_claim(last.session, last.number, connection.execute(query).scalar_one() + 1)
    values = {"status": "pending", "error": None, "attempt": claim.attempt, "holder": claim.holder}
    change = _turn(last.session, last.number)
    connection.execute(change.values(**values, lease_until=time.time() + lease_seconds))
    return claim


def save_raised(connection: Connection, claim: Claim, turn: Turn) -> None:
    """Store the risk of a claimed turn that was raised, its notice and, once it is answered, its reply.

    Raises
    ------
    ConflictError
        The claim is lost; nothing is stored.
    """
    values: dict[str, Any] = {
        "risk": turn.risk.level,
        "evidence": _evidence(turn.risk),
        "notice": turn.notice,
    }
    if turn.status == "answered":
        kept = {"reply": turn.reply, "safety_reply": turn.safety_reply, "seconds": turn.seconds}
        values |= {"status": turn.status, **kept, "holder": None, "lease_until": None}
    _change_claimed(connection, claim.change().values(**values))


def settle_with_safety(connection: Connection, last: Turn, reply: str) -> None:
    """Answer a line that no agent answered with the fixed safety text."""
    values = {"status": "answered", "reply": reply, "safety_reply": True, "error": None, "seconds": 0.0}
    connection.execute(_turn(last.session, last.number).values(**values))


def end_unanswered(connection: Connection, turn: Turn, error: str) -> None:
    """Take a turn from whoever is answering it: another line could not wait."""
    values = {"status": "stopped", "error": error, "holder": None, "lease_until": None}
    connection.execute(_turn(turn.session, turn.number).values(**values))


def save_answer(
    connection: Connection, session: Session, claim: Claim, answer: Answer, calls: Sequence[ModelCall]
) -> Turn:
    """Store all that came of a turn: reply, change of state, trace and calls. Returns the turn.

    Raises
    ------
    ConflictError
        The claim is lost; nothing is stored.
    """
    written = dump_json(answer.state)
    counted = [call for call in calls if call.prompt_tokens is not None or call.completion_tokens is not None]
    change = claim.change().values(
        status="answered",
        reply=answer.reply,
        findings=[asdict(finding) for finding in answer.findings],
        trace=answer.trace,
        state_delta=diff(session.state, json.loads(written)),
        model=answer.model,
        seconds=answer.seconds,
        prompt_tokens=sum(call.prompt_tokens or 0 for call in counted) if counted else None,
        completion_tokens=sum(call.completion_tokens or 0 for call in counted) if counted else None,
        tokens_estimated=any(call.tokens_estimated for call in counted),
        holder=None,
        lease_until=None,
    )
    _change_claimed(connection, change)
    prompt = save_calls(connection, claim.session, claim.number, claim.attempt, calls)
    # Already JSON: a long memory is not written out a second time.
    head = type_coerce(written, Text)
    update_session(connection, session.id, state=head, complete=answer.complete, model=answer.model_name)
    audit.record(
        connection,
        "turn_answered",
        session.id,
        turn=claim.number,
        attempt=claim.attempt,
        model=audit.name_or_digest(answer.model_name),
        prompt=prompt.hex() if prompt else None,
    )
    return fetch_turn(connection, session.id, claim.number)


def save_failure(
    connection: Connection, claim: Claim, status: TurnStatus, error: str, calls: Sequence[ModelCall]
) -> None:
    """Mark a turn as failed or stopped and keep its calls; the state stays as it was."""
    values = {"status": status, "error": error, "holder": None, "lease_until": None}
    _change_claimed(connection, claim.change().values(**values))
    save_calls(connection, claim.session, claim.number, claim.attempt, calls)
    audit.record(
        connection,
        f"turn_{status}",
        claim.session,
        turn=claim.number,
        attempt=claim.attempt,
        calls=len(calls),
    )


def remove_turns(connection: Connection, session_id: str, after: int) -> None:
    """Delete the turns of a session after one of them, with their calls, notes and overrides.

    Resumptions are not undone: those from later on are kept as made after the last turn that stays.
    """
    tables = ((turns, "number"), (notes, "turn"), (overrides, "after_turn"))
    for table, number in tables:
        which = (table.c.session_id == session_id) & (table.c[number] > after)
        connection.execute(delete(table).where(which))
    late = (resumptions.c.session_id == session_id) & (resumptions.c.after_turn > after)
    connection.execute(update(resumptions).where(late).values(after_turn=after))
    prune_prompts(connection, session_id)
    update_session(connection, session_id, turn_count=after)


def insert_resumption(connection: Connection, session: Session, reviewer: str, reason: str) -> None:
    """Store a reviewer's decision that a session may go on."""
    values = {
        "session_id": session.id,
        "after_turn": session.turn_count,
        "level": session.risk,
        "reviewer": reviewer,
        "reason": reason,
        "created": datetime.now(UTC),
    }
    connection.execute(insert(resumptions), values)


def _evidence(risk: Risk) -> list[Any]:
    """Return the phrases and, as objects among them, what second opinions said; see `rows.read_turn`."""
    return [*risk.evidence, *({"opinion": said} for said in risk.opinions)]


def _turn(session_id: str, number: int) -> Update:
    return update(turns).where(turns.c.session_id == session_id, turns.c.number == number)


def _change_claimed(connection: Connection, change: Any) -> None:
    if not connection.execute(change).rowcount:
        raise ConflictError(NO_LONGER_OURS)


def save_calls(
    connection: Connection, session_id: str, turn: int, attempt: int, calls: Sequence[ModelCall]
) -> bytes | None:
    """Store the calls of a turn's attempt and return the id of the last one's prompt."""
    prompts = save_prompts(connection, session_id, [call.messages for call in calls])
    values = [
        {
            "session_id": session_id,
            "turn": turn,
            "attempt": attempt,
            "task": call.task,
            "model": call.model,
            "prompt": prompt,
            "text": call.text,
            "seconds": call.seconds,
            "repairs": list(call.repairs),
            "error": call.error,
            "prompt_tokens": call.prompt_tokens,
            "completion_tokens": call.completion_tokens,
            "tokens_estimated": call.tokens_estimated,
            "reasoning": call.reasoning,
            "cached": call.cached,
        }
        for call, prompt in zip(calls, prompts, strict=True)
    ]
    if values:
        connection.execute(insert(model_calls), values)
    return prompts[-1] if prompts else None
