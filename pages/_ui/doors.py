"""The doors of the first page: each with a small picture, of the last session or of a labelled sample."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents.cocoa.memory import Distortion
from counsel_core.agents.cocoa.state import CocoaState
from counsel_core.agents.cocoa.state import load_state as load_cocoa
from counsel_core.agents.sudosys.protocol import from_json, load_protocol
from counsel_core.agents.sudosys.state import load_state as load_sudosys
from counsel_core.records import Session
from counsel_core.storage.sessions import count_sessions, list_sessions
from pages._ui.chat_address import go_to_demo, go_to_session
from pages._ui.distortion_panel import distortion_chart
from pages._ui.measures import count_text
from pages._ui.model_picker import available_models
from pages._ui.plain_text import as_text
from pages._ui.stage_stepper import stage_timeline
from pages._ui.workspace import database, settings

MODELS_NAMED = 4
SAMPLE_PROTOCOL, SAMPLE_STAGE = "pm_plus_en", 3
SAMPLE_MEMORY = CocoaState(
    turn=6,
    distortions=(
        Distortion("Labeling", "I am a failure.", 4, 1),
        Distortion("Catastrophizing", "If I am late once more, it is all over.", 5, 3),
        Distortion("Labeling", "Only an idiot would have missed it.", 3, 5),
        Distortion("Mind Reading", "They all think I cannot do it.", 2, 6),
    ),
)


def sudosys_door() -> None:
    """Explore SuDoSys: its stages as a stepper."""
    session = _last("sudosys")
    with st.container(border=True, height="stretch"):
        st.subheader("Explore SuDoSys", anchor=False)
        st.caption(
            "A session in stages. See where it stands, what is known of each topic, and why it goes on."
        )
        if session:
            state = load_sudosys(session.state)
            stage_timeline(from_json(session.material["protocol"]), state.stage, complete=state.complete)
            _from_session(session)
        else:
            stage_timeline(load_protocol(SAMPLE_PROTOCOL, settings().protocols_dir), SAMPLE_STAGE)
            st.caption("Sample picture: a session in its third stage")
        st.space("stretch")
        _open_buttons("sudosys", session)


def cocoa_door() -> None:
    """Explore CoCoA: the distortions it remembers as bars."""
    session = _last("cocoa")
    with st.container(border=True, height="stretch"):
        st.subheader("Explore CoCoA", anchor=False)
        st.caption("A memory of cognitive distortions chooses what to work on, and with which technique.")
        state = load_cocoa(session.state) if session else SAMPLE_MEMORY
        if session and state.scores():
            distortion_chart(state, key="door", download=False)
            _from_session(session)
        else:
            distortion_chart(SAMPLE_MEMORY, key="door", download=False)
            st.caption("Sample picture: a memory of four made-up utterances")
        st.space("stretch")
        _open_buttons("cocoa", session)


def archive_door() -> None:
    """Look back: the Archive, and the models that answer now."""
    total = count_sessions(database())
    models = list(available_models()[0].values())
    with st.container(border=True, height="stretch"):
        st.subheader("Look back, choose a model", anchor=False)
        st.caption("Every session is kept: replay it turn by turn, compare two, export or delete it.")
        st.metric("Sessions in the Archive", total)
        st.caption("Models that can be chosen:")
        for spec in models[:MODELS_NAMED]:
            st.text(f"· {spec.label}")
        if len(models) > MODELS_NAMED:
            st.caption(f"and {count_text(len(models) - MODELS_NAMED, 'more model')}")
        st.space("stretch")
        with st.container(horizontal=True):
            st.page_link("pages/archive.py", label="Archive", icon=":material/inventory_2:")
            st.page_link("pages/models.py", label="Models", icon=":material/memory:")


def _last(agent: str) -> Session | None:
    return next(iter(list_sessions(database(), agent=agent, limit=1)), None)


def _from_session(session: Session) -> None:
    st.caption(f"From your last session: {as_text(session.title, 60)}")


def _open_buttons(agent: str, session: Session | None) -> None:
    with st.container(horizontal=True):
        if st.button("Play a sample", icon=":material/play_arrow:", key=f"demo_{agent}"):
            go_to_demo(agent)
        if session and st.button("Continue", icon=":material/forum:", key=f"go_on_{agent}"):
            go_to_session(session.id)
