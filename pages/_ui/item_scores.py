"""The scores of one question, its answers side by side, and why one is missing."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.runs.naming import source_label
from counsel_core.runs.runs import Run
from pages._ui.measures import count_text
from pages._ui.run_results import metric_label, run_scores
from pages._ui.table_downloads import table_downloads
from pages._ui.table_view import show_table


def item_scores(run: Run, item_id: str) -> None:
    """Show a question's scores, and the reasons of those that are missing."""
    scores = run_scores(run)
    rows = scores.loc[scores["item"] == item_id, ["source", "position", "metric", "value", "reason"]]
    rows = rows.astype({"source": str, "metric": str, "reason": str})
    if not rows["position"].any():
        rows = rows.drop(columns="position")
    st.markdown("**Scores of this question**")
    wide = side_by_side(rows)
    st.dataframe(
        wide,
        key="table_item_scores",
        placeholder="–",
        column_config={name: st.column_config.NumberColumn(name, format="%.4f") for name in wide.columns},
    )
    lacking = rows[rows["value"].isna()]
    if len(lacking):
        with st.expander(f"{count_text(len(lacking), 'value')} missing: why"):
            show_table(lacking.drop(columns="value"), key="item_missing")
    table_downloads(rows, "question_scores", key="item_scores")


def side_by_side(rows: pd.DataFrame) -> pd.DataFrame:
    """Return scores with a row an answer and a column a metric."""
    names = [source_label(source) for source in rows["source"]]
    if "position" in rows:
        names = [f"{name}, answer {at + 1}" for name, at in zip(names, rows["position"], strict=True)]
    named = rows.assign(source=names, metric=rows["metric"].map(metric_label))
    wide = named.pivot(index="source", columns="metric", values="value")
    return wide.reindex(index=dict.fromkeys(names), columns=dict.fromkeys(named["metric"]))
