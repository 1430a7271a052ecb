"""Datasets: upload questions and answers, see what was read, let models answer."""

from __future__ import annotations

import streamlit as st

from pages._ui.errors import problems_shown
from pages._ui.page import Page, run

PAGE = Page(
    file="datasets.py",
    title="Datasets",
    icon=":material/table_view:",
    order=2,
    about="Questions with answers of therapists and models: upload, check, let models answer",
)
VIEWS = ("Overview", "Questions", "Repairs and drops", "Missing answers", "Files")


def render() -> None:
    """Show what can be uploaded and what there is."""
    # Not above: the navigation imports every page, and what reads data sets takes a while to load.
    from pages._ui import dataset_upload
    from pages._ui.dataset_cards import counsel_chat_card

    st.title("Datasets", anchor=False)
    st.caption("Questions with the answers of therapists, models and agents. Files stay on this machine.")
    left, right = st.columns([3, 2], gap="large")
    with left, problems_shown():
        st.subheader("Upload", anchor=False)
        dataset_upload.upload()
    with right:
        counsel_chat_card()
    with problems_shown():
        in_view()


def in_view() -> None:
    """Show the chosen data set."""
    from pages._ui import dataset_answers, dataset_view
    from pages._ui.dataset_menu import dataset_menu
    from pages._ui.dataset_picker import dataset_picker, read_saved

    st.subheader("In view", anchor=False)
    saved = dataset_picker()
    if saved is None:
        return
    dataset = read_saved(saved)
    view = st.segmented_control(
        "View", VIEWS, default=VIEWS[0], key="dataset_view", label_visibility="collapsed"
    )
    if view == "Questions":
        dataset_view.questions(dataset)
    elif view == "Repairs and drops":
        dataset_view.repairs(dataset)
    elif view == "Missing answers":
        with problems_shown():
            dataset_answers.missing_answers(saved, dataset)
    elif view == "Files":
        dataset_view.downloads(saved, dataset)
        dataset_menu(saved)
    else:
        dataset_view.overview(saved, dataset)


if __name__ == "__main__":
    run(render)
