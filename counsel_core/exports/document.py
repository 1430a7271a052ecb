"""What a session's Markdown and HTML say, in plain text: a renderer adds nothing but its marks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from counsel_core.agents import find_agent
from counsel_core.errors import UnknownNameError
from counsel_core.exports.outline import named, outline, written
from counsel_core.records import Json, Session, Turn
from counsel_core.safety.texts import NOTICE
from counsel_core.storage.whole import WholeSession

NO_REPLY = "No answer"
HELD_BACK = "a fixed text in place of a reply that was held back"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in the order it happened: who said or did it and when, the words, and remarks on them."""

    kind: Literal["client", "counsellor", "safety", "event"]
    who: str
    text: str
    when: datetime | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A session to be read: notice and banners first, then facts, then what was said, then its state."""

    title: str
    language: str
    notice: str
    banners: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    entries: tuple[Entry, ...]
    state: str


def write_document(whole: WholeSession, exported: datetime) -> Document:
    """Return the document of a whole session."""
    session = whole.session
    return Document(
        title=session.title,
        language=session.language,
        notice=NOTICE[session.language],
        banners=tuple(_banners(whole)),
        facts=tuple(_facts(whole, exported)),
        entries=tuple(_entries(whole)),
        state=outline(_view(whole)),
    )


def moment(when: datetime) -> str:
    """Return a moment as it is shown.

    >>> from datetime import UTC
    >>> moment(datetime(2026, 11, 30, 20, 5, tzinfo=UTC))
    '2026-11-30 20:05 UTC'
    """
    return f"{when:%Y-%m-%d %H:%M} UTC"


def _banners(whole: WholeSession) -> Iterator[str]:
    session = whole.session
    since = max((resumed.after_turn for resumed in whole.resumptions), default=0)
    raised = [t.number for t in whole.turns if t.risk.level == session.risk and t.number > since]
    where = f" Raised in turn {', '.join(map(str, raised))}." if raised else ""
    if session.frozen:
        yield (
            "Frozen: imminent risk was found. A fixed safety text answers until a reviewer resumes "
            f"the session.{where}"
        )
    elif session.risk != "none":
        yield f"Concern for the client's safety stands in this session.{where}"


def _facts(whole: WholeSession, exported: datetime) -> Iterator[tuple[str, str]]:
    session = whole.session
    models = dict.fromkeys(turn.model for turn in whole.turns if turn.model)
    yield "Agent", _agent_label(session)
    yield "Model", ", ".join(models) or session.model
    yield "Language", {"en": "English", "zh": "Chinese"}[session.language]
    yield "Settings", "; ".join(_settings(session))
    if session.sample_client:
        yield "Client", f"sample client {session.sample_client}"
    if session.parent and session.parent_turn is not None:
        yield "Copy of", f"session {session.parent}, after turn {session.parent_turn}"
    elif session.parent:
        yield "Takes up", f"the memories of session {session.parent}"
    yield "Turns", str(session.turn_count)
    if session.overridden:
        yield "Overridden", f"by a clinician, {len(whole.overrides)} ×; each change is marked in its place"
    yield "Begun", moment(session.created)
    yield "Last used", moment(session.updated)
    yield "Exported", moment(exported)
    yield "Session", session.id


def _settings(session: Session) -> Iterator[str]:
    """Write the settings under the names they have on the page."""
    try:
        labels = {setting.key: setting.label for setting in find_agent(session.agent).settings}
    except UnknownNameError:
        labels = {}
    for key, value in session.settings.items():
        yield f"{labels.get(key, named(key))}: {written(value)}"


def _view(whole: WholeSession) -> Json:
    """Return what the clinician sees of the state; the JSON export has the state itself."""
    session = whole.session
    try:
        agent = find_agent(session.agent)
    except UnknownNameError:
        return session.state
    trace = next((turn.trace for turn in reversed(whole.turns) if turn.trace), {})
    return agent.view(agent.load(session.state), session.material, trace)


def _agent_label(session: Session) -> str:
    try:
        return find_agent(session.agent).label
    except UnknownNameError:
        return session.agent  # of a version that had an agent of this name


def _entries(whole: WholeSession) -> Iterator[Entry]:
    session = whole.session
    label = _agent_label(session)
    if session.opening:
        yield Entry("counsellor", f"Counsellor · {label}, opening", session.opening, session.created)
    yield from _remarks_after(whole, 0)
    for turn in whole.turns:
        yield _client(turn)
        yield from _counsellor(turn, label)
        yield from _remarks_after(whole, turn.number)


def _client(turn: Turn) -> Entry:
    who = "Client" if turn.author == "person" else "Client (sample client)"
    found = ", ".join(f"“{phrase}”" for phrase in turn.risk.evidence)
    remarks = [f"Risk check: {turn.risk.level} ({found})"] if turn.risk.level != "none" else []
    remarks += [f"Second opinion: {said}" for said in turn.risk.opinions]
    return Entry("client", f"{turn.number} · {who}", turn.client, turn.created, tuple(remarks))


def _counsellor(turn: Turn, label: str) -> Iterator[Entry]:
    if turn.notice:
        yield Entry("safety", "Counsellor · safety question, a fixed text", turn.notice)
    if turn.status != "answered":
        waiting = "It is being answered." if turn.status == "pending" else ""
        yield Entry("event", f"{NO_REPLY} ({turn.status})", turn.error or waiting)
        return
    remarks = tuple(f"Reply check: {finding.rule} (“{finding.evidence}”)" for finding in turn.findings)
    if turn.safety_reply:
        yield Entry("safety", "Counsellor · safety text, fixed", turn.reply, remarks=remarks)
    elif turn.model is None:
        yield Entry("safety", f"Counsellor · {HELD_BACK}", turn.reply, remarks=remarks)
    else:
        who = f"Counsellor · {label}, {turn.model}"
        yield Entry("counsellor", who, turn.reply, remarks=(*remarks, _effort(turn)))


def _effort(turn: Turn) -> str:
    seconds = f"{turn.seconds or 0.0:.2f} s"
    if turn.prompt_tokens is None and turn.completion_tokens is None:
        return seconds
    estimated = ", estimated" if turn.tokens_estimated else ""
    return f"{seconds}, {turn.prompt_tokens or 0} + {turn.completion_tokens or 0} tokens{estimated}"


def _remarks_after(whole: WholeSession, turn: int) -> Iterator[Entry]:
    for note in whole.notes:
        if note.turn == turn:
            yield Entry("event", "Note", note.text, note.created)
    for override in whole.overrides:
        if override.after_turn == turn:
            yield Entry("event", "Changed by a clinician", override.summary, override.created)
    for resumed in whole.resumptions:
        if resumed.after_turn == turn:
            yield Entry("event", f"Resumed by {resumed.reviewer}", resumed.reason, resumed.created)
