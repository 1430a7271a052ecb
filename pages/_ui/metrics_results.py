"""The results of a run, one view at a time: the view is in the address too."""

from __future__ import annotations

import streamlit as st

from counsel_core.llm.family import of_one_family
from counsel_core.metrics import find_metric
from counsel_core.runs.naming import source_label
from counsel_core.runs.runs import Run
from pages._ui.metrics_files import files
from pages._ui.metrics_items import items
from pages._ui.metrics_means import distributions, means
from pages._ui.metrics_missing import missing
from pages._ui.metrics_nearness import nearness
from pages._ui.metrics_pairs import pairs
from pages._ui.plain_text import as_text
from pages._ui.run_results import about_dataset, run_facts

VIEW = "view"
VIEWS = {
    "Nearness": nearness,
    "Means": means,
    "Distributions": distributions,
    "Pairs": pairs,
    "Missing": missing,
    "Questions": items,
    "Settings and files": files,
}


def results(run: Run) -> None:
    """Show what the run is, and the view that was chosen."""
    _head(run)
    view = st.segmented_control(
        "View",
        list(VIEWS),
        default="Nearness",
        required=True,
        key=VIEW,
        bind="query-params",
        label_visibility="collapsed",
    )
    VIEWS[view or "Nearness"](run)


def _head(run: Run) -> None:
    facts, plan = run_facts(run), run.plan
    with st.container(horizontal=True, gap="xsmall"):
        st.badge(f"preset {plan.preset}", icon=":material/tune:", color="blue")
        if any(find_metric(name).proxy_of for name in plan.metrics):
            st.badge("with proxies, no ratings", icon=":material/swap_horiz:", color="orange")
    judge = f" · judged by {as_text(plan.judge_model, 80)}" if plan.judge else ""
    st.caption(f"Data set: {as_text(plan.dataset_name, 120)}{judge}")
    if plan.judge and (kin := of_one_family((plan.judge, plan.judge_model), plan.sources)):
        st.caption(f":material/family_restroom: Of the judge's own family: {as_text(', '.join(kin), 300)}.")
    about_dataset(facts["dataset"]["about"])
    if not facts["complete"]:
        st.warning("These results are incomplete: the run ended before everything was scored.")
    if held := {source: n for source, n in facts["blocked"].items() if n}:
        said = ", ".join(f"{n:,} of {as_text(source_label(source), 60)}" for source, n in held.items())
        st.caption(f":material/block: Held back by the reply check, never shown and never scored: {said}.")
