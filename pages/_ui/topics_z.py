"""Whether a source is more alike on one topic than on another: Z between topics."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.plots.cells import MARKS_HOLM, Correction, corrected
from counsel_core.plots.grids import MARKS, z_grid, z_matrix
from counsel_core.runs.by_topic import SHOWN_AT_FIRST
from counsel_core.runs.naming import source_label
from pages._ui.grid_view import holm_family, missing_rows, no_model, show_grid
from pages._ui.plain_text import as_text, shorten
from pages._ui.topics_data import Chosen
from pages._ui.topics_significance import correction_choice

FORMULAS = {"paper": "Paper", "standard": "Standard"}
_HALF = 12


def z_view(chosen: Chosen) -> None:
    """Show Z between the topics in view for all sources, and for one source over all topics."""
    table = chosen.table("z_scores")
    if chosen.table("topics").empty:
        no_model()
        return
    if table.empty:
        st.info("Z compares two topics with each other; here is only one.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        formula, correction = _formula(), correction_choice()
    frame = table[table["formula"] == formula]
    marks = MARKS_HOLM if correction == "holm" else MARKS
    if 2 <= len(chosen.topics) <= SHOWN_AT_FIRST:
        _pairs(frame, chosen, correction, marks)
    elif len(chosen.topics) > SHOWN_AT_FIRST:
        st.caption(f"Choose two to {SHOWN_AT_FIRST} topics above to see every pair for all sources.")
    if len(chosen.sizes) > 2:
        _matrix(frame, chosen, correction, marks)
    st.caption(holm_family(frame, "p"))


def _formula() -> str:
    chosen = st.segmented_control(
        "Formula",
        list(FORMULAS),
        default="paper",
        required=True,
        format_func=FORMULAS.__getitem__,
        key="formula",
        bind="query-params",
        help="Paper: the formula of the framework's paper, which treats the two correlations as independent "
        "and takes n = 10. Standard: Steiger's test of two dependent correlations over the metrics known "
        "in both topics.",
    )
    return chosen or "paper"


def _pairs(frame: pd.DataFrame, chosen: Chosen, correction: Correction, marks: str) -> None:
    rows = frame[frame["topic_1"].isin(chosen.topics) & frame["topic_2"].isin(chosen.topics)]
    st.markdown(
        "**Do topics differ?** · Z of r on the first topic minus r on the second",
        help="Beyond ±1.96 the difference is significant at 0.05. Red: more alike on the first topic; "
        "blue: on the second.",
    )
    grid = corrected(z_grid(rows), correction)
    pairs = list(dict.fromkeys(zip(rows["topic_1"], rows["topic_2"], strict=True)))
    cells = [[([*pair], line[0][0]) for pair in pairs] for line in grid.keys]
    names = tuple(f"{shorten(one, _HALF)} – {shorten(two, _HALF)}" for one, two in pairs)
    show_grid(
        grid,
        rows,
        "topics_z",
        cells=cells,
        rows=tuple(map(source_label, grid.rows)),
        columns=names,
        caption=marks,
    )
    missing_rows(rows[["source", "topic_1", "topic_2", "reason"]], "topics_z")


def _matrix(frame: pd.DataFrame, chosen: Chosen, correction: Correction, marks: str) -> None:
    source = st.selectbox(
        "One source, every two topics",
        list(frame["source"].unique()),
        format_func=lambda name: shorten(source_label(name), 60),
        key="z_source",
    )
    own = frame[frame["source"] == source]
    st.markdown(
        f"**{as_text(source_label(source), 60)}** · Z of r on the row's topic minus r on the column's"
    )
    grid = corrected(z_matrix(own, source), correction)
    cells = [[([one] if one == two else [one, two], source) for one, two in line] for line in grid.keys]
    show_grid(grid, own, "topics_z_matrix", cells=cells, rows=chosen.with_n(grid.rows), caption=marks)
    missing_rows(own[["source", "topic_1", "topic_2", "reason"]], "topics_z_matrix")
