"""A client's line on its way to the agent; with the first one the session begins."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

import streamlit as st

from counsel_core.clients import SampleClient
from counsel_core.conversation import start_session
from counsel_core.errors import ConflictError, CounselError
from counsel_core.llm.catalogue import open_model
from counsel_core.records import Session
from counsel_core.storage.sessions import delete_session, load_session
from pages._ui.answering import FAST_SECONDS, settled
from pages._ui.chat_address import is_playing, show_session
from pages._ui.drafts import keep_draft, line_sent
from pages._ui.errors import problem_text
from pages._ui.session_setup import Setup
from pages._ui.workspace import database, live_turns, settings

Author = Literal["person", "sample client"]


def begin_with_line(setup: Setup, text: str) -> None:
    """Start a session with the client's first line; if it cannot start, the line stays in the input."""
    try:
        session = start_session(
            database(),
            agent=setup.agent.name,
            model=setup.model,
            settings=settings(),
            language=setup.language,
            agent_settings=setup.settings,
            continues=setup.continues,
        )
    except CounselError as error:
        keep_draft(text, problem_text(error))
        st.rerun()
    send(session, setup.model, text, new=True)


def begin_with_client(client: SampleClient, model: str) -> None:
    """Start a session with a sample client, and let it play."""
    session = start_session(
        database(),
        agent=client.agent,
        model=model,
        settings=settings(),
        language=client.language,
        title=client.label,
        sample_client=client.name,
    )
    show_session(session.id, playing=True)
    st.rerun()


def send(session: Session, model: str, text: str, author: Author = "person", *, new: bool = False) -> None:
    """Send a line and draw the page anew; a line that cannot be sent goes back into the input.

    A session that is `new`, begun for this line, is then taken back too: it would stay in the Archive empty.
    """
    seen = turns_seen(session)
    try:
        live_turns().submit(
            session.id, open_model(model, settings()), text, expected_turn=seen + 1, author=author
        )
    except CounselError as error:
        if new:
            _discard_if_empty(session)
        # Another window may be playing the same client: then its line is on its way already.
        if author == "person" or not isinstance(error, ConflictError):
            keep_draft(text if author == "person" else "", problem_text(error))
        st.rerun()
    if author == "person":
        line_sent(session.id, seen, text)
    show_session(session.id, playing=is_playing())
    settled(session.id, live_turns().wait(session.id, FAST_SECONDS))
    st.rerun()


def _discard_if_empty(session: Session) -> None:
    # If this fails too, what is shown is why the line could not be sent.
    with suppress(CounselError):
        if not load_session(database(), session.id).turn_count:
            delete_session(database(), session.id)


def turns_seen(session: Session) -> int:
    """Return how many turns this browser tab has shown of a session: another tab may have gone on."""
    return st.session_state.get(_key(session), session.turn_count)


def mark_seen(session: Session) -> None:
    """Remember that the page shows every turn of the session up to now."""
    st.session_state[_key(session)] = session.turn_count


def _key(session: Session) -> str:
    return f"turns_seen_{session.id}"
