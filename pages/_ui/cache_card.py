"""What is kept of models' answers in runs, and the button that takes it from the disk."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.llm.cache import LIMIT, CacheStatistics, cache_statistics, clear_cache
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.measures import count_text, date_text
from pages._ui.workspace import settings


def cache_card() -> None:
    """Show how much is kept, of which models, and let it be cleared."""
    st.subheader("Kept answers", anchor=False)
    found = cache_statistics(settings())
    st.caption(
        "A run that is done again asks, and pays, for nothing twice: answers of models are kept for runs, "
        f"never for chats. At most {LIMIT / 1e6:.0f} MB; what was not used for longest goes first. They may "
        "repeat what a question said: clearing takes them from the disk."
    )
    if not found.entries:
        st.caption("Nothing is kept.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        since = f", the oldest of {date_text(found.oldest)}" if found.oldest else ""
        st.markdown(f"**{count_text(found.entries, 'answer')}**, {found.bytes / 1e6:.1f} MB{since}")
        if st.button("Clear", key="clear_cache", icon=":material/delete:"):
            clear_dialog()
    st.dataframe(cache_frame(found), hide_index=True, key="cache_models")


def cache_frame(found: CacheStatistics) -> pd.DataFrame:
    """Return what is kept of each model."""
    rows = [
        {"model": one.model, "answers": one.entries, "MB": round(one.bytes / 1e6, 2), "used again": one.hits}
        for one in found.models
    ]
    return pd.DataFrame(rows)


@dialog("Clear the kept answers?", icon=":material/delete:")
def clear_dialog() -> None:
    """Ask before they go; a run that is done again then asks the models anew."""
    st.text("Results of runs stay. A run that is done again asks the models anew.")
    if st.button("Clear them", key="confirm_clear_cache"):
        with problems_shown():
            clear_cache(settings())
            st.rerun()
