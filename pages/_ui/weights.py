"""The weights of S(cd): sliders that re-rank at once, applied only when the clinician says so."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from counsel_core.agents.cocoa.memory import Alphas
from counsel_core.agents.cocoa.state import CocoaState
from counsel_core.records import Session
from pages._ui.overrides import apply_override

ABOUT_SCORE = (
    "Each type of cognitive distortion (cd) in memory gets a score, S(cd) = α·recency + α·frequency + "
    "α·severity; each part lies between 0 and 1. The highest is cd\\*: the next reply works on it. "
    "The sliders below weigh the parts (the paper sets every α to 1); γ is how slowly recency fades: it "
    "is γ to the power of the client's utterances since, so that at 1 nothing fades."
)
_ALPHAS = ("recency", "frequency", "severity")
# Four of them stand side by side in the panel of a wide window, two in that of a narrow one.
_WIDTH = 88


def weights_sliders(session: Session, state: CocoaState) -> CocoaState:
    """Show the sliders; return the state with the weights that they stand at, to be previewed."""
    with st.container(horizontal=True, gap="xsmall", horizontal_alignment="distribute"):
        values = [
            st.slider(
                f"α {part}",
                *(0.0, max(2.0, now), now, 0.1),
                key=_key(session, part),
                width=_WIDTH,
            )
            for part in _ALPHAS
            for now in [getattr(state.alphas, part)]
        ]
        gamma = st.slider(
            "γ fading",
            *(0.0, 1.0, state.gamma, 0.005),
            format="%.3f",
            key=_key(session, "gamma"),
            width=_WIDTH,
        )
    preview = replace(state, alphas=Alphas(*values), gamma=gamma)
    if (preview.alphas, preview.gamma) != (state.alphas, state.gamma):
        _buttons(session, preview)
    return preview


def _buttons(session: Session, preview: CocoaState) -> None:
    st.caption("A preview: the agent keeps the weights it had until you apply these.")
    with st.container(horizontal=True):
        if st.button("Apply from the next turn", key="apply_weights"):
            given = {f"alpha_{part}": value for part, value in preview.alphas._asdict().items()}
            apply_override(session.id, "weights", given | {"gamma": preview.gamma})
        st.button("Reset", key="reset_weights", on_click=_reset, args=(session,))


def _reset(session: Session) -> None:
    for part in (*_ALPHAS, "gamma"):
        st.session_state.pop(_key(session, part), None)


def _key(session: Session, part: str) -> str:
    return f"weight_{part}_{session.id}"
