"""The papers' published figures: as printed, as recomputed, and as pictures."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.plots.grids import MARKS, Grid, correlation_grid, rating_grid, z_grid
from counsel_core.plots.heatmaps import grid_alt_text, heatmap, heatmap_print
from counsel_core.plots.profile import profile_alt_text, profile_chart, profile_print
from counsel_core.plots.significance import significance_alt_text, significance_chart, significance_print
from counsel_core.published import (
    RECOMPUTED,
    Cell,
    RecomputedTable,
    correlation_frame,
    load_contradictions,
    load_table,
    profile_frame,
    rating_frame,
    recompute,
    z_frame,
)
from pages._ui.charts import show_chart
from pages._ui.table_downloads import print_downloads, table_downloads

NAMES = {
    "3": "Table 3 · r and p",
    "5": "Table 5 · p by topic",
    "6": "Table 6 · Z, part 1",
    "7": "Table 7 · Z, part 2",
}
COMES_FROM = {"3": "2", "5": "4", "6": "4", "7": "4"}
RATINGS = {"1": "judged by a language model", "2": "rated by people"}


def recomputed_table() -> None:
    """Show one table, printed beside recomputed, the cells that differ first."""
    names = [NAMES[table] for table in RECOMPUTED]
    chosen = st.segmented_control("Table", names, default=names[0], key="published_table")
    table = RECOMPUTED[names.index(chosen or names[0])]
    found = _recomputed(table)
    st.caption(f"Recomputed from the printed digits of Table {COMES_FROM[table]}.")
    cells, worst, differing = st.columns(3)
    cells.metric("Cells", len(found.cells))
    worst.metric("Largest difference", f"{found.max_abs_error:.1e}")
    differing.metric(
        "Cells with other digits",
        len(found.differing),
        help="Cells whose printed digits are not those of the recomputed value. A difference is within "
        "rounding where the rounding of the printed inputs alone can make it.",
    )
    frame = pd.DataFrame([_row(cell) for cell in found.cells])
    frame = frame.sort_values("differs", key=lambda said: said == "", kind="stable")
    numbers = {name: st.column_config.NumberColumn(name, format="%.6f") for name in ("printed", "recomputed")}
    numbers["difference"] = st.column_config.NumberColumn("difference", format="%.1e")
    st.dataframe(frame, hide_index=True, column_config=numbers, key=f"published_{table}")
    table_downloads(frame, f"published_table_{table}", key=f"published_{table}")
    contradictions("framework", table)


def contradictions(paper: str, table: str | None = None) -> None:
    """List what a paper says and what is the case, of one table or of all."""
    found = [note for note in load_contradictions() if note.paper == paper]
    for note in found:
        if table is None or table in note.tables:
            with st.container(border=True, gap=2):
                st.markdown(f"**{note.title}**")
                st.caption(f"The paper: {note.says}")
                st.caption(f"Found: {note.found}")


def topic_pictures() -> None:
    """Show Tables 4 to 7 as the paper's Figures 5 and 6 do."""
    frame = correlation_frame()
    st.markdown("**Which model talks like a therapist on which topic** · r with the reference (Table 4)")
    _grid(correlation_grid(frame), "published_topics")
    st.markdown(
        "**Is it more than chance?** · p by topic (Table 5, Figure 5)",
        help="p of each correlation over six metrics. With six points, r has to exceed 0.811.",
    )
    words = significance_alt_text(frame)
    show_chart(significance_chart(frame), words=words, key="published_p")
    st.caption(words)
    table_downloads(frame, "published_p", key="published_p", figure=lambda: significance_print(frame))
    st.markdown(
        "**Do topics differ?** · Z between two topics (Tables 6 and 7, Figure 6)",
        help="The paper's own formula, which it calls Steiger's Z. Beyond 1.96 a difference is significant.",
    )
    _grid(z_grid(z_frame()), "published_z")


def profile_picture() -> None:
    """Show Table 2 as the paper's Figure 4 does, and as numbers."""
    frame = profile_frame()
    show_chart(profile_chart(frame), words=profile_alt_text(frame), key="published_profile")
    print_downloads(lambda: profile_print(frame), "published_profile", key="published_profile")
    st.caption("Means as printed; the paper gives neither their n nor intervals.")
    means = load_table("2").reset_index()
    st.dataframe(means, hide_index=True, key="published_2", placeholder="–")
    table_downloads(means, "published_table_2", key="published_2")


def model_facts() -> None:
    """Show the facts of Tables 1 and 8: the models, their context, where each was closest."""
    for table, title in (("1", "Table 1 · the models"), ("8", "Table 8 · what the paper concludes of each")):
        st.markdown(f"**{title}**")
        facts = load_table(table).reset_index()
        facts = facts.rename(columns=lambda name: str(name).replace("_", " "))
        st.dataframe(facts, hide_index=True, key=f"published_{table}", placeholder="–")
        table_downloads(facts, f"published_table_{table}", key=f"published_{table}")


def rating_pictures() -> None:
    """Show SuDoSys's two tables of ratings."""
    for table, by in RATINGS.items():
        st.markdown(f"**SuDoSys, Table {table}** · mean ratings from 1 to 5, {by}")
        grid = rating_grid(rating_frame(table), lowest=1, highest=5, title="Mean rating")
        _grid(grid, f"sudosys_{table}", marks=False)
    contradictions("sudosys")


def _grid(grid: Grid, key: str, *, marks: bool = True) -> None:
    words = grid_alt_text(grid)
    show_chart(heatmap(grid), words=words, key=key)
    st.caption(MARKS if marks else words)
    frame = pd.DataFrame(grid.values, index=grid.rows, columns=grid.columns).rename_axis("").reset_index()
    table_downloads(frame, key, key=key, figure=lambda: heatmap_print(grid))


@st.cache_data(max_entries=8, show_spinner=False)
def _recomputed(table: str) -> RecomputedTable:
    return recompute(table)


def _row(cell: Cell) -> dict[str, object]:
    said = "" if not cell.differs else "yes, within rounding" if cell.explained else "yes"
    return {
        "model": cell.row,
        "column": cell.column,
        "printed": cell.printed,
        "recomputed": cell.recomputed,
        "difference": cell.difference,
        "differs": said,
    }
