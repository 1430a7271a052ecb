"""The topics of a stage: what the client told about each, and what the last turn changed."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import streamlit as st

from counsel_core.agents.sudosys.protocol import Protocol, Stage
from counsel_core.agents.sudosys.state import SudosysState
from counsel_core.records import Session
from pages._ui.overrides import apply_override
from pages._ui.plain_text import as_text


def topic_list(stage: Stage, values: Mapping[str, str], changed: Collection[str]) -> None:
    """Show every topic; those that changed are framed and say so."""
    for topic in stage.topics:
        fresh = topic.key in changed
        with st.container(border=fresh, gap=2):
            mark = " :blue-badge[:material/edit: changed]" if fresh else ""
            st.markdown(f"**{as_text(readable(topic.key))}**{mark}", help=as_text(topic.about))
            if values.get(topic.key):
                st.text(values[topic.key])
            else:
                st.caption("not spoken of yet" if topic.required else "not spoken of yet · optional")


def topic_form(session: Session, protocol: Protocol, state: SudosysState) -> None:
    """Let the clinician correct what a topic holds, up to the present stage."""
    places = [(number, key) for number in range(1, state.stage + 1) for key in protocol.stage(number).keys]
    chosen = st.selectbox(
        "Topic",
        range(len(places)),
        index=max(at for at, (number, _) in enumerate(places) if number == state.stage)
        - len(protocol.stage(state.stage).keys)
        + 1,
        format_func=lambda at: f"{places[at][0]} · {readable(places[at][1])}",
        key=f"edited_topic_{session.id}_{state.stage}",
    )
    stage, key = places[chosen]
    with st.form("edit_topic", border=False):
        value = st.text_area(
            "What it holds",
            state.topics[stage].get(key, ""),
            key=f"topic_{session.id}_{stage}_{key}_{session.turn_count}",
        )
        if st.form_submit_button("Save the topic"):
            apply_override(session.id, "topic", {"stage": stage, "key": key, "value": value.strip()})


def readable(key: str) -> str:
    """Write a topic's key as words.

    Examples
    --------
    >>> readable("in_your_control")
    'In your control'
    """
    words = key.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
