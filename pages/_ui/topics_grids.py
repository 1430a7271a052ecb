"""Correlation and distance by topic, as pictures and as tables."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.plots.grids import MARKS, NEAREST, Grid, correlation_grid, distance_grid
from counsel_core.records import OTHER_THERAPISTS
from counsel_core.runs.naming import source_label
from pages._ui.grid_view import Cells, missing_rows, no_model, number_of_metrics, show_grid
from pages._ui.topics_data import Chosen

SIDE_BY_SIDE = 3
"""Sources up to which two heatmaps stand beside each other."""


def correlation_view(chosen: Chosen) -> None:
    """Show r and distance by topic and source."""
    r, distance = chosen.rows("topics"), chosen.rows("topic_distances")
    if r.empty:
        no_model()
    distance = _in_order_of(r, distance, chosen)
    beside = distance["source"].nunique() <= SIDE_BY_SIDE and not r.empty
    left, right = st.columns(2, gap="medium") if beside else (st.container(), st.container())
    if not r.empty:
        with left:
            _correlations(r, chosen, narrow=beside)
    if not distance.empty:
        with right:
            _distances(distance, chosen, narrow=beside)
    missing_rows(pd.concat([r, distance])[["topic", "source", "reason"]].drop_duplicates(), "topics_r")


def _in_order_of(r: pd.DataFrame, distance: pd.DataFrame, chosen: Chosen) -> pd.DataFrame:
    """Put the sources of the distances into the order of the correlations, the yardstick first."""
    known = [OTHER_THERAPISTS, *r["source"].unique()]
    sources = dict.fromkeys([*known, *distance["source"]])
    place = {name: at for at, name in enumerate(sources)}
    by_source = distance.sort_values("source", key=lambda names: names.map(place), kind="stable")
    topics = {name: at for at, name in enumerate(chosen.topics)}
    return by_source.sort_values("topic", key=lambda names: names.map(topics), kind="stable")


def _correlations(r: pd.DataFrame, chosen: Chosen, *, narrow: bool) -> None:
    st.markdown(
        f"**Alike in profile** · r with the reference over {number_of_metrics(r)}",
        help="Pearson's correlation of a source's mean scores with the therapists', over the metrics: "
        "1 is the same profile, −1 the opposite one. In brackets the number of questions.",
    )
    grid = correlation_grid(r)
    show_grid(
        grid,
        r,
        "topics_r",
        cells=_cells(grid),
        rows=chosen.with_n(grid.rows),
        columns=tuple(map(source_label, grid.columns)),
        caption=MARKS,
        narrow=narrow,
    )


def _distances(distance: pd.DataFrame, chosen: Chosen, *, narrow: bool) -> None:
    st.markdown(
        f"**Near in profile** · Euclidean distance over {number_of_metrics(distance)}",
        help="0 is the same. Other therapists, where there are any, are the human yardstick. A model that "
        "lacks a metric that others have is not ranked.",
    )
    grid = distance_grid(distance)
    show_grid(
        grid,
        distance,
        "topics_distance",
        cells=_cells(grid),
        rows=chosen.with_n(grid.rows),
        columns=tuple(map(source_label, grid.columns)),
        caption=NEAREST,
        narrow=narrow,
    )


def _cells(grid: Grid) -> Cells:
    return [[([topic], source) for topic, source in line] for line in grid.keys]
