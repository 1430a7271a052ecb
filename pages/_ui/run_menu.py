"""What can be done with a whole run: give it another title, remove it."""

from __future__ import annotations

import streamlit as st

from counsel_core.runs.runs import Run, load_run, remove, rename
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.run_picker import show_run
from pages._ui.workspace import settings

RENAME, REMOVE = "Rename", "Remove"


def run_menu(run: Run) -> None:
    """Show the menu of the run in view."""
    chosen = st.menu_button("Run", [RENAME, REMOVE], key="run_menu", icon=":material/more_horiz:")
    if chosen == RENAME:
        rename_run_dialog(run.id)
    elif chosen == REMOVE:
        remove_run_dialog(run.id)


@dialog("Rename the evaluation", icon=":material/edit:")
def rename_run_dialog(run_id: str) -> None:
    """Give a run another title."""
    with problems_shown():
        run = load_run(run_id, settings())
        title = st.text_input("Title", run.title, max_chars=200, key=f"title_{run_id}")
        if st.button("Save the title", key="save_run_title"):
            rename(run, title)
            st.rerun()


@dialog("Remove the evaluation?", icon=":material/delete:")
def remove_run_dialog(run_id: str) -> None:
    """Remove a run for good, after a second click."""
    with problems_shown():
        run = load_run(run_id, settings())
        st.text(
            f"{run.title or run.plan.dataset_name}\n\nIts scores, tables and report go. The data set stays."
        )
        if st.button("Remove for good", type="primary", icon=":material/delete:", key="remove_run"):
            remove(run)
            show_run(None)
            st.rerun()
