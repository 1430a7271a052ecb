"""Topics: which source talks like therapists on which topic, and whether that is more than noise."""

from __future__ import annotations

import streamlit as st

from counsel_core.runs.results import has_results
from counsel_core.runs.runs import Run, status
from pages._ui.errors import problems_shown
from pages._ui.page import Page, run
from pages._ui.run_picker import run_picker
from pages._ui.topics_choice import column_picker, head, topic_picker
from pages._ui.topics_grids import correlation_view
from pages._ui.topics_items import behind_cell
from pages._ui.topics_significance import significance_view
from pages._ui.topics_words import words_view
from pages._ui.topics_z import z_view

PAGE = Page(
    file="topics.py",
    title="Topics",
    icon=":material/grid_on:",
    order=4,
    about="Which source talks like therapists on which topic, and whether that is more than noise",
)
VIEWS = {
    "Correlation and distance": correlation_view,
    "Significance": significance_view,
    "Between topics": z_view,
    "In words": words_view,
}
FIRST = next(iter(VIEWS))


def render() -> None:
    """Show a run's results by topic."""
    st.title("Topics", anchor=False)
    st.caption(
        "On which topic do whose answers resemble the therapists' answers? Likeness says nothing about "
        "whether answers are good, safe or helpful."
    )
    with problems_shown():
        left, right = st.columns([2, 1])
        with left:
            chosen = run_picker()
        if chosen is None:
            st.info("No evaluation yet. Start one on the Metrics page.", icon=":material/analytics:")
            st.page_link("pages/metrics.py", label="Metrics", icon=":material/analytics:")
        elif status(chosen).at_work or not has_results(chosen):
            st.info("This evaluation has no results yet.", icon=":material/hourglass_empty:")
            st.page_link("pages/metrics.py", label="See how far it is", icon=":material/analytics:")
        else:
            with right:
                column = column_picker(chosen)
            by_topic(chosen, column)


def by_topic(chosen: Run, column: str | None) -> None:
    """Show the view that was chosen, and the questions behind a cell."""
    if column is None:
        st.info(
            "This data set has no topics and no other column of few values. Upload it with such a column, "
            "and evaluate it again.",
            icon=":material/label_off:",
        )
        return
    shown = topic_picker(chosen, column)
    head(shown)
    view = st.segmented_control(
        "View",
        list(VIEWS),
        default=FIRST,
        required=True,
        key="topics_view",
        bind="query-params",
        label_visibility="collapsed",
    )
    with problems_shown():
        VIEWS[view or FIRST](shown)
    behind_cell(shown)


if __name__ == "__main__":
    run(render)
