"""What there is to see of an agent without memory: what it is, and what its last reply was made of."""

from __future__ import annotations

import json

import streamlit as st

from counsel_core.agents import find_agent
from counsel_core.records import Json, Session
from pages._ui.plain_text import as_text


# Every panel is called alike; this one has nothing to show of a state, and nothing to edit.
def baseline_panel(session: Session, state: Json, trace: Json, *, key: str, editable: bool) -> None:  # noqa: ARG001 - as every panel
    """Show the simple panel."""
    agent = find_agent(session.agent)
    st.markdown(f"**{as_text(agent.label)}** :gray-badge[baseline]")
    st.caption(as_text(agent.about))
    st.caption(f"Source: {as_text(agent.source)}")
    st.text("It keeps nothing between turns: it reads the conversation anew for every reply.")
    if trace:
        with st.expander("Trace of the last reply", type="compact", key=f"{key}_trace"):
            st.code(json.dumps(trace, ensure_ascii=False, indent=2), language="json", wrap_lines=True)
