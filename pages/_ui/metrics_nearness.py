"""How near each source is to the reference: distance first, correlation second, and what that says."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.plots.distances import UNRANKED, distance_alt_text, distance_chart, distance_print
from counsel_core.records import OTHER_THERAPISTS
from counsel_core.runs.card_facts import with_facts
from counsel_core.runs.naming import name_agents
from counsel_core.runs.runs import Run
from pages._ui.charts import show_chart
from pages._ui.plain_text import as_text
from pages._ui.run_results import metric_label, run_facts, run_table
from pages._ui.table_downloads import table_downloads
from pages._ui.table_view import show_table
from pages._ui.workspace import settings


def nearness(run: Run) -> None:
    """Show the recommendation in words, the distances and the correlations."""
    distances = run_table(run, "distances")
    if distances[distances["source"] != OTHER_THERAPISTS].empty:
        st.info(
            "No model's answers are in this run, so that nothing is compared. See the means, or let models "
            "answer on the Datasets page.",
            icon=":material/info:",
        )
        if len(distances):
            st.markdown("**The human yardstick**: how far other therapists are from the reference")
            show_table(distances.rename(columns={"n": "metrics"}), key="distance_table")
            table_downloads(distances, "distances", key="distances")
        return
    _words(run_table(run, "recommendations"))
    _distances(distances)
    correlations = run_table(run, "correlations")
    if len(correlations):
        _correlations(correlations)
        _without_each(run_table(run, "without_each"))
    cards = run_table(run, "model_cards")
    if len(cards):
        with st.expander("A card for each model", icon=":material/badge:"):
            st.caption(
                "In which metrics it is closest, its ranks, and the topics where r is critical or higher. "
                "Context length and price (of a million tokens read / written) are what the Models page was "
                "told; seconds were measured if the answers were made here."
            )
            cards = with_facts(cards, run_facts(run)["dataset"]["about"], settings())
            show_table(cards, key="model_cards")
            table_downloads(cards, "model_cards", key="model_cards")


def _words(said: pd.DataFrame) -> None:
    if said.empty:
        return
    first, rest = said.iloc[0], said.iloc[1:]
    with st.container(border=True, key="recommendation"):
        st.markdown(f":material/recommend: {as_text(first['text'])}")
        st.caption(as_text(first["limits"]))
        if len(rest):
            with st.expander(f"Topic by topic ({len(rest)})"):
                for text in rest["text"]:
                    st.markdown(f"- {as_text(text)}")


def _distances(frame: pd.DataFrame) -> None:
    st.subheader(
        "Distance to the reference",
        anchor=False,
        help="Euclidean distance between a source's normalised means and the reference's, over the metrics "
        "of the profile: 0 is the same. Intervals (95 %, BCa) come from resampling the questions.",
    )
    known = frame.dropna(subset=["distance"])
    if len(known):
        named = name_agents(known)
        show_chart(distance_chart(named), words=distance_alt_text(named), key="distances")
        if (known["rank"].isna() & (known["source"] != OTHER_THERAPISTS)).any():
            st.caption(UNRANKED)
        yardstick = OTHER_THERAPISTS in set(known["source"])
        st.caption(
            "The dashed line is the human yardstick: how far other therapists are from the reference."
            if yardstick
            else "The data set has no other therapists' answers, so that there is no human yardstick."
        )
    show_table(frame.rename(columns={"n": "metrics"}), key="distance_table")
    table_downloads(frame, "distances", key="distances", figure=lambda: distance_print(name_agents(known)))


def _correlations(frame: pd.DataFrame) -> None:
    from counsel_core.statistics.correlation import critical_r  # scipy takes a second to load

    st.subheader(
        "Correlation with the reference",
        anchor=False,
        help="Pearson's r between the normalised means of a source and of the reference, a point a metric. "
        "p after Holm allows for the number of sources tested at once.",
    )
    shown = frame.assign(critical_r=[critical_r(int(n)) for n in frame["n"]]).astype({"critical_r": float})
    show_table(shown.rename(columns={"n": "metrics"}), key="correlations")
    counts = sorted(set(frame["n"].astype(int)))
    said = " · ".join(f"{n} metrics: abs(r) has to exceed {c:.3f}" for n in counts if (c := critical_r(n)))
    st.caption(
        f"With so few points r is easily high by chance: {said or 'no critical value with so few metrics'}. "
        "The scales of the metrics alone shape the profile, so that r is read after the distance."
    )
    table_downloads(shown, "correlations", key="correlations")


def _without_each(frame: pd.DataFrame) -> None:
    from counsel_core.statistics.recommendation import notices_of

    for notice in notices_of(frame):
        st.warning(as_text(notice), icon=":material/warning:")
    with st.expander("Without each metric in turn", icon=":material/rule:"):
        st.caption("A ranking that hangs on one metric changes when that metric is left out.")
        shown = frame.assign(
            without=[metric_label(name) if name else "nothing left out" for name in frame["without"]]
        )
        show_table(shown, key="without_each")
        table_downloads(shown, "without_each", key="without_each")
