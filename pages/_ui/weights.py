"""The weights of S(cd): sliders that re-rank at once, applied only when the clinician says so."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from counsel_core.agents.cocoa.memory import Alphas
from counsel_core.agents.cocoa.state import CocoaState
from counsel_core.records import Session
from pages._ui.overrides import apply_override

_ALPHAS = {
    "recency": "How lately the distortion was last shown",
    "frequency": "How often it was shown",
    "severity": "How severe it was, on average",
}
_ABOUT = (
    "S(cd) = α·recency + α·frequency + α·severity; each part lies between 0 and 1. The highest S is "
    "cd\\*, the distortion the next reply works on. The paper sets every α to 1."
)


def weights_sliders(session: Session, state: CocoaState) -> CocoaState:
    """Show the sliders; return the state with the weights that they stand at, to be previewed."""
    places = [column for _ in range(2) for column in st.columns(2)]
    values = [
        places[at].slider(
            f"α of {part}",
            *(0.0, max(2.0, now), now, 0.1),
            help=f"{about}. {_ABOUT}",
            key=_key(session, part),
        )
        for at, (part, about) in enumerate(_ALPHAS.items())
        for now in [getattr(state.alphas, part)]
    ]
    gamma = places[-1].slider(
        "γ: fading of recency",
        *(0.0, 1.0, state.gamma, 0.005),
        format="%.3f",
        help="Recency is γ to the power of the client's utterances since; at 1 nothing fades.",
        key=_key(session, "gamma"),
    )
    preview = replace(state, alphas=Alphas(*values), gamma=gamma)
    _buttons(session, state, preview)
    return preview


def _buttons(session: Session, state: CocoaState, preview: CocoaState) -> None:
    changed = (preview.alphas, preview.gamma) != (state.alphas, state.gamma)
    with st.container(horizontal=True):
        if st.button("Apply from the next turn", disabled=not changed, key="apply_weights"):
            given = {f"alpha_{part}": value for part, value in preview.alphas._asdict().items()}
            apply_override(session.id, "weights", given | {"gamma": preview.gamma})
        st.button("Reset", disabled=not changed, key="reset_weights", on_click=_reset, args=(session,))
    if changed:
        st.caption("A preview: the agent keeps the weights it had until you apply these.")


def _reset(session: Session) -> None:
    for part in (*_ALPHAS, "gamma"):
        st.session_state.pop(_key(session, part), None)


def _key(session: Session, part: str) -> str:
    return f"weight_{part}_{session.id}"
