"""The audit log in the Archive: who did what when, in ids and hashes, never in words."""

from __future__ import annotations

import json

import pandas as pd
import streamlit as st

from counsel_core.storage.audit import read_latest
from pages._ui.table_downloads import table_downloads
from pages._ui.workspace import database

SHOWN = 1000


def audit_log() -> None:
    """Show the latest entries, of one session if its id is given."""
    st.caption(
        "What was done with sessions: begun, answered by which model, frozen, resumed, changed, branched, "
        "deleted. Ids, numbers and hashes only; the database refuses to change or delete an entry."
    )
    wanted = st.text_input(
        "Session id", key="audit_session", max_chars=40, placeholder="All sessions"
    ).strip()
    entries = read_latest(database(), SHOWN, session=wanted or None)
    if not entries:
        st.info("No entry." if wanted else "No entry yet: nothing was done.", icon=":material/receipt_long:")
        return
    frame = pd.DataFrame(
        [
            {
                "when (UTC)": one.created.strftime("%Y-%m-%d %H:%M:%S"),
                "what": one.action,
                "session": one.session or "",
                "who (hash)": one.actor_hash or "",
                "details": json.dumps(one.details, ensure_ascii=False),
            }
            for one in entries
        ]
    )
    st.dataframe(frame, hide_index=True, key="audit_entries")
    if len(entries) == SHOWN:
        st.caption(f"The latest {SHOWN:,} entries.")
    table_downloads(frame, "audit_log", key="audit_entries")
