"""Sources compared two by two: over all questions, and question by question with effect sizes."""

from __future__ import annotations

import streamlit as st

from counsel_core.runs.profiles import paper_order
from counsel_core.runs.runs import Run
from pages._ui.run_results import metric_label, run_table
from pages._ui.table_downloads import table_downloads
from pages._ui.table_view import show_table

MEASURES = {
    "value": "Each source with the reference",
    "closeness": "Which of two sources is closer to the reference",
}


def pairs(run: Run) -> None:
    """Show the contrasts of sources and the paired comparisons by question."""
    contrasts = run_table(run, "contrasts")
    st.subheader(
        "Nearness of two sources",
        anchor=False,
        help="Differences are the first minus the second. z and p: Steiger's test of two correlations that "
        "share the reference. Intervals come from resampling the questions; without 0 in it, the difference "
        "is more than noise.",
    )
    if contrasts.empty:
        st.info("Two sources beside the reference are needed to compare them.", icon=":material/info:")
    else:
        show_table(contrasts, key="contrasts")
        table_downloads(contrasts, "contrasts", key="contrasts")
    _paired(run)


def _paired(run: Run) -> None:
    frame = run_table(run, "paired")
    st.subheader(
        "Question by question",
        anchor=False,
        help="Wilcoxon's signed-rank test over the questions that both have answered. The effect is the "
        "rank-biserial correlation, from −1 to 1: 0 is no effect, about 0.1 small, 0.3 medium, 0.5 large. "
        "p_holm allows for all tests of the table.",
    )
    if frame.empty:
        st.info("Nothing can be paired: the same questions need two sources.", icon=":material/info:")
        return
    measures = [name for name in MEASURES if name in set(frame["measure"])]
    measure = st.segmented_control(
        "Compare",
        measures,
        default=measures[0],
        required=True,
        format_func=lambda name: MEASURES[name],
        key="paired_measure",
    )
    present = [name for name in paper_order(run.plan.metrics) if name in set(frame["metric"])]
    metric = st.selectbox("Metric", present, format_func=metric_label, key="paired_metric")
    rows = frame[(frame["measure"] == measure) & (frame["metric"] == metric)].drop(
        columns=["measure", "metric"]
    )
    if measure == "closeness":
        st.caption("A negative difference means that the first source is closer to the reference.")
    show_table(rows, key="paired")
    table_downloads(frame, "paired", key="paired")
