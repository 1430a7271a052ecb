"""Metrics: an evaluation is set up, started, watched, and read."""

from __future__ import annotations

import streamlit as st

from counsel_core.runs.results import has_results
from pages._ui.errors import problems_shown
from pages._ui.metrics_results import results
from pages._ui.metrics_setup import new_evaluation
from pages._ui.page import Page, run
from pages._ui.run_menu import run_menu
from pages._ui.run_picker import run_picker
from pages._ui.run_progress import others_at_work, run_progress

PAGE = Page(
    file="metrics.py",
    title="Metrics",
    icon=":material/analytics:",
    order=3,
    about="Which source's answers resemble the therapists' answers, metric by metric",
)


def render() -> None:
    """Show the form of a new evaluation, or the one that the address names."""
    st.title("Metrics", anchor=False)
    st.caption(
        "Seven metrics compare answers with those of therapists. They say how alike the answers are, not "
        "whether they are good, safe or helpful."
    )
    with problems_shown():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            chosen = run_picker(new="New evaluation")
            if chosen is not None:
                run_menu(chosen)
        others_at_work(chosen)
        if chosen is None:
            new_evaluation()
        elif not run_progress(chosen).at_work and has_results(chosen):
            results(chosen)


if __name__ == "__main__":
    run(render)
