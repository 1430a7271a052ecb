"""What an agent knows at one moment of a session, by its panel."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents import agents
from counsel_core.records import Json, Session
from pages._ui.baseline_panel import baseline_panel
from pages._ui.cocoa_panel import cocoa_panel
from pages._ui.plain_text import as_text
from pages._ui.sudosys_panel import sudosys_panel

_PANELS = {"sudosys": sudosys_panel, "cocoa": cocoa_panel}


def state_panel(session: Session, state: Json, trace: Json, *, key: str, editable: bool) -> None:
    """Show the panel of the session's agent; an agent without one gets the simple panel.

    Parameters
    ----------
    trace
        Of the turn that led to `state`; empty before the first turn.
    editable
        Whether the clinician may change the state: where it is the present one.
    """
    agent = agents().get(session.agent)
    if agent is None:
        st.warning(f"The agent {as_text(session.agent)} is not installed here.", icon=":material/error:")
        return
    _PANELS.get(session.agent, baseline_panel)(session, state, trace, key=key, editable=editable)
