"""Chat: the conversation on the left, what the agent knows and why it answers as it does on the right."""

from __future__ import annotations

import streamlit as st

from counsel_core.errors import InputError
from counsel_core.records import LONGEST_LINE, Json, Session
from counsel_core.storage.sessions import load_session, load_turns
from pages._ui.answering import answering, is_answering, unanswered
from pages._ui.chat_address import current_session, demo_agent, is_playing, leave_session
from pages._ui.conversation_view import conversation, first_shown
from pages._ui.drafts import client_input, draft_problem
from pages._ui.errors import problems_shown, show_problem
from pages._ui.new_session import new_session, unsaved_session
from pages._ui.page import Page, run
from pages._ui.past_risk import past_risk_line
from pages._ui.player import play_along, player, say_next, start_demo
from pages._ui.remarks import load_remarks
from pages._ui.safety_banner import frozen_banner, notice_line
from pages._ui.sending import begin_with_client, begin_with_line, mark_seen, send
from pages._ui.session_menu import session_menu
from pages._ui.session_row import session_heading
from pages._ui.session_setup import Setup, session_setup
from pages._ui.state_panel import state_panel
from pages._ui.window import fill_window
from pages._ui.workspace import database

PAGE = Page(
    file="chat.py",
    title="Chat",
    icon=":material/forum:",
    order=1,
    about="Talk with an agent, and see live what it knows and why it answers as it does",
)
# What stands above and below the conversation, in a wide and in a narrow window.
AROUND, SECOND_LINE, INPUT_HEIGHT = 190, 36, 72
BANNER, BANNER_SECOND_LINE, PAST_RISK, PAST_SECOND_LINE = 190, 44, 40, 26
WINDOW, TURNS_WITHOUT_AGENT = 900, 20


def render() -> None:
    """Show the session in the address, or the beginning of a new one."""
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        title = st.container(horizontal=True, vertical_alignment="center", gap="small", width="content")
        notice_line()
    with problems_shown():
        session = _session_in_view()
        setup = _sidebar(session)
        shown = session or unsaved_session(setup)
        with title:
            session_heading(shown)
        if shown.frozen:
            frozen_banner(shown)
        height = _height(frozen=shown.frozen, past=past_risk_line(shown))
        left, right = st.columns([58, 42], gap="small")
        with left:
            _speak(session, setup, height)
        with right.container(height=height + INPUT_HEIGHT, key="known"):
            _known(shown, editable=session is not None)


def _session_in_view() -> Session | None:
    try:
        if agent := demo_agent():
            start_demo(agent)
        given = current_session()
        return load_session(database(), given) if given else None
    except InputError as error:
        show_problem(error)
        with st.container(horizontal=True):
            st.button("New session", icon=":material/add:", on_click=leave_session, key="new_after_error")
            st.page_link("pages/archive.py", label="Archive", icon=":material/inventory_2:")
        st.stop()


def _sidebar(session: Session | None) -> Setup:
    with st.sidebar:
        if session:
            st.button(
                "New session", icon=":material/add:", on_click=leave_session, key="new", width="stretch"
            )
        above, below = st.container(), st.container()
        with below:
            setup = session_setup(session)
            if session:
                session_menu(session)
        # The controls of a client who is speaking stay in view; choosing one comes last.
        with above if session and session.sample_client else below:
            wish = player(session, setup.agent.name, setup.language)
    if wish.start:
        begin_with_client(wish.start, setup.model)
    if wish.step and session:
        say_next(session, setup.model)
    return setup


def _speak(session: Session | None, setup: Setup, height: int) -> None:
    place = st.container(height=height, border=False, key="conversation")
    text = client_input(disabled=session is None and setup.needs_language_model, longest=LONGEST_LINE)
    if session is None:
        if text:
            begin_with_line(setup, text)
        with place:
            new_session(unsaved_session(setup), setup)
            draft_problem()
        return
    if text:
        send(session, setup.model, text)
    with place:
        _said(session, setup)
        draft_problem()


def _height(*, frozen: bool, past: bool) -> int:
    """Let both halves of the page end with the window; return the conversation's height if they cannot."""
    around = AROUND + frozen * BANNER + past * PAST_RISK
    fill_window(
        {"conversation": around, "known": around - INPUT_HEIGHT},
        more_when_narrow=SECOND_LINE + frozen * BANNER_SECOND_LINE + past * PAST_SECOND_LINE,
    )
    return WINDOW - around


def _said(session: Session, setup: Setup) -> None:
    busy = is_answering(session.id)
    turns = load_turns(database(), session.id, first=first_shown(session))
    conversation(session, turns, load_remarks(session))
    mark_seen(session)
    if busy:
        answering(session.id)
    elif turns and turns[-1].status != "answered":
        unanswered(session, turns[-1], setup.model)
    elif is_playing():
        play_along(session.id, setup.model)


def _known(session: Session, *, editable: bool) -> None:
    trace = _last_trace(session) if session.turn_count else {}
    state_panel(session, session.state, trace, key="now", editable=editable and not session.frozen)


def _last_trace(session: Session) -> Json:
    """Return the trace of the last reply that the agent gave."""
    recent = load_turns(database(), session.id, first=max(1, session.turn_count - TURNS_WITHOUT_AGENT))
    return next((turn.trace for turn in reversed(recent) if turn.trace), {})


if __name__ == "__main__":
    run(render)
