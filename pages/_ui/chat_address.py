"""Which session a browser tab shows: its id lives in the address, so that a reload finds it again."""

from __future__ import annotations

import streamlit as st

SESSION = "session"
PLAY, SPEED = "play", "speed"
DEMO = "demo"
CHAT_PAGE = "pages/chat.py"


def current_session() -> str | None:
    """Return the id in the address, or of the session this tab had open before it left the page."""
    given = st.query_params.get(SESSION) or st.session_state.get(SESSION)
    if given:
        show_session(given, playing=is_playing())
    return given


def show_session(session_id: str, *, playing: bool = False) -> None:
    """Put a session's id into the address, and whether its sample client is playing."""
    st.session_state[SESSION] = session_id
    wanted = {SESSION: session_id} | ({PLAY: "1"} if playing else {})
    if speed := st.query_params.get(SPEED):
        wanted[SPEED] = speed
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def leave_session() -> None:
    """Forget the session, so that the page offers a new one."""
    st.session_state.pop(SESSION, None)
    st.query_params.clear()


def is_playing() -> bool:
    """Whether a sample client is being played."""
    return st.query_params.get(PLAY) == "1"


def address_speed() -> str | None:
    """Return how fast the address says that a sample client plays."""
    return st.query_params.get(SPEED)


def put_speed(speed: str | None) -> None:
    """Put the speed of playing into the address, so that a reload keeps it; None leaves it out."""
    if speed is None:
        st.query_params.pop(SPEED, None)
    elif st.query_params.get(SPEED) != speed:
        st.query_params[SPEED] = speed


def pause() -> None:
    """Stop playing: the next line would draw the page anew and close what a reader has just opened."""
    if is_playing():
        del st.query_params[PLAY]


def demo_agent() -> str | None:
    """Return the agent whose demonstration the address asks for."""
    return st.query_params.get(DEMO)


def go_to_session(session_id: str) -> None:
    """Open a session on the chat page."""
    st.session_state[SESSION] = session_id
    st.switch_page(CHAT_PAGE, query_params={SESSION: session_id})


def go_to_demo(agent: str) -> None:
    """Open a playing session on the chat page."""
    st.session_state.pop(SESSION, None)
    st.switch_page(CHAT_PAGE, query_params={DEMO: agent})
