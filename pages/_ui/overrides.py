"""A clinician's corrections of what the agent knows: applied, recorded, and marked in the session."""

from __future__ import annotations

import streamlit as st

from counsel_core.overriding import override_state
from counsel_core.records import Json, Override
from pages._ui.errors import problems_shown
from pages._ui.plain_text import as_text
from pages._ui.workspace import database


def apply_override(session_id: str, kind: str, arguments: Json) -> None:
    """Change the agent's state between two turns; the page then shows the new state."""
    with problems_shown():
        override_state(database(), session_id, kind, arguments)
        st.toast("Changed, and marked as your override.", icon=":material/tune:")
        st.rerun()


def override_mark(override: Override) -> None:
    """Show an override where it happened in the conversation."""
    st.caption(f":material/tune: Overridden by a person: {as_text(override.summary)}")
