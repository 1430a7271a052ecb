"""One session in a list: its title, what it is, and the marks it bears."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents import agents
from counsel_core.records import Session
from pages._ui.measures import count_text, date_text
from pages._ui.model_picker import model_label
from pages._ui.past_risk import past_risk_line
from pages._ui.plain_text import as_text

HEADING_SHOWN, TITLE_SHOWN = 45, 90


def session_title(session: Session) -> None:
    """Show a session's title and, below it, what it is."""
    st.markdown(
        f"**{as_text(session.title, TITLE_SHOWN)}**",
        help=as_text(session.title) if len(session.title) > TITLE_SHOWN else None,
    )
    st.caption(session_facts(session))
    past_risk_line(session)


def session_heading(session: Session) -> None:
    """Show a session's title as a heading, with its marks."""
    st.markdown(
        f"#### {as_text(session.title, HEADING_SHOWN)}",
        width="content",
        help=as_text(session.title) if len(session.title) > HEADING_SHOWN else None,
    )
    session_marks(session)


def session_facts(session: Session) -> str:
    """Write agent, model, language, length and date of a session, as Markdown."""
    known = agents().get(session.agent)
    parts = [
        known.label if known else session.agent,
        model_label(session.model),
        {"en": "English", "zh": "中文"}[session.language],
    ]
    parts += [count_text(session.turn_count, "turn"), date_text(session.updated)]
    return " · ".join(as_text(part) for part in parts)


def session_marks(session: Session) -> None:
    """Show what a reader must know of a session at a glance."""
    with st.container(horizontal=True, gap="xxsmall", width="content"):
        if session.frozen:
            st.badge(
                "Frozen", icon=":material/ac_unit:", color="red", help="Imminent risk; a reviewer resumes it"
            )
        elif session.risk != "none":
            st.badge(f"Risk: {session.risk}", icon=":material/warning:", color="orange")
        if session.overridden:
            st.badge(
                "Overridden",
                icon=":material/tune:",
                color="violet",
                help="A person changed the agent's state",
            )
        if session.sample_client:
            st.badge("Sample client", icon=":material/smart_display:", color="gray")
        if session.complete:
            st.badge("All stages done", icon=":material/flag:", color="gray")
        if session.parent:
            st.badge("Branch", icon=":material/call_split:", color="gray")
