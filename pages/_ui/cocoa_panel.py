"""What CoCoA knows and why it answers as it does: technique, distortions, memories, weights."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents.cocoa.knowledge import techniques
from counsel_core.agents.cocoa.state import CocoaState, load_state
from counsel_core.records import Json, Language, Session
from pages._ui.distortion_panel import distortion_chart, distortion_table, relabel_form
from pages._ui.plain_text import as_text
from pages._ui.weights import ABOUT_SCORE, weights_sliders


@st.fragment
def cocoa_panel(session: Session, state_json: Json, trace: Json, *, key: str, editable: bool) -> None:
    """Show the panel for one moment of a session; `editable` where it is the present one."""
    state = load_state(state_json)
    technique_progress(trace, session.language)
    st.markdown("**Which distortion to work on**", help=ABOUT_SCORE)
    chart = st.container()
    # The sliders come after the bars, which stand as the sliders say.
    preview = weights_sliders(session, state) if editable else state
    with chart:
        distortion_chart(preview, key=key)
    titles = [f"Memory {len(state.distortions)}", f"Retrieved {len(trace.get('retrieved', ()))}"]
    memory, retrieved, insights = st.tabs([*titles, f"Insights {len(state.insights)}"])
    with memory:
        distortion_table(state.distortions)
        if editable and state.distortions:
            with st.expander("Relabel an entry", type="compact"):
                relabel_form(session, state.distortions)
    with retrieved:
        retrieved_memories(trace)
    with insights:
        insight_list(state)


def technique_progress(trace: Json, language: Language) -> None:
    """Show the technique of the last reply and how far it has come, or why there is none."""
    name, stage = trace.get("technique"), trace.get("stage")
    if not name or not stage:
        st.markdown("**Technique** :gray-badge[none yet]")
        st.caption("With no distortion to work on, the reply follows the support strategies alone.")
        return
    technique = techniques()[name]
    text = technique.texts[language]
    at, of = stage
    st.markdown(
        f"**{as_text(text.label)}** :gray-badge[{as_text(technique.family)}]", help=as_text(text.what)
    )
    st.progress(at / of, text=f"Stage {at} of {of}: {as_text(trace.get('stage_name') or '')}")


def retrieved_memories(trace: Json) -> None:
    """Show what was remembered for the last reply, by similarity, and which encoder compared."""
    found = trace.get("retrieved") or []
    if trace.get("embedder"):
        st.caption(f"Compared by {as_text(trace['embedder'])}; 1 is the same meaning, 0 none in common.")
    if not found:
        st.caption("Nothing was retrieved: a memory is searched only once there is a distortion to work on.")
    for entry in found:
        kind = "distortion memory" if entry["memory"] == "distortion" else "basic memory"
        with st.container(gap=2):
            st.caption(f"**{entry['similarity']:.2f}** · {kind}, turn {entry['turn']}")
            st.text(entry["text"])


def insight_list(state: CocoaState) -> None:
    """Show the basic memory, the newest first."""
    if not state.insights:
        st.caption("Empty. What the client tells about themselves is noted here, line by line.")
    for insight in reversed(state.insights):
        with st.container(gap=2):
            st.caption(f"turn {insight.turn}")
            st.text(insight.text)
