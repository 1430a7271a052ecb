"""Letting models and agents answer a data set's questions, in the background."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents import agents
from counsel_core.datasets.library import SavedDataset
from counsel_core.errors import CounselError
from counsel_core.llm.catalogue import open_model
from counsel_core.records import QADataset
from counsel_core.runs.answer_jobs import AnswerJob, AnswerJobs, journal_file
from counsel_core.runs.answering import read_respondents
from pages._ui.dataset_picker import show_dataset
from pages._ui.errors import show_problem
from pages._ui.model_picker import available_models, model_label
from pages._ui.plain_text import as_text
from pages._ui.run_progress import time_left
from pages._ui.workspace import settings

RULES = "guided"


def missing_answers(saved: SavedDataset, dataset: QADataset) -> None:
    """Choose who answers, start, watch, stop; the result is a data set of its own."""
    job = _jobs().find(saved.key)
    if job is not None and not job.over.is_set():
        _at_work(saved.key)
        return
    if job is not None:
        _ended(saved, job)
    _choose(saved, dataset)


def _choose(saved: SavedDataset, dataset: QADataset) -> None:
    st.caption(
        "Each question is asked once, without a conversation around it. Replies are checked; what must not "
        "be shown is held back and counted. A question that speaks of imminent danger is given to nobody."
    )
    models = [name for name in available_models()[0] if name != RULES]
    chosen = st.multiselect(
        "Models",
        models,
        key="answer_models",
        format_func=model_label,
        placeholder="Choose models" if models else "No model yet: connect one on the Models page",
    )
    own = st.pills(
        "Agents, by rules",
        list(agents()),
        selection_mode="multi",
        key="answer_agents",
        format_func=lambda name: agents()[name].label,
        help="The guided rules answer: no language model. They show an agent's machinery.",
    )
    left = sum(bool(item.question) for item in dataset.items) * (len(chosen) + len(own))
    if journal_file(saved, settings()).exists():
        st.caption(":material/history: Answers of an earlier, unfinished try are kept and not asked again.")
    if st.button(
        f"Write up to {left:,} answers", disabled=not left, icon=":material/play_arrow:", key="start_answers"
    ):
        respondents = read_respondents(chosen, own)
        for name in chosen:
            open_model(name, settings())
        _jobs().start(saved, respondents, settings())
        st.rerun()


@st.fragment(run_every=1.0)
def _at_work(key: str) -> None:
    job = _jobs().find(key)
    if job is None or job.over.is_set():
        st.rerun()
    share = job.done / job.total if job.total else 0.0
    names = ", ".join(as_text(one.source, 40) for one in job.respondents)
    st.progress(share, f"{names}: {job.done:,} of {job.total:,} answers, {time_left(job.seconds_left)}")
    if st.button("Stop", icon=":material/stop:", key="stop_answers", disabled=job.cancel.is_set()):
        _jobs().stop(key)
    st.caption("It goes on when you leave this page. Every answer is kept as it comes.")


def _ended(saved: SavedDataset, job: AnswerJob) -> None:
    if job.error is not None:
        show_problem(job.error)
    if job.answered is None:
        return
    answered = job.answered
    for reply in answered.failed[:5]:
        st.warning(as_text(f"{reply.item}, {reply.source}: {reply.error}", 300), icon=":material/error:")
    for word in answered.stopped:
        st.error(as_text(word), icon=":material/error:")
    said = f"{answered.blocked:,} held back, {len(answered.failed):,} failed, {answered.left:,} not asked"
    if job.saved is None:
        st.info(f"Stopped: {said}. Start again to go on.", icon=":material/pause_circle:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.success(f"Kept as “{as_text(job.saved.name, 60)}”: {said}.", icon=":material/check_circle:")
        st.button("Show it", key="show_answered", on_click=_show, args=(saved.key, job.saved.key))


def _show(key: str, answered: str) -> None:
    _jobs().forget(key)
    show_dataset(answered)


def _jobs() -> AnswerJobs:
    # After an edit Streamlit loads the code anew; objects of the old code are not its own.
    return _start(id(CounselError))


@st.cache_resource(show_spinner=False)
def _start(edition: int) -> AnswerJobs:  # noqa: ARG001 - the edition is the cache's key
    return AnswerJobs()
