"""The evaluations in the Archive: search, open, rename, save, remove."""

from __future__ import annotations

import streamlit as st

from counsel_core.runs.results import has_results, zip_results
from counsel_core.runs.runs import Run, damaged_runs, list_runs
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.plain_text import as_text
from pages._ui.run_menu import remove_run_dialog, rename_run_dialog
from pages._ui.run_row import METRICS_PAGE, open_run, run_row
from pages._ui.workspace import settings

PAGE_SIZE = 10
RENAME, EXPORT, REMOVE = "Rename", "Export", "Remove"


def run_list() -> None:
    """Show one page of the evaluations that match."""
    runs = list_runs(settings())
    for problem in damaged_runs(settings()):
        st.caption(f":material/warning: {as_text(problem)}")
    if not runs:
        st.info("No evaluation yet. Choose a data set on the Metrics page.", icon=":material/analytics:")
        st.page_link(METRICS_PAGE, label="Open Metrics", icon=":material/arrow_forward:")
        return
    query = st.text_input(
        "Search evaluations",
        key="run_query",
        placeholder="A word of the title or the data set",
        max_chars=200,
    )
    found = [
        run for run in runs if query.strip().casefold() in f"{run.title} {run.plan.dataset_name}".casefold()
    ]
    if not found:
        st.info("No evaluation matches. Try another word.", icon=":material/search_off:")
        return
    place = st.container()
    page = 1
    if len(found) > PAGE_SIZE:
        with st.container(horizontal_alignment="center"):
            page = st.pagination(-(-len(found) // PAGE_SIZE), key="run_list_page")
    with place:
        for run in found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]:
            _row(run)


def _row(run: Run) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        run_row(run)
        if st.button("Open", key=f"open_run_{run.id}", icon=":material/analytics:"):
            open_run(run)
        chosen = st.menu_button("More", [RENAME, EXPORT, REMOVE], key=f"more_run_{run.id}", type="tertiary")
    if chosen == RENAME:
        rename_run_dialog(run.id)
    elif chosen == EXPORT:
        export_run_dialog(run)
    elif chosen == REMOVE:
        remove_run_dialog(run.id)


@dialog("Export the evaluation", icon=":material/download:")
def export_run_dialog(run: Run) -> None:
    """Offer the whole run as one file."""
    with problems_shown():
        if not has_results(run):
            st.text("It has no results yet: open it, and let it finish.")
            return
        st.text("Scores, tables, settings and the report, in one ZIP file.")
        st.download_button(
            "All results (ZIP)",
            lambda: zip_results(run),
            file_name=f"{run.id}.zip",
            mime="application/zip",
            icon=":material/folder_zip:",
            key="export_run",
        )
