"""Safety: how good the risk check is, what it misses, and what stands behind it."""

from __future__ import annotations

import streamlit as st

from pages._ui.errors import problems_shown
from pages._ui.page import Page, run

PAGE = Page(
    file="safety.py",
    title="Safety",
    icon=":material/health_and_safety:",
    order=8,
    about="How good the risk check is, and what it misses",
)


def render() -> None:
    """Show what was measured of the risk check; the figures ship, and can be made anew here."""
    from pages._ui.safety_figures import safety_figures, safety_levels, safety_misses
    from pages._ui.safety_probes import safety_probes

    st.title("Safety", anchor=False)
    st.caption(
        "Every line of a client is checked for danger before any model sees it: by rules, and by a second "
        "opinion that can only raise. It is a net with holes, and no assessment."
    )
    with problems_shown():
        figures, misses, answers, levels = st.tabs(
            ["How good it is", "What it misses", "How agents answer", "What the levels mean"]
        )
        with figures:
            safety_figures()
        with misses, problems_shown():
            safety_misses()
        with answers, problems_shown():
            safety_probes()
        with levels:
            safety_levels()


if __name__ == "__main__":
    run(render)
