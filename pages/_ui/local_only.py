"""Local-only mode: whether words may leave this machine, and to whom they would go."""

from __future__ import annotations

from collections.abc import Collection

import streamlit as st

from counsel_core.llm.catalogue import effective_local_only, set_local_only
from counsel_core.llm.location import host_of
from counsel_core.records import ModelSpec
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.plain_text import as_text
from pages._ui.workspace import settings

_WHAT_LEAVES = (
    "every line of the client, the counsellor's lines and the agent's prompts, which hold what was said "
    "before and what the agent noted"
)


def local_only_switch(models: Collection[ModelSpec]) -> None:
    """Show the mode, and the way to change it."""
    on, locked = effective_local_only(settings()), settings().local_only_locked
    hosts = sorted({host_of(spec.base_url) for spec in models if spec.location == "remote"})
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center"):
            icon, title = (":material/lock:", "on") if on else (":material/public:", "off")
            st.markdown(f"{icon} **Local-only mode is {title}**", width="stretch")
            if st.button("Turn off" if on else "Turn on", disabled=locked, key="local_only"):
                change_dialog(not on, hosts)
        if locked:
            st.caption("The environment variable COUNSEL_LOCAL_ONLY decides; change it there.")
        if on:
            st.caption("Only models on this machine answer. No file is fetched from a model hub.")
        elif hosts:
            st.warning(
                f"A model elsewhere gets {_WHAT_LEAVES}. To: {as_text(', '.join(hosts))}.",
                icon=":material/public:",
            )
        else:
            st.caption("No model elsewhere is listed: nothing leaves this machine yet.")


@dialog("Change local-only mode", icon=":material/lock:")
def change_dialog(on: bool, hosts: list[str]) -> None:
    """Say what the change means, then make it."""
    if on:
        st.text("Models on other machines are kept out from now on. What they got already stays with them.")
    else:
        st.text(f"When you choose a model on another machine, these leave this one: {_WHAT_LEAVES}.")
        st.text(f"They would go to: {', '.join(hosts) or 'no one yet; no such model is listed'}.")
        st.text("Do not turn it off with words of real clients unless you may pass them on.")
    if st.button("Turn on" if on else "Turn off", key="confirm_local_only"):
        with problems_shown():
            set_local_only(on, settings())
            st.rerun()
