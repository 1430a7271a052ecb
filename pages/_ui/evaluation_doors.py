"""The doors to comparing models and evaluating a data set: each with a small heatmap."""

from __future__ import annotations

import streamlit as st
from plotly.graph_objects import Figure

from counsel_core.datasets.library import SavedDataset, list_saved
from counsel_core.plots.grids import Grid, distance_grid, rating_grid
from counsel_core.plots.heatmaps import grid_alt_text, heatmap
from counsel_core.published import load_table
from counsel_core.runs.by_topic import topic_sizes
from counsel_core.runs.naming import source_label
from counsel_core.runs.sample_run import install_sample_run, sample_table
from pages._ui.charts import show_chart
from pages._ui.dataset_picker import dataset_label, read_saved
from pages._ui.errors import problems_shown
from pages._ui.plain_text import as_text
from pages._ui.run_row import open_run
from pages._ui.workspace import settings

PICTURE_HEIGHT = 220


def models_door() -> None:
    """Compare models: the published likeness to therapists by topic, small."""
    with st.container(border=True, height="stretch"):
        st.subheader("Compare models", anchor=False)
        st.caption("Whose answers resemble those of therapists, on which topic, and is it more than noise?")
        table = load_table("4")
        cells = table.melt(var_name="system", value_name="value", ignore_index=False)
        frame = cells.rename_axis("criterion").reset_index()
        grid = rating_grid(frame, lowest=float(table.min(axis=None)), highest=1, title="r with the reference")
        words = f"{grid_alt_text(grid)} As published."
        show_chart(_unlabelled(grid), words=words, key="door_models")
        st.caption("As published (framework paper, Table 4): topics down, models across; darker: more alike")
        st.space("stretch")
        with st.container(horizontal=True):
            st.page_link("pages/published.py", label="Published", icon=":material/menu_book:")
            st.page_link("pages/topics.py", label="Topics", icon=":material/grid_on:")


def dataset_door() -> None:
    """Evaluate a data set: the sample, by topic."""
    with st.container(border=True, height="stretch"):
        st.subheader("Evaluate a data set", anchor=False)
        st.caption("Questions with answers of therapists and models: seven metrics say how alike they are.")
        sample = next((saved for saved in list_saved(settings()) if saved.sample), None)
        if sample is not None:
            _sample(sample)
        st.space("stretch")
        with st.container(horizontal=True):
            if st.button("Open its results", icon=":material/analytics:", key="sample_results"):
                with problems_shown():
                    open_run(install_sample_run(settings()))
            st.page_link("pages/datasets.py", label="Datasets", icon=":material/dataset:")
            st.page_link("pages/metrics.py", label="Metrics", icon=":material/analytics:")


def _sample(sample: SavedDataset) -> None:
    frame = sample_table("topic_distances")
    grid = distance_grid(frame.assign(source=frame["source"].map(source_label)))
    questions = sum(topic_sizes(read_saved(sample)).values())
    words = f"{grid_alt_text(grid)} {as_text(dataset_label(sample))}, {questions} questions."
    show_chart(_unlabelled(grid), words=words, key="door_dataset")
    st.caption(
        "The sample, its references not by therapists: topics down; across two small models, then both "
        "agents by rules; darker: nearer to the reference"
    )


def _unlabelled(grid: Grid) -> Figure:
    """Return a small heatmap without words, which its caption has to give."""
    figure = heatmap(grid)
    figure.update_traces(texttemplate=None, showscale=False)
    figure.update_xaxes(showticklabels=False, ticks="")
    figure.update_yaxes(showticklabels=False, ticks="")
    return figure.update_layout(height=PICTURE_HEIGHT)
