"""Choosing the protocol that SuDoSys follows: those that come with the project, and the user's own."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents.sudosys.protocol import list_protocols
from counsel_core.records import Language
from pages._ui.chat_address import leave_session
from pages._ui.plain_text import as_text
from pages._ui.workspace import settings


def protocol_picker(language: Language, standing: str, *, key: str, help_text: str) -> str:
    """Let a protocol of the session's language be chosen; return its name.

    `standing` is what the session in view was begun with, whether or not its file is still there. A
    file that cannot be used is named with its error.
    """
    listed = list_protocols(settings().protocols_dir)
    titles = {
        one.name: one.protocol.title for one in listed if one.protocol and one.protocol.language == language
    }
    if standing:
        titles.setdefault(standing, standing)
    if not titles:
        st.warning("There is no protocol in this language.", icon=":material/error:")
        return standing
    if st.session_state.get(key) not in titles:
        st.session_state[key] = next(iter(titles))
    chosen = st.selectbox(
        "Protocol",
        list(titles),
        format_func=titles.__getitem__,
        key=key,
        help=help_text,
        on_change=leave_session,
        persist_state="session",
    )
    wrong = [one.error for one in listed if one.error]
    if wrong:
        st.caption(f":material/error: Cannot be used: {as_text('; '.join(wrong))}")
    return chosen
