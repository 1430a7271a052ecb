"""A grid whose cells open their questions, and the remarks beneath it: what the views of Topics share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from counsel_core.plots.cells import add_targets
from counsel_core.plots.grids import Grid
from counsel_core.plots.heatmaps import grid_alt_text, heatmap, heatmap_print
from pages._ui.charts import show_chart
from pages._ui.measures import count_text
from pages._ui.table_downloads import table_downloads
from pages._ui.topics_address import open_cell

Cells = Sequence[Sequence[tuple[list[str], str]]]
"""The topics and the source behind each cell of a grid."""


def no_model() -> None:
    """Say that there is nothing to compare."""
    st.info(
        "This run has no model's answers to compare with the reference. Generate some on the Datasets page, "
        "or upload a data set that has them.",
        icon=":material/group_off:",
    )


def show_grid(
    grid: Grid,
    frame: pd.DataFrame,
    key: str,
    *,
    cells: Cells,
    caption: str,
    rows: tuple[str, ...] | None = None,
    columns: tuple[str, ...] | None = None,
    narrow: bool = False,
) -> None:
    """Show a grid whose cells open the questions behind them, with its words and its downloads."""
    drawn = replace(grid, rows=rows or grid.rows, columns=columns or grid.columns)
    words = grid_alt_text(replace(grid, columns=drawn.columns))
    figure = heatmap(drawn, narrow=narrow)
    add_targets(figure, drawn)
    show_chart(figure, words=words, key=key, on_click=lambda: _clicked(key, cells))
    st.caption(f"{caption} Point at a cell for its numbers; a click opens its questions below.")
    table_downloads(frame, key, key=key, figure=lambda: heatmap_print(drawn))


def missing_rows(frame: pd.DataFrame, key: str) -> None:
    """List what is missing or lacks something, with its reason."""
    lacking = frame[frame["reason"] != ""]
    if len(lacking):
        with st.expander(f"{count_text(len(lacking), 'value')} missing or with a remark: why"):
            st.dataframe(lacking, hide_index=True, key=f"{key}_missing")


def holm_family(table: pd.DataFrame, name: str) -> str:
    """Say what the correction counts."""
    count = int(table[name].notna().sum())
    return f"Holm's correction counts all {count:,} comparisons of the run, those out of view too."


def _clicked(key: str, cells: Cells) -> None:
    points = st.session_state[key]["selection"]["points"]
    if points:
        topics, source = cells[int(points[0]["y"])][int(points[0]["x"])]
        open_cell(topics, source)
        st.toast("The questions behind this cell stand below the charts.", icon=":material/arrow_downward:")


def number_of_metrics(frame: pd.DataFrame) -> str:
    """Say over how many metrics the numbers of a table are."""
    lowest, highest = int(frame["n"].min()), int(frame["n"].max())
    return count_text(highest, "metric") if lowest == highest else f"{lowest} to {highest} metrics"
