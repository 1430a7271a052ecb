"""What can be done with a whole data set: give it a title, remove it."""

from __future__ import annotations

import streamlit as st

from counsel_core.datasets.library import SavedDataset, find, remove, rename
from pages._ui.dataset_picker import forget_dataset
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.workspace import settings

LONGEST_TITLE = 200


def dataset_menu(saved: SavedDataset) -> None:
    """Offer to rename or remove a data set of the user's own; samples stay as they are."""
    if saved.sample:
        return
    with st.container(horizontal=True, gap="small"):
        if st.button("Rename", icon=":material/edit:", type="tertiary", key="rename"):
            rename_dataset_dialog(saved.key)
        if st.button("Remove", icon=":material/delete:", type="tertiary", key="remove"):
            remove_dataset_dialog(saved.key)


@dialog("Rename the data set", icon=":material/edit:")
def rename_dataset_dialog(key: str) -> None:
    """Give a data set a title; without one its file's name is shown."""
    with problems_shown(), st.form("rename_dataset", border=False):
        saved = find(settings(), key)
        title = st.text_input(
            "Title", saved.title or saved.name, max_chars=LONGEST_TITLE, key="dataset_title"
        )
        if st.form_submit_button("Save the title", key="save_dataset_title"):
            rename(settings(), key, title)
            st.rerun()


@dialog("Remove the data set?", icon=":material/delete:")
def remove_dataset_dialog(key: str) -> None:
    """Remove a data set for good, after a second click."""
    with problems_shown():
        saved = find(settings(), key)
        st.text(saved.title or saved.name)
        st.caption("Its file goes. Evaluations made of it keep their own copy and stay.")
        if st.button("Remove for good", type="primary", icon=":material/delete:", key="remove_dataset"):
            remove(settings(), key)
            forget_dataset()
            st.rerun()
