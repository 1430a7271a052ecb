"""Choosing a run: its id lives in the address, and is remembered when another page is opened."""

from __future__ import annotations

import streamlit as st

from counsel_core.errors import UnknownNameError
from counsel_core.runs.runs import Run, damaged_runs, list_runs, load_run, status
from pages._ui.measures import date_text
from pages._ui.plain_text import as_text, shorten
from pages._ui.workspace import settings

RUN = "run"
NEW = ""
_PICKED, _FRESH = "run_picked", "run_is_new"
STATES = {
    "waiting": "starting",
    "running": "at work",
    "finished": "finished",
    "cancelled": "cancelled",
    "failed": "stopped",
    "interrupted": "interrupted",
}


def run_picker(*, new: str | None = None) -> Run | None:
    """Let a run be chosen; return it, or None where there is none or a new one is asked for.

    Parameters
    ----------
    new
        What is offered first, beside the runs; None: runs alone, and the latest is chosen at first.
    """
    runs = {run.id: run for run in list_runs(settings())}
    for problem in damaged_runs(settings()):
        st.caption(f":material/warning: {as_text(problem)}")
    options = [*([NEW] if new is not None else []), *runs]
    if not options:
        return None
    wanted = _wanted() if new is None or RUN in st.query_params or not st.session_state.get(_FRESH) else NEW
    if wanted and wanted not in runs:
        _say_gone(wanted)
        show_run(None)
        wanted = NEW
    st.session_state[_PICKED] = wanted if wanted in options else options[0]
    labels = {run.id: run_label(run) for run in runs.values()} | {NEW: new or ""}
    chosen = st.selectbox(
        "Evaluation",
        options,
        format_func=lambda run_id: labels[run_id],
        key=_PICKED,
        on_change=_picked,
        help="A run of the evaluation: one data set, its metrics and settings, and the results.",
    )
    if chosen:
        show_run(chosen)
    return runs.get(chosen)


def _picked() -> None:
    chosen = st.session_state[_PICKED]
    # A new evaluation is being set up: coming back to it from another page finds it again.
    st.session_state[_FRESH] = chosen == NEW
    show_run(chosen or None)


def show_run(run_id: str | None) -> None:
    """Put a run into the address, or take it out; the pages keep to it."""
    st.session_state[RUN] = run_id
    if run_id is not None and _PICKED not in st.session_state:
        st.session_state[_FRESH] = False
    if run_id is None:
        st.query_params.pop(RUN, None)
    elif st.query_params.get(RUN) != run_id:
        st.query_params[RUN] = run_id


def run_label(run: Run) -> str:
    """Return a run in a line: what it evaluates, how, when, and how far it is."""
    name = shorten(run.title or run.plan.dataset_name, 60)
    state = STATES[status(run).state]
    return f"{name} · {run.plan.preset} · {date_text(run.created)} · {state}"


def _wanted() -> str:
    """Return the id in the address, or the one this tab looked at before it left for another page."""
    return st.query_params.get(RUN) or st.session_state.get(RUN) or NEW


def _say_gone(run_id: str) -> None:
    try:
        load_run(run_id, settings())
    except UnknownNameError:
        st.warning(
            "The evaluation of this address is not here; it may have been removed.",
            icon=":material/search_off:",
        )
