"""A session replayed turn by turn, with what the agent knew after each."""

from __future__ import annotations

import streamlit as st

from counsel_core.records import Session
from counsel_core.storage.sessions import load_session, load_turns, state_after
from pages._ui.archive_address import replayed_turn, show_list, show_replay
from pages._ui.chat_address import go_to_session
from pages._ui.conversation_view import client_line, counsellor_line, opening
from pages._ui.measures import count_text
from pages._ui.past_risk import past_risk_line
from pages._ui.plain_text import as_text
from pages._ui.remarks import load_remarks
from pages._ui.session_row import HEADING_SHOWN, session_facts, session_marks
from pages._ui.state_panel import state_panel
from pages._ui.window import fill_window
from pages._ui.workspace import database

# What stands above and below both halves; in a window of 900 pixels the rest is their height.
AROUND, PAST_RISK, SECOND_LINE, WINDOW = 222, 40, 60, 900
TURNS_BEFORE = 20


def replay(session_id: str) -> None:
    """Show a session as it stood after the chosen turn."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button("Archive", icon=":material/arrow_back:", on_click=show_list, key="to_list")
        session = load_session(database(), session_id)
        st.subheader(as_text(session.title, HEADING_SHOWN), anchor=False)
        if st.button("Open in Chat", icon=":material/forum:", key="to_chat"):
            go_to_session(session.id)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption(session_facts(session), width="content")
        session_marks(session)
    past = PAST_RISK if past_risk_line(session) else 0
    turn = _stepper(session)
    around = AROUND + past
    fill_window({"replay_said": around, "replay_known": around}, more_when_narrow=SECOND_LINE)
    left, right = st.columns([58, 42], gap="small")
    with left.container(height=WINDOW - around, border=False, autoscroll=True, key="replay_said"):
        _said_until(session, turn)
    with right.container(height=WINDOW - around, key="replay_known"):
        _known_after(session, turn)


def _stepper(session: Session) -> int:
    last = session.turn_count
    at = replayed_turn(last)
    if not last:
        st.caption("This session has no turn yet: only its opening.")
        return 0
    with st.container(horizontal=True, vertical_alignment="center"):
        _step("Back", ":material/skip_previous:", session, at - 1, disabled=at == 0)
        _step("Next", ":material/skip_next:", session, at + 1, disabled=at == last)
        moved = st.slider(
            "Turn",
            0,
            last,
            at,
            key=f"replay_at_{session.id}_{at}",
            label_visibility="collapsed",
            format="turn %d",
        )
        st.caption(f"{at} of {count_text(last, 'turn')}")
    if moved != at:
        show_replay(session.id, moved)
        st.rerun()
    return at


def _step(label: str, icon: str, session: Session, turn: int, *, disabled: bool) -> None:
    st.button(
        label,
        icon=icon,
        disabled=disabled,
        key=f"step_{label}",
        on_click=show_replay,
        args=(session.id, turn),
    )


def _said_until(session: Session, turn: int) -> None:
    first = max(1, turn - TURNS_BEFORE + 1)
    remarks = load_remarks(session)
    if first == 1:
        opening(session.opening)
        remarks.show(0)
    else:
        st.caption(f"{count_text(first - 1, 'earlier turn')} not shown")
    if not turn and not session.opening:
        st.caption("Nothing has been said yet.")
    for past in load_turns(database(), session.id, first=first, last=turn) if turn else ():
        client_line(past)
        counsellor_line(session, past, actions=past.number == turn)
        remarks.show(past.number)


def _known_after(session: Session, turn: int) -> None:
    state = state_after(database(), session.id, turn)
    trace = load_turns(database(), session.id, first=turn, last=turn)[0].trace if turn else {}
    state_panel(session, state, trace, key="replay", editable=False)
