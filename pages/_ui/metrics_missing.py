"""What is missing and why, counted: no value is ever put in its place."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.records import OTHER_THERAPISTS
from counsel_core.runs.naming import source_label, together
from counsel_core.runs.runs import Run
from pages._ui.plain_text import as_text
from pages._ui.run_progress import failure_table
from pages._ui.run_results import metric_label, run_dataset, run_facts
from pages._ui.table_downloads import table_downloads


def missing(run: Run) -> None:
    """Show the missing values with their reasons, what failed, and what the reply check held back."""
    facts = run_facts(run)
    frame = missing_table(facts["missing"])
    lacking = int(frame["n"].sum()) + len(facts["failed"])
    st.markdown(f"**{lacking:,} of {facts['scores']:,} values are missing.** Means leave them out.")
    if len(frame):
        st.dataframe(frame, hide_index=True, key="missing_table")
        table_downloads(frame, "missing", key="missing")
    if facts["failed"]:
        st.markdown("**Failed**, and can be scored again:")
        st.dataframe(failure_table(facts["failed"]), hide_index=True, key="missing_failed")
    _absent(run)
    held = {source_label(source): n for source, n in facts["blocked"].items() if n}
    if held:
        st.markdown("**Held back by the reply check**, hidden and not scored:")
        for source, n in held.items():
            st.markdown(f"- {as_text(source, 120)}: {n:,} answers")


def _absent(run: Run) -> None:
    dataset = run_dataset(run)
    there = {(answer.item, answer.source) for answer in dataset.answers}
    ones = [source for source in run.plan.sources if source != OTHER_THERAPISTS]
    absent = {one: sum((item.id, one) not in there for item in dataset.items) for one in ones}
    if any(absent.values()):
        st.markdown("**No answer at all**, so that there is nothing to score:")
        for source, n in absent.items():
            if n:
                st.markdown(
                    f"- {as_text(source_label(source), 120)}: {n:,} of {len(dataset.items):,} questions"
                )


def missing_table(rows: list[dict[str, str | int]]) -> pd.DataFrame:
    """Return the missing values counted by source, metric and reason, the most frequent first."""
    frame = pd.DataFrame(rows, columns=["source", "metric", "reason", "n"])
    frame["reason"] = together(frame["reason"].tolist())
    frame = frame.groupby(["source", "metric", "reason"], sort=False, as_index=False)["n"].sum()
    frame = frame.sort_values("n", ascending=False, kind="stable", ignore_index=True)
    return frame.assign(
        source=[source_label(source) for source in frame["source"]],
        metric=[metric_label(name) for name in frame["metric"]],
    )
