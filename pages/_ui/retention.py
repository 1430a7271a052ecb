"""How long sessions are kept, said on the Archive; once a day those that are due are deleted."""

from __future__ import annotations

from datetime import timedelta

import streamlit as st

from counsel_core.storage.retention import list_due, purge
from pages._ui.measures import count_text
from pages._ui.workspace import database, settings

A_DAY = timedelta(days=1)


def retention_line() -> None:
    """Delete what is due, at most once a day and process, and say what is kept and why."""
    days = settings().retention_days
    if days is None:
        st.caption(
            "Sessions are kept until they are deleted. COUNSEL_RETENTION_DAYS sets after how many days "
            "without use they go by themselves."
        )
        return
    _purge_daily(str(database().file), days)
    held = [one for one in list_due(database(), days) if one.held]
    kept = f" {count_text(len(held), 'frozen session')} kept until a reviewer decides." if held else ""
    st.caption(
        f"Sessions that nobody uses for {count_text(days, 'day')} are deleted when this page is opened.{kept}"
    )


@st.cache_resource(ttl=A_DAY, show_spinner=False)
def _purge_daily(file: str, days: int) -> int:  # noqa: ARG001 - the database is the cache's key
    return len(purge(database(), days))
