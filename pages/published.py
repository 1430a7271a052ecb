"""Published: the papers' tables and figures, recomputed from their own numbers."""

from __future__ import annotations

import streamlit as st

from pages._ui.errors import problems_shown
from pages._ui.page import Page, run

PAGE = Page(
    file="published.py",
    title="Published",
    icon=":material/menu_book:",
    order=5,
    about="The papers' tables and figures, recomputed from their own numbers",
)


def render() -> None:
    """Show the published numbers; nothing on this page was measured here."""
    # Not above: the navigation imports every page, and the statistics behind this one take a while.
    from pages._ui import published_views as views

    st.title("Published", anchor=False)
    st.caption(
        "Numbers of the papers, as printed, and what they give when recomputed from each other. "
        "Nothing here was measured with this program."
    )
    with problems_shown():
        topics, profile, models, recomputed, ratings, notes = st.tabs(
            ["By topic", "By metric", "Models", "Printed and recomputed", "SuDoSys", "What does not fit"]
        )
        with topics:
            views.topic_pictures()
        with profile:
            views.profile_picture()
        with models:
            views.model_facts()
        with recomputed:
            views.recomputed_table()
        with ratings:
            views.rating_pictures()
        with notes:
            for paper, title in (
                ("framework", "The evaluation framework"),
                ("cocoa", "CoCoA"),
                ("sudosys", "SuDoSys"),
            ):
                st.subheader(title, anchor=False)
                views.contradictions(paper)


if __name__ == "__main__":
    run(render)
