"""Correlation, distance and significance by topic, as pictures and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from counsel_core.plots.cells import Correction, add_targets
from counsel_core.plots.grids import (
    MARKS,
    NEAREST,
    Grid,
    correlation_grid,
    distance_grid,
    grid_alt_text,
    heatmap,
    heatmap_print,
)
from counsel_core.plots.significance import significance_alt_text, significance_chart, significance_print
from counsel_core.records import OTHER_THERAPISTS
from pages._ui.charts import show_chart
from pages._ui.measures import count_text
from pages._ui.run_results import source_label
from pages._ui.table_downloads import table_downloads
from pages._ui.topics_address import open_cell
from pages._ui.topics_data import Chosen

SIDE_BY_SIDE = 3
"""Sources up to which two heatmaps stand beside each other."""

Cells = Sequence[Sequence[tuple[list[str], str]]]
"""The topics and the source behind each cell of a grid."""


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


def no_model() -> None:
    """Say that there is nothing to compare."""
    st.info(
        "This run has no model's answers to compare with the reference. Generate some on the Datasets page, "
        "or upload a data set that has them.",
        icon=":material/group_off:",
    )


def _correlations(r: pd.DataFrame, chosen: Chosen, *, narrow: bool) -> None:
    st.markdown(
        f"**Alike in profile** · r with the reference over {_over(r)}",
        help="Pearson's correlation of a source's mean scores with the therapists', over the metrics: "
        "1 is the same profile, −1 the opposite one. In brackets the number of questions.",
    )
    grid = correlation_grid(r)
    rows = chosen.with_n(grid.rows)
    show_grid(grid, r, "topics_r", cells=_cells(grid), rows=rows, caption=MARKS, narrow=narrow)


def _distances(distance: pd.DataFrame, chosen: Chosen, *, narrow: bool) -> None:
    st.markdown(
        f"**Near in profile** · Euclidean distance over {_over(distance)}",
        help="0 is the same. Other therapists, where there are any, are the human yardstick. A model that "
        "lacks a metric that others have is not ranked.",
    )
    grid = distance_grid(distance)
    show_grid(
        replace(grid, columns=tuple(source_label(source) for source in grid.columns)),
        distance,
        "topics_distance",
        cells=_cells(grid),
        rows=chosen.with_n(grid.rows),
        caption=NEAREST,
        narrow=narrow,
    )


def significance_view(chosen: Chosen) -> None:
    """Show p by topic and source, raw or after Holm's correction."""
    frame = chosen.rows("topics")
    if frame.empty:
        no_model()
        return
    if frame["p"].notna().sum() == 0:
        st.info("No p can be given: a correlation needs three metrics or more.", icon=":material/info:")
        missing_rows(frame[["topic", "source", "reason"]], "topics_p")
        return
    holm = correction_choice() == "holm"
    words = significance_alt_text(frame)
    names = dict(zip(chosen.topics, chosen.with_n(chosen.topics), strict=True))
    shown = frame.assign(topic=frame["topic"].map(names))
    st.markdown(
        f"**Is it more than chance?** · p of each r over {_over(frame)}",
        help="How often an r this far from 0 would come of no likeness. Left of the line: below 0.05.",
    )
    show_chart(significance_chart(shown, corrected=holm), words=words, key="topics_p")
    st.caption(words)
    st.caption(holm_family(chosen.table("topics"), "p"))
    table_downloads(
        frame,
        "significance_by_topic",
        key="topics_p",
        figure=lambda: significance_print(shown, corrected=holm),
    )
    missing_rows(frame[["topic", "source", "reason"]], "topics_p")


def correction_choice() -> Correction:
    """Let the correction be chosen."""
    names: dict[Correction, str] = {"raw": "Raw p", "holm": "After Holm"}
    chosen = st.segmented_control(
        "Correction",
        list(names),
        default="raw",
        required=True,
        format_func=names.__getitem__,
        key="correction",
        bind="query-params",
        help="Of twenty comparisons one is below 0.05 by chance. Holm's correction allows for their number.",
    )
    return chosen or "raw"


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
    words = grid_alt_text(grid)
    drawn = replace(grid, rows=rows or grid.rows, columns=columns or grid.columns)
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


def _cells(grid: Grid) -> Cells:
    return [[([topic], source) for topic, source in line] for line in grid.keys]


def _clicked(key: str, cells: Cells) -> None:
    points = st.session_state[key]["selection"]["points"]
    if points:
        topics, source = cells[int(points[0]["y"])][int(points[0]["x"])]
        open_cell(topics, source)


def _over(frame: pd.DataFrame) -> str:
    lowest, highest = int(frame["n"].min()), int(frame["n"].max())
    return count_text(highest, "metric") if lowest == highest else f"{lowest} to {highest} metrics"
