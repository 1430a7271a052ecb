"""Tables of an evaluation as they are shown: names in words, digits cut for reading, reasons kept."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.runs.naming import COLUMN_LABELS, SOURCE_COLUMNS, source_label
from pages._ui.run_results import metric_label

_CHANCES = ("p", "p_holm")
_WHOLE = ("n", "metrics", "proxies", "n_overlap", "rank", "r_rank", "distance_rank", "topics")


def show_table(frame: pd.DataFrame, *, key: str) -> None:
    """Show a table; its columns of reasons are left out where nothing is missing."""
    st.dataframe(
        shown_table(frame),
        hide_index=True,
        key=f"table_{key}",
        column_config=_columns(frame),
        placeholder="–",
    )


def shown_table(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with the names of sources and metrics as they are shown."""
    shown = frame.copy()
    for column in SOURCE_COLUMNS:
        if column in shown:
            shown[column] = shown[column].astype(str).map(source_label)
    if "metric" in shown:
        shown["metric"] = shown["metric"].astype(str).map(metric_label)
    if "closest_metrics" in shown:
        names = shown["closest_metrics"].str.split("; ")
        shown["closest_metrics"] = [", ".join(metric_label(name) for name in one if name) for one in names]
    if "reason" in shown and not shown["reason"].astype(bool).any():
        shown = shown.drop(columns="reason")
    return shown


def _columns(frame: pd.DataFrame) -> dict[str, object]:
    numbers = [str(name) for name in frame.select_dtypes("number").columns]
    columns: dict[str, object] = {
        name: st.column_config.NumberColumn(COLUMN_LABELS.get(name, name), format=_format(name))
        for name in numbers
    }
    # A long name would push the numbers out of view.
    widths = {**dict.fromkeys(SOURCE_COLUMNS, 180), "reason": 340}
    texts = {
        str(name): st.column_config.TextColumn(COLUMN_LABELS[name]) for name in frame if name in COLUMN_LABELS
    }
    return {**texts, **columns} | {
        name: st.column_config.TextColumn(width=width) for name, width in widths.items() if name in frame
    }


def _format(name: str) -> str:
    if name in _WHOLE:
        return "%d"
    # A small p is told by its size: four decimals would show 0.
    return "%.3g" if name in _CHANCES else "%.4f"
