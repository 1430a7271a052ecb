"""How a session begins, and how it goes on after a risk."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from counsel_core.agents import find_agent
from counsel_core.agents._base import Agent, Setting, check_settings, read_value
from counsel_core.errors import DataFileError, FrozenSessionError, InputError, UnknownNameError
from counsel_core.records import Json, Language, Session
from counsel_core.safety.resources import UNKNOWN_REGION, regions
from counsel_core.settings import Settings
from counsel_core.storage import audit, turns
from counsel_core.storage.database import Database
from counsel_core.storage.rows import fetch_session
from counsel_core.storage.sessions import LONGEST_TITLE, insert_session
from counsel_core.storage.words import digest, read_typed

LONGEST_REASON = 8000
REGION = "region"
SECOND_OPINION = Setting(
    key="second_opinion",
    label="Second opinion on danger by the model",
    kind="bool",
    default=False,
    help="The model is asked about each line of the client before it answers. It can raise the risk that "
    "the rules found, never lower it. One more call a turn; rules give no second opinion.",
)
"""Settings of a session that are not its agent's: whose emergency numbers, and who is asked about danger."""


def start_session(
    db: Database,
    *,
    agent: str,
    model: str,
    settings: Settings,
    language: Language = "en",
    agent_settings: Mapping[str, Any] | None = None,
    title: str | None = None,
    sample_client: str | None = None,
    continues: str | None = None,
) -> Session:
    """Begin a session with an agent, chosen by name as the model is, and return it.

    Parameters
    ----------
    agent_settings
        The agent's settings; those not given have their defaults. `region` may be among them: whose
        emergency numbers the safety texts give; and `second_opinion`: whether the model is asked about
        danger in each line.
    continues
        The id of an earlier session whose memories the agent takes up; it becomes the parent.

    Raises
    ------
    UnknownNameError
        No agent, region or setting has this name.
    InputError
        A setting's value, the language or the title cannot be used, or the agent keeps no memories.
    FrozenSessionError
        The session to be continued is frozen.
    DataFileError
        The protocol, or another file the agent begins with, is wrong.
    """
    who = find_agent(agent)
    if language not in who.languages:
        raise InputError(f"{who.label} does not speak {language!r}. Choose {' or '.join(who.languages)}.")
    given = dict(agent_settings or {})
    region = _check_region(str(given.pop(REGION, UNKNOWN_REGION)), settings)
    second_opinion = read_value(SECOND_OPINION, given.pop(SECOND_OPINION.key, False))
    chosen = check_settings(who, given)
    opening = who.begin(chosen, language, settings.protocols_dir)
    state = opening.state if continues is None else _take_up(db, who, opening.state, continues)
    now = datetime.now(UTC)
    session = Session(
        id=secrets.token_hex(8),
        title=_check_title(title, who, now),
        agent=who.name,
        model=model,
        language=language,
        settings=chosen | {REGION: region, SECOND_OPINION.key: second_opinion},
        material=opening.material,
        opening=opening.text,
        state=who.dump(state),
        created=now,
        updated=now,
        sample_client=sample_client,
        parent=continues,
    )
    return _save_new(db, session)


def agent_settings_among(settings: Mapping[str, Any]) -> Json:
    """Return a session's settings without those that are not its agent's."""
    return {key: value for key, value in settings.items() if key not in (REGION, SECOND_OPINION.key)}


def _save_new(db: Database, session: Session) -> Session:
    with db.writing() as connection:
        insert_session(connection, session, opening_state=session.state)
        model = audit.name_or_digest(session.model)
        audit.record(connection, "session_started", session.id, agent=session.agent, model=model)
        return fetch_session(connection, session.id)


def _check_title(title: str | None, who: Agent, now: datetime) -> str:
    name = title if title is not None else f"{who.label}, {now.astimezone():%d %b %Y, %H:%M}"
    return read_typed(name, "title", longest=LONGEST_TITLE, one_line=True)


def resume_session(db: Database, session_id: str, reviewer: str, reason: str) -> Session:
    """Let a session go on after a risk; who decided it and why is kept with the session.

    The agent goes on with the state it had. The session's level of risk is none from then on, until a
    line raises it again.

    Raises
    ------
    InputError
        Name or reason is missing or too short, or no risk stands.
    ConflictError
        A line is being answered right now.
    """
    who = read_typed(reviewer, "reviewer's name", longest=200, shortest=2, one_line=True)
    why = read_typed(reason, "reason", longest=LONGEST_REASON, shortest=5)
    with db.writing() as connection:
        session = fetch_session(connection, session_id)
        turns.check_idle(turns.fetch_last_turn(connection, session))
        if session.risk == "none" and not session.frozen:
            raise InputError("No risk stands in this session, so that there is nothing to resume.")
        turns.insert_resumption(connection, session, who, why)
        turns.update_session(connection, session_id, risk="none", frozen=False)
        audit.record(
            connection,
            "session_resumed",
            session_id,
            actor_hash=digest(who),
            after_turn=session.turn_count,
            risk=session.risk,
            reason=digest(why),
        )
        return fetch_session(connection, session_id)


def _check_region(region: str, settings: Settings) -> str:
    # A file of contacts that went wrong keeps nobody from a session, as it keeps nobody from a safety text.
    try:
        named = regions(path=settings.resources_file)
    except DataFileError:
        named = regions()
    known = (UNKNOWN_REGION, *named)
    if region not in known:
        raise UnknownNameError("region", region, known)
    return region


def _take_up(db: Database, who: Agent, state: Any, earlier_id: str) -> Any:
    """Return the agent's first state with the memories of an earlier session."""
    with db.reading() as connection:
        earlier = fetch_session(connection, earlier_id)
    if who.continue_from is None or earlier.agent != who.name:
        raise InputError(f"{who.label} cannot take up the memories of a session with {earlier.agent}.")
    if earlier.frozen:
        raise FrozenSessionError("The session to be continued is frozen; a reviewer has to resume it first.")
    return who.continue_from(state, who.load(earlier.state))
