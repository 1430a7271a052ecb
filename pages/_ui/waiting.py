"""A line that this program is not answering: another one is, or it stopped while it was answering."""

from __future__ import annotations

import math

import streamlit as st

from counsel_core.records import Turn
from counsel_core.storage.leases import seconds_left
from pages._ui.dialogs import dialog_is_open
from pages._ui.workspace import database

LOOK_SECONDS = 1.0


@st.fragment(run_every=LOOK_SECONDS)
def waiting(turn: Turn) -> None:
    """Say what is known and count down; when the wait is over, draw the page anew."""
    left = seconds_left(database(), turn.session, turn.number)
    if left is None and not dialog_is_open():
        st.rerun()
    st.info(
        "**No answer yet.** The program stopped while it was answering, or another program still answers. "
        f"Retry is possible in {math.ceil(left or 0)} s, unless a sign of life comes from there.",
        icon=":material/hourglass_top:",
    )
