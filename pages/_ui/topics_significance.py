"""Significance by topic, raw or corrected, as a chart and as a table."""

from __future__ import annotations

import streamlit as st

from counsel_core.plots.cells import Correction
from counsel_core.plots.significance import significance_alt_text, significance_chart, significance_print
from counsel_core.runs.naming import name_agents
from pages._ui.charts import show_chart
from pages._ui.grid_view import holm_family, missing_rows, no_model, number_of_metrics
from pages._ui.table_downloads import table_downloads
from pages._ui.topics_data import Chosen


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
    words = significance_alt_text(name_agents(frame))
    names = dict(zip(chosen.topics, chosen.with_n(chosen.topics), strict=True))
    shown = name_agents(frame.assign(topic=frame["topic"].map(names)))
    st.markdown(
        f"**Is it more than chance?** · p of each r over {number_of_metrics(frame)}",
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
