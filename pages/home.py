"""Home: what this is and is not, three doors, and what was last worked on."""

from __future__ import annotations

import streamlit as st

from counsel_core.storage.sessions import list_sessions
from pages._ui.chat_address import CHAT_PAGE, DEMO, SESSION, go_to_session
from pages._ui.doors import archive_door, cocoa_door, sudosys_door
from pages._ui.errors import problems_shown
from pages._ui.page import Page, run
from pages._ui.safety_banner import LINE
from pages._ui.session_row import session_marks, session_title
from pages._ui.workspace import database

PAGE = Page(
    file="home.py",
    title="Home",
    icon=":material/home:",
    order=0,
    about="What this is, and where to begin",
)
LAST_SHOWN = 5


def render() -> None:
    """Show the first page; an address that asks for a session or a demonstration leads on to the chat."""
    if wanted := {key: st.query_params[key] for key in (SESSION, DEMO) if key in st.query_params}:
        st.switch_page(CHAT_PAGE, query_params=wanted)
    st.title("How language models counsel, turn by turn", anchor=False)
    st.markdown(
        "Talk with two published counselling agents, SuDoSys and CoCoA, and see at every turn what they know "
        "and why they answer as they do. Everything stays on this machine unless you choose a model "
        "elsewhere."
    )
    st.caption(f":material/info: {LINE}. Not a medical device; nothing here diagnoses or treats.")
    with problems_shown():
        first, second, third = st.columns(3)
        with first, problems_shown():
            sudosys_door()
        with second, problems_shown():
            cocoa_door()
        with third, problems_shown():
            archive_door()
        last_sessions()


def last_sessions() -> None:
    """Show what was last worked on."""
    st.subheader("Last worked on", anchor=False)
    found = list_sessions(database(), limit=LAST_SHOWN)
    if not found:
        st.caption("Nothing yet. Play a sample above, or begin a session of your own on the Chat page.")
    for session in found:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            with st.container(gap=2):
                session_title(session)
                session_marks(session)
            if st.button("Open", key=f"open_{session.id}", icon=":material/forum:"):
                go_to_session(session.id)


if __name__ == "__main__":
    run(render)
