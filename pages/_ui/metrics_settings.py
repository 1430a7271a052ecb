"""The settings of single metrics, and of the work."""

from __future__ import annotations

import os

import streamlit as st

from counsel_core.language.emotion import EMBEDDED
from counsel_core.metrics.emotion_consistency import PERSISTENCE

_MOST_REPEATS = 50


def emotion_choice() -> str:
    """Let the emotion model be chosen: the embedded one, or a classifier by its folder or hub name."""
    chosen = st.selectbox(
        "Emotion model",
        [EMBEDDED],
        accept_new_options=True,
        key="emotion_model",
        bind="query-params",
        persist_state="session",
        help="`embedded` comes with the project. Or type a folder, or a hub name, of a text classifier of "
        "transformers; a hub name is fetched only if local-only mode is off.",
    )
    return chosen or EMBEDDED


def second_emotion_choice() -> str | None:
    """Let a second emotion model be chosen, so that it can be told how far the two agree."""
    return st.selectbox(
        "Second emotion model",
        [EMBEDDED],
        index=None,
        placeholder="none",
        accept_new_options=True,
        key="second_emotion_model",
        persist_state="session",
        help="Another emotion model that ranks the same texts. The score stays that of the first; a table "
        "says how far the two agree.",
    )


def overlap_choice() -> float:
    """Let p of rank-biased overlap be chosen."""
    return st.number_input(
        "p of the rank overlap",
        min_value=0.05,
        max_value=0.99,
        value=PERSISTENCE,
        step=0.05,
        key="rbo_p",
        bind="query-params",
        persist_state="session",
        help="Rank-biased overlap weighs the first ranks more: with 0.9 the first ten carry 86 % of the "
        "weight. The paper names no p.",
    )


def repeats_choice() -> int:
    """Let it be chosen how often the judge rates each answer."""
    return st.number_input(
        "Repeats of the judge",
        min_value=1,
        max_value=_MOST_REPEATS,
        value=1,
        key="repeats",
        bind="query-params",
        persist_state="session",
        help="How often each answer is rated; the mean counts, and the spread is kept. One rating is asked "
        "for at temperature 0.",
    )


def workers_choice() -> int:
    """Let the number of processes be chosen."""
    cores = os.cpu_count() or 1
    return st.number_input(
        "Processes",
        min_value=1,
        max_value=cores,
        value=cores,
        key="workers",
        persist_state="session",
        help="How many processes score the text metrics at once. Results do not depend on it.",
    )
