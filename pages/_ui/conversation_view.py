"""The conversation: what each side said, what it cost, and what a reader remarked on it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from counsel_core.records import Session, Turn
from pages._ui.measures import count_text, seconds_text, tokens_text
from pages._ui.plain_text import as_text
from pages._ui.remarks import Remarks
from pages._ui.turn_actions import turn_actions

TURNS_SHOWN = 40
CLIENT, COUNSELLOR = ":material/person:", ":material/psychology:"


def first_shown(session: Session) -> int:
    """Return the number of the first turn to show: a long session begins with its last turns."""
    shown = st.session_state.get(_key(session), TURNS_SHOWN)
    return max(1, session.turn_count - shown + 1)


def conversation(session: Session, turns: Sequence[Turn], remarks: Remarks) -> None:
    """Show turns, oldest first, with the opening line and all that was noted in between."""
    if turns and turns[0].number > 1:
        _earlier_button(session, turns[0].number)
    else:
        opening(session.opening)
        remarks.show(0)
    for turn in turns:
        client_line(turn)
        if turn.status == "answered" or turn.number < session.turn_count:
            counsellor_line(session, turn)
        remarks.show(turn.number)
    if session.complete:
        st.caption(":material/flag: The last stage is done. The client may go on.")


def opening(text: str) -> None:
    """Show the counsellor's first line."""
    if text:
        with st.chat_message("counsellor", avatar=COUNSELLOR), st.container(gap="xxsmall"):
            st.caption("Counsellor")
            st.text(text)


def client_line(turn: Turn) -> None:
    """Show what the client said, with a visible mark where the risk check found something."""
    # Streamlit sets the messages of "user" apart by their background.
    with st.chat_message("user", avatar=CLIENT), st.container(gap="xxsmall"):
        st.caption("Client · sample" if turn.author == "sample client" else "Client")
        st.text(turn.client)
        if turn.risk.level != "none":
            color = "red" if turn.risk.level == "imminent" else "orange"
            st.badge(
                f"Risk check: {turn.risk.level}", icon=":material/warning:", color=color, help=_why(turn)
            )


def _why(turn: Turn) -> str | None:
    """Say what raised the risk: phrases, and second opinions where they did."""
    phrases = ", ".join(f"“{phrase}”" for phrase in turn.risk.evidence)
    said = (
        f"What raised it: {phrases}." if phrases else "",
        *(f"Raised to {one}." for one in turn.risk.opinions),
    )
    return as_text(" ".join(part for part in said if part)) or None


def counsellor_line(session: Session, turn: Turn, *, actions: bool = True) -> None:
    """Show the reply as the client sees it; below it time, tokens, model and what can be done."""
    if turn.status != "answered":
        st.caption(f":material/error: No reply: {as_text(turn.error or turn.status)}")
        return
    with st.chat_message("counsellor", avatar=COUNSELLOR), st.container(gap="xxsmall"):
        st.caption("Counsellor")
        if turn.notice:
            st.badge("Safety question, put first", icon=":material/health_and_safety:", color="orange")
            st.text(turn.notice)
        if turn.safety_reply:
            st.badge("Fixed safety text, not the agent", icon=":material/health_and_safety:", color="red")
        if turn.reply:
            st.text(turn.reply)
        for finding in turn.findings:
            st.badge(
                f"Reply check: {as_text(finding.rule)}",
                icon=":material/report:",
                color="orange",
                help=as_text(finding.evidence),
            )
        if actions:
            turn_actions(session, turn, measures(turn))
        else:
            st.caption(measures(turn))


def measures(turn: Turn) -> str:
    """Write what a reply took and who wrote it, as Markdown."""
    writer = as_text(turn.model) if turn.model else "fixed text"
    tokens = [] if turn.prompt_tokens is None else [tokens_text(turn)]
    return " · ".join([seconds_text(turn.seconds), *tokens, writer])


def _earlier_button(session: Session, first: int) -> None:
    def show_more() -> None:
        st.session_state[_key(session)] = st.session_state.get(_key(session), TURNS_SHOWN) + TURNS_SHOWN

    label = f"Show earlier ({count_text(first - 1, 'turn')} before)"
    st.button(label, icon=":material/expand_less:", type="tertiary", key="earlier", on_click=show_more)


def _key(session: Session) -> str:
    return f"turns_shown_{session.id}"
