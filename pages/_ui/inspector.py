"""The inspector: every model call of a turn, with prompt, raw output and repairs, and the trace."""

from __future__ import annotations

import json
from collections.abc import Sequence

import streamlit as st

from counsel_core.records import ModelCall, Session, Turn
from counsel_core.storage.sessions import load_attempts
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.measures import count_text, seconds_text, tokens_text
from pages._ui.plain_text import as_text
from pages._ui.workspace import database


@dialog("How this reply came about", width="medium", position="right", icon=":material/search:")
def inspector(session: Session, turn: Turn) -> None:
    """Show what was asked and answered; read from the database only when opened."""
    with problems_shown():
        found = load_attempts(database(), session.id, turn.number)
        counted = count_text(len(found), "call")
        st.caption(f"Turn {turn.number} · {counted} · {seconds_text(turn.seconds)}")
        if turn.error:
            st.warning(as_text(turn.error), icon=":material/error:")
        if not found:
            st.text("No model was asked in this turn.")
        else:
            shown = _attempt(found)
            call_view(_chosen([call for attempt, call in found if attempt == shown]))
        with st.expander("Trace: every intermediate of the agent", expanded=not found):
            st.code(json.dumps(turn.trace, ensure_ascii=False, indent=2), language="json", wrap_lines=True)


def _attempt(found: Sequence[tuple[int, ModelCall]]) -> int:
    """Return the attempt to show: the last one, or another if there were several."""
    numbers = sorted({attempt for attempt, _ in found})
    if len(numbers) == 1:
        return numbers[0]
    chosen = st.segmented_control(
        "Attempt", numbers, default=numbers[-1], required=True, key="inspected_attempt"
    )
    return chosen or numbers[-1]


def _chosen(calls: Sequence[ModelCall]) -> ModelCall:
    if len(calls) == 1:
        return calls[0]
    at = st.segmented_control(
        "Call",
        range(len(calls)),
        default=0,
        required=True,
        format_func=lambda at: (
            f"{at + 1} {as_text(calls[at].task.replace('_', ' '))}{' ✗' if calls[at].error else ''}"
        ),
        key=f"inspected_call_of_{len(calls)}",
        wrap=True,
    )
    return calls[at or 0]


def call_view(call: ModelCall) -> None:
    """Show one model call."""
    st.caption(f"{as_text(call.model)} · {seconds_text(call.seconds)} · {tokens_text(call)}")
    if call.error:
        st.warning(as_text(call.error), icon=":material/error:")
    if call.repairs:
        st.info("Repaired while reading: " + as_text("; ".join(call.repairs)), icon=":material/build:")
    raw, prompt, *thinking = st.tabs(["Raw output", "Prompt", *["Thinking"] * bool(call.reasoning)])
    for tab in thinking:
        with tab:
            st.caption("Written before the answer and kept apart: no agent and no client reads it.")
            st.code(call.reasoning, language=None, wrap_lines=True)
    with raw:
        if call.text:
            st.code(call.text, language=None, wrap_lines=True)
        else:
            st.caption("Nothing came back.")
    with prompt:
        for message in call.messages:
            st.caption(message.role)
            st.code(message.content, language=None, wrap_lines=True)
