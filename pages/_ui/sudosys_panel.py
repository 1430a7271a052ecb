"""What SuDoSys knows and why it answers as it does: stage, status with its reason, topics."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents.sudosys.protocol import Protocol, from_json
from counsel_core.agents.sudosys.state import SudosysState, load_state
from counsel_core.records import Json, Session
from pages._ui.overrides import apply_override
from pages._ui.plain_text import as_text
from pages._ui.stage_stepper import stage_sentence, stage_stepper
from pages._ui.topic_panel import readable, topic_form, topic_list

_MOVES = {
    -1: (":material/undo:", "went back"),
    0: (":material/pause_circle:", "stayed"),
    1: (":material/arrow_forward:", "went on"),
}


def sudosys_panel(session: Session, state_json: Json, trace: Json, *, key: str, editable: bool) -> None:
    """Show the panel for one moment of a session; `editable` where it is the present one."""
    protocol, state = from_json(session.material["protocol"]), load_state(state_json)
    names = [stage.name for stage in protocol.stages]
    with st.container(gap="xsmall"):
        st.markdown(f"**{stage_sentence(names, state.stage, complete=state.complete)}**")
        stage_stepper(names, state.stage, complete=state.complete)
        st.caption(as_text(protocol.stage(state.stage).purpose))
    if trace:
        status_line(trace)
    changed = {trace["stage"]: trace["changed"]} if trace else {}
    st.markdown("**Topics of this stage**")
    topic_list(protocol.stage(state.stage), state.topics[state.stage], changed.get(state.stage, ()))
    _other_stages(protocol, state, changed)
    if editable:
        _overrides(session, protocol, state)
    if trace:
        _details(trace, key)


def status_line(trace: Json) -> None:
    """Say what the last turn decided about the stage, and why."""
    icon, moved = _MOVES[trace["moved"]]
    st.markdown(
        f"{icon} Last turn **{moved}**, made in stage {trace['stage']} {as_text(trace['stage_name'])}",
        help=f"The status the model gave with its reply: −1 back, 0 stay, +1 on. Here: {trace['status']:+d}.",
    )
    if trace.get("reason"):
        st.text(trace["reason"])
    if trace.get("clamped"):
        st.caption(as_text(trace["clamped"]))


def _other_stages(protocol: Protocol, state: SudosysState, changed: dict[int, list[str]]) -> None:
    for stage in reversed(protocol.stages):
        values = state.topics[stage.number]
        if stage.number == state.stage or not any(values.values()):
            continue
        later = stage.number > state.stage
        fresh = changed.get(stage.number, ())
        label = f"{stage.number} {as_text(stage.name)}" + (" · kept, hidden from the agent" if later else "")
        label += f" · {len(fresh)} changed" if fresh else ""
        with st.expander(label, expanded=bool(fresh), type="compact"):
            topic_list(stage, values, fresh)


def _overrides(session: Session, protocol: Protocol, state: SudosysState) -> None:
    with st.expander("Set the stage, edit a topic", icon=":material/tune:", type="compact"):
        with st.form("set_stage", border=False):
            number = st.selectbox(
                "Stage of the next reply",
                [stage.number for stage in protocol.stages],
                index=state.stage - 1,
                format_func=lambda at: f"{at} {protocol.stage(at).name}",
            )
            if st.form_submit_button("Set the stage"):
                apply_override(session.id, "stage", {"number": number})
        topic_form(session, protocol, state)


def _details(trace: Json, key: str) -> None:
    lines = {
        "Kept although the model left them out": map(readable, trace.get("kept", ())),
        "Dropped, not in the protocol": map(readable, trace.get("dropped", ())),
        "Emptied by the model": map(readable, trace.get("pruned", ())),
        "Repaired while reading": trace.get("repairs"),
        "Deviations from the paper": trace.get("deviations"),
    }
    with st.expander("Details of the last turn", type="compact", key=f"{key}_details"):
        for label, items in lines.items():
            if text := "\n".join(items or ()):
                st.caption(label)
                st.text(text)
        st.caption(f"History shown to the model: {trace.get('history_turns', 0)} turns")
