"""A typed line until it is safe in the database: what could not be sent goes back into the input."""

from __future__ import annotations

import streamlit as st

from counsel_core.errors import CounselError
from counsel_core.storage.sessions import load_turns
from pages._ui.errors import problem_text
from pages._ui.workspace import database

INPUT = "draft"
_KEPT, _PROBLEM, _SENT = "kept_draft", "kept_problem", "sent_line"
_NOT_SAVED = "**The line was not saved.** It is in the input again: send it once more."


def client_input(*, disabled: bool, longest: int) -> str | None:
    """Show the input, with the line that could not be sent; return what was sent just now."""
    if kept := st.session_state.pop(_KEPT, ""):
        st.session_state[INPUT] = kept
    return st.chat_input("Say something, as the client", key=INPUT, max_chars=longest, disabled=disabled)


def draft_problem() -> None:
    """Show what stood in the way of the line that is in the input again."""
    if problem := st.session_state.pop(_PROBLEM, ""):
        st.error(problem, icon=":material/error:")


def keep_draft(text: str, problem: str = "") -> None:
    """Put a line into the input when the page is next drawn, and keep what stood in the way."""
    st.session_state[_KEPT] = text
    st.session_state[_PROBLEM] = problem


def line_sent(session_id: str, after_turn: int, text: str) -> None:
    """Remember a line that is on its way, until `settle_line` finds it saved."""
    st.session_state[_SENT] = (session_id, after_turn, text)


def settle_line(session_id: str, error: CounselError | None) -> None:
    """Look whether the line on its way was saved; if not, keep it with the reason."""
    sent = st.session_state.get(_SENT)
    if sent is None or sent[0] != session_id:
        return
    _, after_turn, text = sent
    later = load_turns(database(), session_id, first=after_turn + 1)
    if not any(turn.client.split() == text.split() for turn in later):
        keep_draft(text, problem_text(error) if error else _NOT_SAVED)
    del st.session_state[_SENT]
