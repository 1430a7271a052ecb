"""Choosing a data set: those uploaded and the samples; the choice lives in the address."""

from __future__ import annotations

import streamlit as st

from counsel_core.datasets.library import SavedDataset, list_saved, load
from counsel_core.records import QADataset
from pages._ui.plain_text import as_text, shorten
from pages._ui.workspace import settings

DATASET = "dataset"
_PICKED = "dataset_picked"


def dataset_picker() -> SavedDataset | None:
    """Let a data set be chosen; return it, or None where there is none that can be read."""
    saved = {one.key: one for one in list_saved(settings())}
    usable = [key for key, one in saved.items() if not one.problem]
    for one in saved.values():
        if one.problem:
            st.caption(f":material/warning: {as_text(one.name, 80)}: {as_text(one.problem)}")
    if not usable:
        st.info("No data set yet. Upload one on the Datasets page.", icon=":material/upload_file:")
        return None
    wanted = st.query_params.get(DATASET) or st.session_state.get(DATASET)
    if wanted and wanted not in usable:
        st.warning(
            "The data set of this address is not here; it may have been removed. Another one is shown.",
            icon=":material/search_off:",
        )
    st.session_state[_PICKED] = wanted if wanted in usable else usable[0]
    chosen = st.selectbox(
        "Data set",
        usable,
        format_func=lambda key: dataset_label(saved[key]),
        key=_PICKED,
        on_change=lambda: show_dataset(st.session_state[_PICKED]),
        help="Questions with the answers of therapists and models. Upload your own on the Datasets page.",
    )
    show_dataset(chosen)
    return saved[chosen]


def show_dataset(key: str) -> None:
    """Put a data set into the address; the pages keep to it."""
    st.session_state[DATASET] = key
    if st.query_params.get(DATASET) != key:
        st.query_params[DATASET] = key


def dataset_label(saved: SavedDataset) -> str:
    """Return a data set as it is shown in lists."""
    name = shorten(saved.title or saved.name, 60)
    return f"{name} · sample" if saved.sample else name


def read_saved(saved: SavedDataset) -> QADataset:
    """Return the data set of a choice, read once."""
    how = (tuple(sorted((role, str(column)) for role, column in saved.mapping.items())), saved.policy)
    return _read(str(settings().data_dir), saved.key, saved.saved, saved.size, how, saved.topic_column)


@st.cache_resource(max_entries=6, show_spinner="Reading the data set …")
def _read(
    folder: str,  # noqa: ARG001 - the rest is the cache's key: the same bytes can be read in other ways
    key: str,
    saved: str,  # noqa: ARG001
    size: int,  # noqa: ARG001
    how: object,  # noqa: ARG001
    topic_column: str | None,  # noqa: ARG001
) -> QADataset:
    return load(settings(), key)


def forget_dataset() -> None:
    """Take the chosen data set out of the address: it was removed."""
    st.session_state.pop(DATASET, None)
    st.query_params.pop(DATASET, None)
