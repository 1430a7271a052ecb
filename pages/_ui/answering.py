"""A turn on its way: its steps shown as they happen, stopped; and a turn that got no answer."""

from __future__ import annotations

import time

import streamlit as st

from counsel_core.conversation import withdraw_turn
from counsel_core.live import LiveStatus
from counsel_core.llm.catalogue import open_model
from counsel_core.records import Session, Turn
from pages._ui.conversation_view import COUNSELLOR
from pages._ui.dialogs import dialog_is_open
from pages._ui.drafts import keep_draft, settle_line
from pages._ui.errors import problems_shown
from pages._ui.inspector import inspector
from pages._ui.measures import seconds_text
from pages._ui.plain_text import as_text
from pages._ui.waiting import waiting
from pages._ui.workspace import database, live_turns, settings

FAST_SECONDS = 0.3
POLL_SECONDS = 0.4

_WHAT_HAPPENED = {
    "failed": "No reply came. What the client said is kept.",
    "stopped": "The answer was stopped. What the client said is kept.",
}


def settled(session_id: str, status: LiveStatus | None) -> bool:
    """Whether no answer is on its way any more; then the line it answers is looked after."""
    if status is not None and not status.done:
        return False
    settle_line(session_id, status.error if status else None)
    return True


def is_answering(session_id: str) -> bool:
    """Whether this process is answering a line of the session."""
    return not settled(session_id, live_turns().status(session_id))


@st.fragment(run_every=POLL_SECONDS)
def answering(session_id: str) -> None:
    """Show the steps of the turn so far, and a way to stop it; when it is over, draw the page anew."""
    status = live_turns().status(session_id)
    if settled(session_id, status):
        if not dialog_is_open():
            st.rerun()
        st.caption("The answer is there. It is shown when the window before the page is closed.")
        return
    with st.chat_message("counsellor", avatar=COUNSELLOR), st.container(gap="xxsmall"):
        for step in status.steps[:-1]:
            st.caption(f":material/check: {as_text(step)}")
        now = as_text(status.steps[-1]) if status.steps else "Beginning"
        st.caption(f":shimmer[{now} …] {seconds_text(time.time() - status.started)}")
        if st.button("Stop", icon=":material/stop:", key="stop"):
            live_turns().stop(session_id)


def unanswered(session: Session, turn: Turn, model: str) -> None:
    """Say why a line has no reply, and offer to try again or to take the line back."""
    with st.chat_message("counsellor", avatar=COUNSELLOR):
        if turn.status == "pending":
            waiting(turn)
            return
        why = f" {as_text(turn.error)}" if turn.error else ""
        st.warning(f"**{_WHAT_HAPPENED[turn.status]}**{why}", icon=":material/error:")
        with st.container(horizontal=True, gap="xsmall"):
            if st.button("Retry", icon=":material/refresh:", key="retry"):
                retry(session, model)
            if st.button("Edit", icon=":material/edit:", key="edit", help="Take the line back and change it"):
                take_back(session)
            if st.button("Inspect", icon=":material/search:", type="tertiary", key="inspect_unanswered"):
                inspector(session, turn)


def retry(session: Session, model: str) -> None:
    """Answer the last line again, with the model chosen now."""
    with problems_shown():
        live_turns().retry(session.id, open_model(model, settings()))
        settled(session.id, live_turns().wait(session.id, FAST_SECONDS))
        st.rerun()


def take_back(session: Session) -> None:
    """Put the last line back into the input."""
    with problems_shown():
        keep_draft(withdraw_turn(database(), session.id))
        st.rerun()
