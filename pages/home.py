"""Home: what this is and is not, three doors, and what was last worked on."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from counsel_core.records import Session
from counsel_core.runs.runs import Run, list_runs
from counsel_core.storage.sessions import list_sessions
from pages._ui.chat_address import CHAT_PAGE, DEMO, SESSION, go_to_session
from pages._ui.doors import agent_door
from pages._ui.errors import problems_shown
from pages._ui.evaluation_doors import dataset_door, models_door
from pages._ui.page import Page, run
from pages._ui.run_row import open_run, run_row
from pages._ui.safety_banner import LINE
from pages._ui.session_row import session_marks, session_title
from pages._ui.workspace import database, settings

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
    st.title("How language models counsel", anchor=False)
    st.markdown(
        "Talk with two published counselling agents and see why they answer as they do; compare models' "
        "answers with those of therapists. Everything stays on this machine unless you choose otherwise."
    )
    st.caption(f":material/info: {LINE}. Not a medical device; nothing here diagnoses or treats.")
    with problems_shown():
        first, second, third = st.columns(3)
        with first, problems_shown():
            agent_door()
        with second, problems_shown():
            models_door()
        with third, problems_shown():
            dataset_door()
        last_worked_on()


def last_worked_on() -> None:
    """Show the sessions and evaluations that were last worked on."""
    st.subheader("Last worked on", anchor=False)
    sessions = list_sessions(database(), limit=LAST_SHOWN)
    runs = list_runs(settings())[:LAST_SHOWN]
    latest = sorted([*sessions, *runs], key=_when, reverse=True)[:LAST_SHOWN]
    if not latest:
        st.caption("Nothing yet. Play a sample above, or begin a session of your own on the Chat page.")
    for one in latest:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            if isinstance(one, Session):
                _session(one)
            else:
                _evaluation(one)
    if latest:
        st.page_link("pages/archive.py", label="All in the Archive", icon=":material/inventory_2:")


def _when(one: Session | Run) -> datetime:
    return one.updated if isinstance(one, Session) else one.created


def _session(session: Session) -> None:
    with st.container(gap=2):
        session_title(session)
        session_marks(session)
    if st.button("Open", key=f"open_{session.id}", icon=":material/forum:"):
        go_to_session(session.id)


def _evaluation(shown: Run) -> None:
    run_row(shown)
    if st.button("Open", key=f"open_{shown.id}", icon=":material/analytics:"):
        open_run(shown)


if __name__ == "__main__":
    run(render)
