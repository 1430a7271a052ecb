"""What the Topics page shows, kept in the address and remembered while another page is open."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

COLUMN, TOPICS = "by", "topics"
CELL_TOPICS, CELL_SOURCE, CELL_ITEM = "cell_topic", "cell_source", "item"


def wanted(key: str) -> list[str]:
    """Return what the address asks for, or what was last chosen in this tab."""
    return st.query_params.get_all(key) or list(st.session_state.get(_kept(key), ()))


def keep(key: str, values: Iterable[str]) -> None:
    """Put a choice into the address; none takes it out."""
    chosen = list(values)
    st.session_state[_kept(key)] = chosen
    if not chosen:
        st.query_params.pop(key, None)
    elif st.query_params.get_all(key) != chosen:
        st.query_params[key] = chosen


def open_cell(topics: Iterable[str], source: str) -> None:
    """Show the questions behind one cell."""
    keep(CELL_TOPICS, topics)
    keep(CELL_SOURCE, [source])
    keep(CELL_ITEM, [])


def close_cell() -> None:
    """Show no questions."""
    for key in (CELL_TOPICS, CELL_SOURCE, CELL_ITEM):
        keep(key, [])


def _kept(key: str) -> str:
    return f"topics_page_{key}"
