"""What pages read of a run's folder, kept until the run writes its results anew."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from counsel_core.metrics import find_metric
from counsel_core.records import Json, QADataset
from counsel_core.runs.card_facts import is_measured
from counsel_core.runs.results import edition, load_facts, load_table
from counsel_core.runs.runs import Run, load_dataset, load_scores
from pages._ui.plain_text import as_text

_REPEATED = ("item", "topic", "source", "metric", "reason")


def run_table(run: Run, name: str) -> pd.DataFrame:
    """Return a table of a run by the stem of its file."""
    return _table(run.id, edition(run), name, run)


def run_facts(run: Run) -> Json:
    """Return what the run says of itself beside its numbers."""
    return _facts(run.id, edition(run), run)


def run_scores(run: Run) -> pd.DataFrame:
    """Return every score of a run; not to be changed. Texts are categories, which keeps it small."""
    return _scores(run.id, edition(run), run)


def run_dataset(run: Run) -> QADataset:
    """Return the data set as the run read it."""
    return _dataset(run.id, run)


def about_dataset(about: Mapping[str, str], *, reference_alone: bool = False) -> None:
    """Show what the data set says of itself: of its references as a warning, of the rest in small."""
    if said := about.get("reference"):
        st.warning(f"The reference answers: {as_text(str(said), 300)}", icon=":material/warning:")
    rest = [str(words) for name, words in about.items() if name != "reference" and not is_measured(name)]
    if rest and not reference_alone:
        st.caption(" · ".join(as_text(words, 300) for words in rest))


def metric_label(name: str) -> str:
    """Return a metric as it is shown; a proxy is named one."""
    return find_metric(name).label


@st.cache_data(max_entries=96, show_spinner=False)
def _table(run_id: str, results: int, name: str, _run: Run) -> pd.DataFrame:  # noqa: ARG001 - the cache's key
    return load_table(_run, name)


@st.cache_data(max_entries=16, show_spinner=False)
def _facts(run_id: str, results: int, _run: Run) -> Json:  # noqa: ARG001 - the cache's key
    return load_facts(_run)


@st.cache_resource(max_entries=4, show_spinner="Reading the scores …")
def _scores(run_id: str, results: int, _run: Run) -> pd.DataFrame:  # noqa: ARG001 - the cache's key
    return load_scores(_run).astype(dict.fromkeys(_REPEATED, "category"))


@st.cache_resource(max_entries=4, show_spinner="Reading the data set of the run …")
def _dataset(run_id: str, _run: Run) -> QADataset:  # noqa: ARG001 - the cache's key
    return load_dataset(_run)
