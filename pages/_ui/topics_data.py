"""What the Topics page reads of a run, kept until the run writes its results anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from counsel_core.runs.by_topic import (
    OWN_TOPIC,
    are_ready,
    load_topic_table,
    make_ready,
    topic_columns,
    topic_sizes,
)
from counsel_core.runs.results import edition
from counsel_core.runs.runs import Run
from pages._ui.plain_text import as_text
from pages._ui.run_results import run_dataset, run_scores, run_table


@dataclass(frozen=True)
class Chosen:
    """What is in view: a run, the column that is the topic, the topics with their number of questions."""

    run: Run
    column: str
    sizes: dict[str, int]
    topics: tuple[str, ...]

    def table(self, name: str) -> pd.DataFrame:
        """Return one of the tables by topic, all topics in it."""
        if self.column == OWN_TOPIC:
            return run_table(self.run, name)
        return _table(self.run.id, edition(self.run), self.column, name, self.run)

    def rows(self, name: str) -> pd.DataFrame:
        """Return the rows of the topics in view, in their order."""
        frame = self.table(name)
        shown = frame[frame["topic"].isin(self.topics)]
        return shown.sort_values("topic", key=lambda names: names.map(self.topics.index), kind="stable")

    def with_n(self, topics: Sequence[str]) -> tuple[str, ...]:
        """Return topics as an axis names them: with their number of questions."""
        return tuple(f"{_short(topic)} (n {self.sizes.get(topic, 0):,})" for topic in topics)


def columns_of(run: Run) -> tuple[str, ...]:
    """Return the columns of the run's data set that can be the topic."""
    return _columns(run.id, edition(run), run)


def sizes_of(run: Run, column: str) -> dict[str, int]:
    """Return the questions of each topic."""
    return _sizes(run.id, edition(run), column, run)


def ready(run: Run, column: str) -> None:
    """See to it that a column's tables are there."""
    if not are_ready(run, column):
        with st.spinner(f"Resampling the questions by {as_text(column, 60)}; this is done once …"):
            make_ready(run, run_dataset(run), run_scores(run), column)


def _short(topic: str) -> str:
    return topic if len(topic) <= _LONGEST else f"{topic[: _LONGEST - 1]}…"


_LONGEST = 18


@st.cache_data(max_entries=32, show_spinner=False)
def _columns(run_id: str, results: int, _run: Run) -> tuple[str, ...]:  # noqa: ARG001 - the cache's key
    return topic_columns(run_dataset(_run))


@st.cache_data(max_entries=64, show_spinner=False)
def _sizes(run_id: str, results: int, column: str, _run: Run) -> dict[str, int]:  # noqa: ARG001
    return topic_sizes(run_dataset(_run), column)


@st.cache_data(max_entries=64, show_spinner=False)
def _table(run_id: str, results: int, column: str, name: str, _run: Run) -> pd.DataFrame:  # noqa: ARG001
    return load_topic_table(_run, name, column)
