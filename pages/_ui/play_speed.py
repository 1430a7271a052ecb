"""How fast a sample client speaks; the address keeps it through a reload."""

from __future__ import annotations

import streamlit as st

from pages._ui.chat_address import address_speed, put_speed

SPEEDS = {"Slow": 8.0, "Normal": 4.0, "Fast": 1.5}
"""The pause between two lines, in seconds."""
USUAL = "Normal"
_KEY = "play_speed"


def speed_control() -> None:
    """Let the speed be chosen; it begins as the address says."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = (address_speed() or "").capitalize()
    if st.session_state[_KEY] not in SPEEDS:
        st.session_state[_KEY] = USUAL
    chosen = st.segmented_control(
        "Speed",
        list(SPEEDS),
        required=True,
        key=_KEY,
        label_visibility="collapsed",
        persist_state="session",
    )
    put_speed(None if chosen == USUAL else chosen.lower())


def pause_seconds() -> float:
    """Return how long to wait after a turn before the next line."""
    return SPEEDS[st.session_state.get(_KEY) or USUAL]
