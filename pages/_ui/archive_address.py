"""What the Archive shows, kept in the address: the list, one session replayed, or two compared."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

REPLAY, TURN, COMPARE = "replay", "turn", "compare"


def show_list() -> None:
    """Go back to the list."""
    st.query_params.clear()


def show_replay(session_id: str, turn: int = 0) -> None:
    """Replay a session, standing at a turn (0 is the opening)."""
    st.query_params.from_dict({REPLAY: session_id, TURN: str(turn)})


def show_comparison(session_ids: Sequence[str]) -> None:
    """Compare two sessions side by side."""
    st.query_params.from_dict({COMPARE: list(session_ids)})


def replayed_turn(last: int) -> int:
    """Return the turn that the address asks for, within the session."""
    given = st.query_params.get(TURN, "0")
    return min(int(given), last) if given.isascii() and given.isdigit() else 0
