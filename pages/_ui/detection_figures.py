"""How well the guided rules detect distortions, as measured on sentences that no rule was set by."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.agents.cocoa.evaluation import DetectionFigures, load_figures
from pages._ui.plain_text import as_text
from pages._ui.table_downloads import table_downloads


def detection_figures() -> None:
    """Show the figures that ship, the untouched sentences first; nothing is measured here."""
    found = {one.split: one for one in load_figures()}
    untouched, tuning = found["untouched"], found["tuning"]
    st.subheader("How well the rules detect distortions", anchor=False)
    count = untouched.distorted + untouched.undistorted
    st.caption(
        f"{as_text(untouched.model)} on {count} sentences written for this project that no rule was set by. "
        "Sentences, labels and rules have one origin, and no clinician has seen them: the figures flatter. "
        "Intervals: 95 %, Wilson."
    )
    left, right = st.columns(2)
    left.metric(
        "A type that fits, of distorted sentences", _share(untouched.recall, untouched.recall_interval)
    )
    right.metric(
        "False alarms, of undistorted sentences",
        _share(untouched.false_alarms, untouched.false_alarms_interval),
    )
    st.caption(
        f"On the {tuning.distorted + tuning.undistorted} sentences that the rules were set by: "
        f"{tuning.recall:.0%} and {tuning.false_alarms:.0%}. That is no measure of quality."
    )
    frame = figures_frame(untouched)
    with st.expander("Type by type", icon=":material/table_rows:"):
        st.dataframe(frame, hide_index=True, key="detection_figures", placeholder="–")
        table_downloads(frame, "distortion_detection", key="detection_figures")
    st.caption(
        "Any model can be measured so: `python -m counsel_core detect-distortion --evaluate --model NAME`."
    )


def figures_frame(figures: DetectionFigures) -> pd.DataFrame:
    """Return recall and precision of each type with their n, worst recall first."""
    rows = [
        {
            "type": one.name,
            "recall": _share(one.recall, one.recall_interval),
            "of sentences": one.n,
            "precision": _share(one.precision, one.precision_interval),
            "of found": one.found,
        }
        for one in sorted(figures.types, key=lambda one: one.recall or 0.0)
    ]
    return pd.DataFrame(rows)


def _share(value: float | None, interval: tuple[float, float] | None) -> str | None:
    if value is None or interval is None:
        return None
    return f"{value:.0%} ({interval[0]:.0%} to {interval[1]:.0%})"
