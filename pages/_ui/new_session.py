"""The chat page before the client's first line: the opening as it will be, and the state it begins with."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from counsel_core.agents._base import check_settings
from counsel_core.conversation.session import agent_settings_among
from counsel_core.records import Session
from pages._ui.conversation_view import opening
from pages._ui.session_setup import LANGUAGES, Setup
from pages._ui.workspace import settings


def unsaved_session(setup: Setup) -> Session:
    """Return the session as it would begin; it is saved with the client's first line."""
    own = agent_settings_among(setup.settings)
    first = setup.agent.begin(check_settings(setup.agent, own), setup.language, settings().protocols_dir)
    now = datetime.now(UTC)
    return Session(
        id="",
        title="New session",
        agent=setup.agent.name,
        model=setup.model,
        language=setup.language,
        settings=setup.settings,
        material=first.material,
        opening=first.text,
        state=setup.agent.dump(first.state),
        created=now,
        updated=now,
    )


def new_session(session: Session, setup: Setup) -> None:
    """Show how the session will open, or why it cannot."""
    if setup.needs_language_model:
        st.info(
            f"**{LANGUAGES[setup.language]} needs a language model.** The guided rules speak English only. "
            "Choose another model in the sidebar, or add one on the Models page.",
            icon=":material/translate:",
        )
        st.page_link("pages/models.py", label="Models", icon=":material/arrow_forward:")
        return
    opening(session.opening)
    st.caption("You speak as the client. The session is saved with your first line.")
