"""Means with n and interval (Table 2 of the paper), the profile they make, and how values are spread."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.metrics import find_metric
from counsel_core.plots.distributions import distribution_alt_text, distribution_chart, distribution_print
from counsel_core.plots.profile import profile_alt_text, profile_chart, profile_print
from counsel_core.records import REFERENCE
from counsel_core.runs.naming import name_agents, source_label
from counsel_core.runs.profiles import paper_order, profile_rows
from counsel_core.runs.results import result_files
from counsel_core.runs.runs import Run
from pages._ui.charts import show_chart
from pages._ui.plain_text import as_text
from pages._ui.run_results import metric_label, run_scores, run_table
from pages._ui.table_downloads import print_downloads, table_downloads
from pages._ui.table_view import show_table


def means(run: Run) -> None:
    """Show the means of every source and metric, as a table and as profiles."""
    summary = run_table(run, "summary")
    st.subheader(
        "Means by source and metric",
        anchor=False,
        help="Each mean with the number of answers it is over and its 95 % interval from resampling the "
        "questions. What is missing is left out, never counted as 0.",
    )
    grid = means_grid(summary)
    show_table(grid, key="means_grid")
    table_downloads(grid, "means", key="means_grid")
    with st.expander("As a long table, with all digits", icon=":material/table_rows:"):
        show_table(summary, key="summary")
        table_downloads(summary, "summary", key="summary")
    _profile(run, summary)
    if any(find_metric(name).beside for name in run.plan.metrics) and "beside.csv" in result_files(run):
        with st.expander("Reported beside the metrics", icon=":material/add_notes:"):
            beside = run_table(run, "beside")
            show_table(beside, key="beside")
            table_downloads(beside, "beside", key="beside")
    if "second_emotions" in run.plan.settings:
        _two_emotion_models(run)


def _two_emotion_models(run: Run) -> None:
    agreement = run_table(run, "emotion_models")
    st.subheader(
        "Two emotion models",
        anchor=False,
        help="Emotion consistency by the run's model and by the second one: their means, Pearson's r over "
        "the answers, and how far the two rank the emotions of an answer alike (rank-biased overlap, 0 to 1, "
        "by the labels that both have).",
    )
    models = run.plan.emotion_weights, str(run.plan.versions["second emotion model"])
    st.caption(f"First: {as_text(models[0])}. Second: {as_text(models[1])}.")
    show_table(agreement, key="emotion_models")
    table_downloads(agreement, "emotion_models", key="emotion_models")


def means_grid(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the paper's Table 2: a row a source, a column a metric; each cell mean, interval, n."""
    rows: dict[str, dict[str, str]] = {}
    for row in summary.to_dict("records"):
        cells = rows.setdefault(row["source"], {"source": source_label(row["source"])})
        cells[metric_label(row["metric"])] = _cell(row["mean"], row["ci_low"], row["ci_high"], int(row["n"]))
    order = [metric_label(name) for name in paper_order(summary["metric"].unique())]
    return pd.DataFrame(list(rows.values()), columns=["source", *order])


def distributions(run: Run) -> None:
    """Show how the values of one metric are spread, with the reference's behind each source's."""
    name = st.selectbox("Metric", paper_order(run.plan.metrics), format_func=metric_label, key="spread_of")
    scores = run_scores(run)
    frame = name_agents(scores.loc[scores["metric"] == name, ["source", "value"]])
    if not frame["value"].notna().any():
        st.info("Every value of this metric is missing; the view Missing says why.", icon=":material/info:")
        return
    label = metric_label(name)
    words = distribution_alt_text(frame, label)
    show_chart(distribution_chart(frame, label), words=words, key="distribution")
    with st.expander("In words", icon=":material/notes:"):
        st.caption(as_text(words))
    table_downloads(
        frame, f"values_{name}", key="distribution", figure=lambda: distribution_print(frame, label)
    )


def _profile(run: Run, summary: pd.DataFrame) -> None:
    frame = name_agents(profile_rows(summary, run.plan.metrics))
    if not frame["value"].notna().any():
        return
    st.subheader(
        "Profiles",
        anchor=False,
        help="Means, each multiplied with its metric's scale so that all lie in about 0 to 1 (the paper's "
        "Figure 4). Distance and correlation compare these profiles.",
    )
    words = profile_alt_text(frame)
    show_chart(profile_chart(frame), words=words, key="profile")
    if REFERENCE in set(frame["source"]):
        st.caption("The broad grey line is the reference. Bars are 95 % intervals.")
    print_downloads(lambda: profile_print(frame), "profile", key="profile")


def _cell(mean: float, low: float, high: float, n: int) -> str:
    if pd.isna(mean):
        return "missing"
    interval = "" if pd.isna(low) else f" [{low:.3f}, {high:.3f}]"
    return f"{mean:.4f}{interval} n {n:,}"
