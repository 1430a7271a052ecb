"""The door to the agents: a small picture of each, of the last session or of a labelled sample."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents.cocoa.memory import Distortion
from counsel_core.agents.cocoa.state import CocoaState
from counsel_core.agents.cocoa.state import load_state as load_cocoa
from counsel_core.agents.sudosys.protocol import from_json, load_protocol
from counsel_core.agents.sudosys.state import load_state as load_sudosys
from counsel_core.records import Session
from counsel_core.storage.sessions import list_sessions
from pages._ui.chat_address import go_to_demo, go_to_session
from pages._ui.distortion_panel import distortion_chart
from pages._ui.errors import problems_shown
from pages._ui.plain_text import as_text
from pages._ui.stage_stepper import stage_timeline
from pages._ui.workspace import database, settings

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


def agent_door() -> None:
    """Explore an agent: the stages of SuDoSys, or the distortions that CoCoA remembers."""
    with st.container(border=True, height="stretch"):
        st.subheader("Explore an agent", anchor=False)
        sudosys, cocoa = st.tabs(["SuDoSys", "CoCoA"])
        with sudosys, problems_shown():
            _sudosys()
        with cocoa, problems_shown():
            _cocoa()


def _sudosys() -> None:
    session = _last("sudosys")
    st.caption("A session in stages. See where it stands, what is known of each topic, and why it goes on.")
    if session:
        state = load_sudosys(session.state)
        stage_timeline(from_json(session.material["protocol"]), state.stage, complete=state.complete)
        _from_session(session)
    else:
        stage_timeline(load_protocol(SAMPLE_PROTOCOL, settings().protocols_dir), SAMPLE_STAGE)
        st.caption("Sample picture: a session in its third stage")
    _open_buttons("sudosys", session)


def _cocoa() -> None:
    session = _last("cocoa")
    st.caption("A memory of cognitive distortions chooses what to work on, and with which technique.")
    state = load_cocoa(session.state) if session else SAMPLE_MEMORY
    if session and state.scores():
        distortion_chart(state, key="door", download=False)
        _from_session(session)
    else:
        distortion_chart(SAMPLE_MEMORY, key="door", download=False)
        st.caption("Sample picture: a memory of four made-up utterances")
    _open_buttons("cocoa", session)


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
