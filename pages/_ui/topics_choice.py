"""Choosing what is a topic, and which topics are in view."""

from __future__ import annotations

import streamlit as st

from counsel_core.metrics import find_metric
from counsel_core.runs.by_topic import OWN_TOPIC, SHOWN_AT_FIRST, first_topics
from counsel_core.runs.runs import Run
from pages._ui.measures import count_text
from pages._ui.plain_text import as_text, shorten
from pages._ui.run_results import about_dataset, metric_label, run_facts
from pages._ui.topics_address import COLUMN, TOPICS, close_cell, keep, wanted
from pages._ui.topics_data import Chosen, columns_of, ready, sizes_of

_PICKED_COLUMN, _PICKED_TOPICS = "column_picked", "topics_picked"


def column_picker(run: Run) -> str | None:
    """Let the column be chosen that is the topic; None where the data set has none."""
    columns = columns_of(run)
    if not columns:
        return None
    asked = wanted(COLUMN)
    st.session_state[_PICKED_COLUMN] = asked[0] if asked and asked[0] in columns else columns[0]
    return st.selectbox(
        "Topic",
        columns,
        format_func=lambda name: "the data set's topic" if name == OWN_TOPIC else shorten(name, 40),
        key=_PICKED_COLUMN,
        on_change=_column_chosen,
        help="Any column of few values can be the topic. The first time, its results are resampled, "
        "which takes some seconds; then they are kept.",
    )


def topic_picker(run: Run, column: str) -> Chosen:
    """Let the topics in view be chosen, and return the choice; with few topics all are in view."""
    ready(run, column)
    sizes = sizes_of(run, column)
    topics = list(sizes)
    if len(topics) > SHOWN_AT_FIRST:
        asked = [topic for topic in wanted(TOPICS) if topic in sizes]
        st.session_state[_PICKED_TOPICS] = asked or first_topics(sizes)
        topics = st.multiselect(
            f"Topics in view, of {len(sizes)}",
            topics,
            format_func=lambda name: f"{shorten(name, 40)} ({sizes[name]:,})",
            key=_PICKED_TOPICS,
            on_change=lambda: keep(TOPICS, st.session_state[_PICKED_TOPICS]),
            help="In brackets the number of questions. At first: the five topics of the framework's paper "
            "if they are there, otherwise the five largest.",
        )
        topics = topics or first_topics(sizes)
    return Chosen(run, column, sizes, tuple(topics))


def head(chosen: Chosen) -> None:
    """Say what the numbers rest on: preset, metrics, questions."""
    run, facts = chosen.run, run_facts(chosen.run)
    plan = run.plan
    named = ", ".join(metric_label(name) for name in plan.metrics)
    with st.container(horizontal=True, gap="xsmall"):
        st.badge(f"preset {plan.preset}", icon=":material/tune:", color="blue")
        if any(find_metric(name).proxy_of for name in plan.metrics):
            st.badge("with proxies, no ratings", icon=":material/swap_horiz:", color="orange")
    inside = sum(chosen.sizes.values())
    without = facts["dataset"]["items"] - inside
    left = f"; {count_text(without, 'question')} without a topic left out" if without else ""
    st.caption(
        f"{count_text(inside, 'question')} in {count_text(len(chosen.sizes), 'topic')}{left}. "
        f"{count_text(len(plan.metrics), 'metric')}: {as_text(named)}."
    )
    about_dataset(facts["dataset"]["about"], reference_alone=True)
    if not facts["complete"]:
        st.warning("These results are incomplete: the run ended before everything was scored.")


def _column_chosen() -> None:
    keep(COLUMN, [st.session_state[_PICKED_COLUMN]])
    keep(TOPICS, [])
    close_cell()
