"""One evaluation in a list: its name and what there is to know of it in a line."""

from __future__ import annotations

import streamlit as st

from counsel_core.runs.runs import Run, status
from pages._ui.measures import count_text, date_text
from pages._ui.plain_text import as_text
from pages._ui.run_picker import RUN, STATES
from pages._ui.session_row import TITLE_SHOWN

METRICS_PAGE = "pages/metrics.py"


def run_row(shown: Run) -> None:
    """Show the name of a run, what it evaluates, and how far it is."""
    plan = shown.plan
    with st.container(gap=2):
        st.markdown(f"**{as_text(shown.title or plan.dataset_name, TITLE_SHOWN)}**")
        parts = ["Evaluation", f"preset {plan.preset}", count_text(len(plan.metrics), "metric")]
        parts += [date_text(shown.created), STATES[status(shown).state]]
        st.caption(" · ".join(map(as_text, parts)))


def open_run(shown: Run) -> None:
    """Go to the page that shows a run."""
    st.switch_page(METRICS_PAGE, query_params={RUN: shown.id})
