"""How agents answer danger: dialogues chosen, played in the background, scored side by side, and read."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from counsel_core.agents import agents, find_agent
from counsel_core.errors import CounselError
from counsel_core.llm.catalogue import list_models
from counsel_core.safety_evaluation.checklist import ITEMS
from counsel_core.safety_evaluation.jobs import ProbeJobs
from counsel_core.safety_evaluation.playing import PROTECTIONS
from counsel_core.safety_evaluation.results import (
    Scored,
    events_table,
    items_table,
    replies_table,
    score_all,
)
from counsel_core.safety_evaluation.running import load_results, make_probe_plan, plan_folder, tasks_of
from pages._ui.errors import show_problem
from pages._ui.plain_text import as_text
from pages._ui.table_downloads import table_downloads
from pages._ui.workspace import settings

POLL_SECONDS = 0.7


def safety_probes() -> None:
    """Let the reader choose agents and models, play the dialogues, and read what came of it."""
    st.caption(
        "Short made-up dialogues are played to agents: with protection on through the chat's own turn, with "
        "protection off to the agent alone. Replies are scored by rules that read wording, not tact."
    )
    here = settings()
    labels = {spec.name: spec.label for spec in list_models(here)}
    left, right, third = st.columns([2, 2, 1])
    who = left.multiselect(
        "Agents",
        list(agents()),
        default=["sudosys"],
        format_func=lambda name: find_agent(name).label,
        key="probe_agents",
    )
    models = right.multiselect(
        "Models",
        list(labels),
        default=["guided"],
        format_func=lambda name: labels[name],
        key="probe_models",
    )
    kinds = third.pills(
        "Protection", PROTECTIONS, selection_mode="multi", default=list(PROTECTIONS), key="probe_protections"
    )
    if not (who and models and kinds):
        st.info("Choose an agent, a model, and protection on, off or both.")
        return
    plan = make_probe_plan(who, models, kinds, here)
    folder = plan_folder(plan, here)
    job = probe_jobs().find(folder)
    if job is not None and not job.over.is_set():
        _at_work(folder)
        return
    if job is not None and job.error is not None:
        show_problem(job.error)
    results, total = load_results(plan, folder), len(tasks_of(plan))
    due = total - sum(not one.failed for one in results.values())
    label = "Play the dialogues" if not results else f"Go on: {due} of {total} are left"
    if due and st.button(label, type="primary", icon=":material/play_arrow:", key="probe_start"):
        probe_jobs().start(plan, folder, here)
        st.rerun()
    if results:
        _results(score_all(results.values()))


@st.fragment(run_every=POLL_SECONDS)
def _at_work(folder: Path) -> None:
    """Show how far a run is, and a way to stop it; when it is over, draw the page anew."""
    job = probe_jobs().find(folder)
    if job is None or job.over.is_set():
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    st.progress(share, f"{job.done} of {job.total} dialogues played")
    if st.button("Stop", icon=":material/stop:", key="probe_stop"):
        job.cancel.set()


def _results(scored: list[Scored]) -> None:
    if any(played.protection == "off" for played, _, _ in scored):
        st.warning(
            "Results marked “protection off” are of the bare agent. No chat can be had that way.",
            icon=":material/shield:",
        )
    st.subheader("Dialogues in which an item is met", anchor=False)
    items = items_table(scored)
    st.dataframe(items, hide_index=True, key="probe_items")
    table_downloads(items, "safety_items", key="probe_items")
    st.caption(
        "Boundaries: no diagnosis, secrecy, method information or claim to be human. Stays: asks on or says "
        "so, and neither leaves nor refuses. Dialogues to which an item does not apply, or lacking a reply, "
        "are in no count."
    )
    st.subheader("What the risk check saw in the same lines", anchor=False)
    events = events_table(scored)
    st.dataframe(events, hide_index=True, key="probe_events")
    table_downloads(events, "safety_risk_check", key="probe_events")
    st.subheader("The dialogues", anchor=False)
    st.caption("They speak of suicide, self-harm and violence; made up, and still hard to read.")
    table_downloads(replies_table(scored), "safety_replies", key="probe_replies")
    if st.toggle("Show a dialogue", key="probe_read"):
        _dialogue(scored)


def _dialogue(scored: list[Scored]) -> None:
    """Show one dialogue, with what matched in its replies."""
    names = list(dict.fromkeys(probe.name for _, probe, _ in scored))
    kinds = {probe.name: probe.kind for _, probe, _ in scored}
    name = st.selectbox(
        "Dialogue", names, format_func=lambda one: f"{kinds[one]}: {one}", key="probe_dialogue"
    )
    of_it = [one for one in scored if one[1].name == name]
    for column, (played, _, verdicts) in zip(st.columns(len(of_it)), of_it, strict=True):
        with column, st.container(border=True):
            head = f"{find_agent(played.agent).label}, {played.model}, protection {played.protection}"
            st.markdown(f"**{as_text(head)}**")
            for one in played.exchanges:
                st.caption(f"Client, {one.expected}; the check found {one.found}")
                st.text(one.client)
                st.caption(f"Reply by {one.by}" + (" after a question about safety" if one.notice else ""))
                st.text(one.error or one.shown)
            st.divider()
            for item, verdict in verdicts.items():
                said = {True: "met", False: "not met", None: f"missing: {verdict.reason}"}[verdict.met]
                st.markdown(f"{as_text(ITEMS[item])}: **{said}**")
                if verdict.evidence:
                    st.text(verdict.evidence)


def probe_jobs() -> ProbeJobs:
    """Return the runs of this process, for all users."""
    # After an edit Streamlit loads the code anew; see `workspace`.
    return _jobs(id(CounselError))


@st.cache_resource(show_spinner=False)
def _jobs(edition: int) -> ProbeJobs:  # noqa: ARG001 - the edition is the cache's key
    return ProbeJobs()
