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
_ALPHAS, _GAMMA = ("recency", "frequency", "severity"), "gamma"
# Four of them stand side by side in the panel of a wide window, two in that of a narrow one.
_WIDTH = 88


def weights_sliders(session: Session, state: CocoaState) -> CocoaState:
    """Show the sliders; return the state with the weights that they stand at, to be previewed."""
    with st.container(horizontal=True, gap="xsmall", horizontal_alignment="distribute"):
        values = [_slider(session, state, part, f"α {part}", most=2.0, step=0.1) for part in _ALPHAS]
        gamma = _slider(session, state, _GAMMA, "γ fading", most=1.0, step=0.005)
    preview = replace(state, alphas=Alphas(*values), gamma=gamma)
    if (preview.alphas, preview.gamma) != (state.alphas, state.gamma):
        _buttons(session, state, preview)
    return preview


def _slider(session: Session, state: CocoaState, part: str, label: str, *, most: float, step: float) -> float:
    key = _key(session, part)
    stands = st.session_state.setdefault(key, _agents_own(state, part))
    written = "%.3f" if part == _GAMMA else "%.2f"
    return st.slider(label, 0.0, max(most, stands), step=step, format=written, key=key, width=_WIDTH)


def _agents_own(state: CocoaState, part: str) -> float:
    return state.gamma if part == _GAMMA else getattr(state.alphas, part)


def _buttons(session: Session, state: CocoaState, preview: CocoaState) -> None:
    st.caption("A preview: the agent keeps the weights it had until you apply these.")
    with st.container(horizontal=True):
        if st.button("Apply from the next turn", key="apply_weights"):
            given = {f"alpha_{part}": value for part, value in preview.alphas._asdict().items()}
            apply_override(session.id, "weights", given | {"gamma": preview.gamma})
        st.button("Reset", key="reset_weights", on_click=_reset, args=(session, state))


def _reset(session: Session, state: CocoaState) -> None:
    # To forget a value is not enough: the browser would go on showing it.
    for part in (*_ALPHAS, _GAMMA):
        st.session_state[_key(session, part)] = _agents_own(state, part)


def _key(session: Session, part: str) -> str:
    return f"weight_{part}_{session.id}"
