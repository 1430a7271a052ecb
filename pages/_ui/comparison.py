"""Two sessions side by side."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from counsel_core.storage.sessions import load_session, load_turns
from pages._ui.archive_address import show_list
from pages._ui.conversation_view import client_line, counsellor_line, opening
from pages._ui.errors import problems_shown
from pages._ui.measures import count_text
from pages._ui.past_risk import past_risk_line
from pages._ui.plain_text import as_text
from pages._ui.remarks import load_remarks
from pages._ui.session_row import session_facts, session_marks
from pages._ui.state_panel import state_panel
from pages._ui.workspace import database

TURNS_SHOWN = 100


def comparison(session_ids: Sequence[str]) -> None:
    """Show both conversations, and what each agent knew at the end."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Archive", icon=":material/arrow_back:", on_click=show_list, key="to_list")
        st.subheader("Two sessions side by side", anchor=False)
    if len(session_ids) != 2 or session_ids[0] == session_ids[1]:
        st.info("Choose two sessions in the Archive to compare them.", icon=":material/compare_arrows:")
        return
    for side, column in enumerate(st.columns(2)):
        with column, problems_shown():
            _one(session_ids[side], side)


def _one(session_id: str, side: int) -> None:
    session = load_session(database(), session_id)
    st.markdown(f"**{as_text(session.title, 80)}**")
    st.caption(session_facts(session))
    session_marks(session)
    past_risk_line(session)
    first = max(1, session.turn_count - TURNS_SHOWN + 1)
    with st.container(height=460, autoscroll=False, key=f"said_{side}"):
        if first == 1:
            opening(session.opening)
        else:
            st.caption(f"{count_text(first - 1, 'earlier turn')} not shown")
        turns, remarks = load_turns(database(), session.id, first=first), load_remarks(session)
        remarks.show(0)
        for turn in turns:
            client_line(turn)
            counsellor_line(session, turn, actions=False)
            remarks.show(turn.number)
    st.markdown("**What the agent knew at the end**")
    with st.container(border=True):
        trace = turns[-1].trace if turns else {}
        state_panel(session, session.state, trace, key=f"side_{side}", editable=False)
