"""The questions behind a cell: what a source's numbers on a topic are made of."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.records import REFERENCE
from counsel_core.runs.by_topic import items_of, scores_behind
from counsel_core.runs.naming import source_label
from counsel_core.runs.results import edition
from counsel_core.runs.runs import Run
from pages._ui.item_view import item_view
from pages._ui.measures import count_text
from pages._ui.plain_text import as_text, shorten
from pages._ui.run_results import metric_label, run_dataset, run_scores
from pages._ui.table_downloads import table_downloads
from pages._ui.topics_address import CELL_ITEM, CELL_SOURCE, CELL_TOPICS, close_cell, keep, open_cell, wanted
from pages._ui.topics_data import Chosen

_TOPICS, _SOURCE = "behind_topics", "behind_source"
_TABLE = "behind_table"


def behind_cell(chosen: Chosen) -> None:
    """Let a topic and a source be chosen, by a click above or here, and show the questions behind them."""
    sources = [source for source in run_dataset(chosen.run).sources if source in chosen.run.plan.sources]
    topics = [topic for topic in wanted(CELL_TOPICS) if topic in chosen.sizes]
    asked = [source for source in wanted(CELL_SOURCE) if source in sources]
    st.session_state[_TOPICS] = topics
    st.session_state[_SOURCE] = asked[0] if asked else _first(sources)
    st.subheader("Questions behind a cell", anchor=False)
    left, right = st.columns([2, 1])
    left.multiselect(
        "Topics of the cell",
        list(chosen.sizes),
        format_func=lambda name: f"{shorten(name, 40)} ({chosen.sizes[name]:,})",
        key=_TOPICS,
        on_change=_chosen,
        placeholder="Click a cell above, or choose a topic",
    )
    source = right.selectbox(
        "Source of the cell",
        sources,
        format_func=lambda name: shorten(source_label(name), 60),
        key=_SOURCE,
        on_change=_chosen,
    )
    if topics and source:
        _questions(chosen, tuple(topics), source)


def _questions(chosen: Chosen, topics: tuple[str, ...], source: str) -> None:
    run = chosen.run
    frame = _behind(run.id, edition(run), chosen.column, topics, source, run)
    said = " and ".join(as_text(topic, 60) for topic in topics)
    with st.container(horizontal=True, vertical_alignment="center"):
        answered = count_text(len(frame), "question")
        st.markdown(f"**{said}** · {answered} answered by {as_text(source_label(source), 60)}")
        st.button("Close", key="close_cell", icon=":material/close:", type="tertiary", on_click=close_cell)
    if frame.empty:
        return
    shown = frame.rename(columns={name: metric_label(name) for name in run.plan.metrics})
    numbers = {
        metric_label(name): st.column_config.NumberColumn(metric_label(name), format="%.4f")
        for name in run.plan.metrics
    }
    st.dataframe(
        shown,
        hide_index=True,
        column_config={"question": st.column_config.TextColumn("question", width="large"), **numbers},
        key=_TABLE,
        on_select=lambda: _picked(list(frame["item"])),
        selection_mode="single-row",
        height=min(38 + 35 * len(shown), 320),
    )
    st.caption("Choose a row to read the question with its answers. An empty cell: see the column missing.")
    table_downloads(frame, "questions_behind_a_cell", key="behind")
    if item := [name for name in wanted(CELL_ITEM) if name in set(frame["item"])]:
        item_view(run, item[0])


def _first(sources: list[str]) -> str | None:
    return next((source for source in sources if source != REFERENCE), sources[0] if sources else None)


def _chosen() -> None:
    open_cell(st.session_state[_TOPICS], st.session_state[_SOURCE])


def _picked(items: list[str]) -> None:
    rows = st.session_state[_TABLE]["selection"]["rows"]
    keep(CELL_ITEM, [items[row] for row in rows if row < len(items)])


@st.cache_data(max_entries=32, show_spinner=False)
def _behind(
    run_id: str,  # noqa: ARG001 - with `results`, the cache's key
    results: int,  # noqa: ARG001
    column: str,
    topics: tuple[str, ...],
    source: str,
    _run: Run,
) -> pd.DataFrame:
    return scores_behind(run_scores(_run), items_of(run_dataset(_run), topics, column), source)
