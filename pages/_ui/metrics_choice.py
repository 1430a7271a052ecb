"""Choosing what is measured: metrics, preset, judge."""

from __future__ import annotations

from typing import get_args

import streamlit as st

from counsel_core.llm.family import of_one_family
from counsel_core.metrics import find_metric, metrics
from counsel_core.metrics._base import Metric
from counsel_core.records import ModelSpec, Preset
from counsel_core.runs.profiles import paper_order
from pages._ui.errors import show_problem
from pages._ui.model_picker import available_models, say_where
from pages._ui.plain_text import as_text

PRESETS = {"paper": "as the paper computed", "standard": "as the paper's text means"}
NO_JUDGE = ""
_WORK = {"text": "text alone", "encoder": "an encoder on this machine", "judge": "calls of the judge"}


def preset_choice() -> Preset:
    """Let the preset be chosen, with what it means."""
    chosen = st.segmented_control(
        "Preset",
        get_args(Preset),
        default="paper",
        required=True,
        format_func=str.capitalize,
        key="preset",
        bind="query-params",
        persist_state="session",
        help="`paper` repeats the published computation, quirks included, so that results compare with the "
        "paper's. `standard` computes what the paper's text describes. Results of the two are never mixed.",
    )
    preset: Preset = "paper" if chosen == "paper" else "standard"
    st.caption(f"{preset.capitalize()}: {PRESETS[preset]}.")
    return preset


def judge_choice(sources: list[str]) -> ModelSpec | None:
    """Let a language model be chosen as the judge; mark the sources that are of its own family."""
    models, problem = available_models()
    if problem:
        show_problem(problem)
    judges = {name: spec for name, spec in models.items() if spec.location != "rules"}
    if st.session_state.get("judge") not in judges:
        st.session_state["judge"] = NO_JUDGE
    chosen = st.selectbox(
        "Judge",
        [NO_JUDGE, *judges],
        format_func=lambda name: judges[name].label if name else "No judge: proxies instead",
        key="judge",
        bind="query-params",
        persist_state="session",
        help="The language model that rates agreeability and active listening from 0 to 10. Without one, an "
        "embedding similarity stands in; it is named a proxy everywhere and never mixed with ratings. "
        "Models are added on the Models page.",
    )
    if not chosen:
        return None
    spec = judges[chosen]
    say_where(spec)
    kin = of_one_family((spec.name, spec.label, spec.model), sources)
    if kin:
        st.warning(
            f"Judge and judged are of one family: {as_text(', '.join(kin), 300)}. A model may favour its own "
            "kind; read their ratings with that in mind.",
            icon=":material/family_restroom:",
        )
    return spec


def metric_choice(*, judged: bool, preset: Preset) -> list[str]:
    """Let metrics be chosen; each says what it measures and how its presets differ."""
    known = ordered_metrics()
    st.markdown("**Metrics**")
    chosen = []
    for place, column in enumerate(st.columns(3)):
        with column:
            chosen += [metric.name for metric in known[place::3] if _choose(metric, judged=judged)]
    with st.expander("What each metric measures, and how the presets differ", icon=":material/help:"):
        for metric in known:
            st.markdown(f"**{metric.label}** · needs {_WORK[metric.work]}  \n{metric.description}")
            st.caption(f"{metric.differs}  \nSource: {metric.source}")
    if "simplicity" in chosen:
        lower = (
            "Kincaid's grade, lower is simpler" if preset == "paper" else "reading ease, higher is simpler"
        )
        st.caption(f"Simplicity in this preset: {lower}.")
    return [metric.name for metric in known if metric.name in chosen]


def ordered_metrics() -> list[Metric]:
    """Return the metrics in the order of the paper's sections, proxies last."""
    return [find_metric(name) for name in paper_order(metrics())]


def _choose(metric: Metric, *, judged: bool) -> bool:
    # The key says whether there is a judge: with one, ratings are chosen at first; without, proxies.
    wanted = not metric.proxy_of if judged else metric.work != "judge"
    return st.checkbox(
        metric.label,
        value=wanted,
        key=f"metric_{metric.name}_{'judged' if judged else 'alone'}",
        bind="query-params",
        disabled=metric.work == "judge" and not judged,
        help=metric.description
        if judged or metric.work != "judge"
        else f"{metric.description} Choose a judge first.",
        persist_state="session",
    )


def is_judged(names: list[str]) -> bool:
    """Return whether a judge is asked for any of the metrics."""
    return any(find_metric(name).work == "judge" for name in names)
