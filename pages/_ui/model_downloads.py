"""Recommended models: what the hub says of each, a download after consent, and how far it is."""

from __future__ import annotations

import streamlit as st

from counsel_core.errors import CounselError
from counsel_core.llm.catalogue import effective_local_only
from counsel_core.llm.download_jobs import DownloadJob, DownloadJobs
from counsel_core.llm.downloads import Offer, Recommended, describe, recommended
from counsel_core.llm.engines import loaded, release_all
from counsel_core.llm.gguf import found_files, gguf_folder
from pages._ui.errors import problem_text, problems_shown
from pages._ui.model_picker import forget_models
from pages._ui.plain_text import as_text
from pages._ui.workspace import settings

POLL_SECONDS = 1.0
_OFFER = "download_offer"


def model_downloads() -> None:
    """Offer the recommended models that are not here yet, and say where a file of one's own goes."""
    folder = gguf_folder(settings())
    for file, facts in found_files(settings()).items():
        if isinstance(facts, CounselError):
            st.caption(f":material/warning: {as_text(file.name, 80)} is not offered. {as_text(str(facts))}")
    if loaded() and st.button("Give memory back", key="release_models", icon=":material/memory:"):
        if busy := release_all():
            st.caption(f"Still at work: {as_text(', '.join(file.name for file in busy), 200)}.")
        else:
            st.rerun()
    with st.expander("Get a model that runs in this process (GGUF)", icon=":material/download:"):
        st.caption(f"Any GGUF file in {as_text(str(folder))} is listed above. Or fetch one of these:")
        if effective_local_only(settings()):
            st.caption(
                ":material/block: Local-only mode is on: nothing is asked of the hub and nothing fetched."
            )
        for model in recommended():
            with st.container(border=True):
                _row(model, here=(folder / model.file).exists())


def _row(model: Recommended, *, here: bool) -> None:
    st.markdown(f"**{as_text(model.name)}** · {as_text(model.about)}")
    st.caption(f"{as_text(model.repository)} · {as_text(model.file)}")
    job = download_jobs().find(model.file)
    if job is not None:
        _progress(model.file)
    elif here:
        st.caption(":material/check: It is here.")
    else:
        _ask(model)


def _ask(model: Recommended) -> None:
    """Show what the hub says of the file first; fetch it only after that."""
    offers: dict[str, Offer] = st.session_state.setdefault(_OFFER, {})
    offer = offers.get(model.file)
    if offer is None:
        blocked = effective_local_only(settings())
        if st.button("Ask the hub", key=f"ask_{model.file}", disabled=blocked, icon=":material/cloud:"):
            with problems_shown(), st.spinner("Asking the hub for size, licence and checksum …"):
                offers[model.file] = describe(model, settings(), hub=download_jobs().hub)
                st.rerun()
        return
    st.markdown(
        f"{offer.size / 1e9:.2f} GB · licence: {as_text(offer.licence or 'the hub names none')} · "
        f"revision {offer.revision[:10]}"
    )
    st.caption(f"SHA-256 {offer.sha256}; what comes is checked against it.")
    with st.container(horizontal=True):
        if st.button("Fetch it", key=f"fetch_{model.file}", type="primary", icon=":material/download:"):
            with problems_shown():
                download_jobs().start(offer, settings())
                offers.pop(model.file, None)
                st.rerun()
        if st.button("No", key=f"leave_{model.file}"):
            offers.pop(model.file, None)
            st.rerun()


@st.fragment(run_every=POLL_SECONDS)
def _progress(file: str) -> None:
    job = download_jobs().find(file)
    if job is None:
        return
    if not job.over.is_set():
        _bar(job)
        if st.button("Stop", key=f"stop_{file}", icon=":material/stop:"):
            job.cancel.set()
        return
    if job.error is not None:
        st.error(problem_text(job.error), icon=":material/error:")
    else:
        st.success("It is here, and its checksum is right.", icon=":material/check:")
    if st.button("Done", key=f"seen_{file}"):
        download_jobs().forget(file)
        forget_models()
        st.rerun()


def _bar(job: DownloadJob) -> None:
    share = min(1.0, job.received / job.offer.size)
    st.progress(share, text=f"{job.received / 1e9:.2f} of {job.offer.size / 1e9:.2f} GB")


@st.cache_resource(show_spinner=False)
def download_jobs() -> DownloadJobs:
    """Return the downloads of this process."""
    return DownloadJobs()
