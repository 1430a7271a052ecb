"""What can be done with a whole data set: remove it."""

from __future__ import annotations

import streamlit as st

from counsel_core.datasets.library import SavedDataset, find, remove
from pages._ui.dataset_picker import forget_dataset
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.workspace import settings


def remove_button(saved: SavedDataset) -> None:
    """Offer to remove a data set of the user's own; samples stay."""
    if not saved.sample and st.button("Remove", icon=":material/delete:", type="tertiary", key="remove"):
        remove_dataset_dialog(saved.key)


@dialog("Remove the data set?", icon=":material/delete:")
def remove_dataset_dialog(key: str) -> None:
    """Remove a data set for good, after a second click."""
    with problems_shown():
        saved = find(settings(), key)
        st.text(f"{saved.name}\n\nIts file goes. Evaluations made of it keep their own copy and stay.")
        if st.button("Remove for good", type="primary", icon=":material/delete:", key="remove_dataset"):
            remove(settings(), key)
            forget_dataset()
            st.rerun()
