"""How far a run is, and what can be done about it: cancel, resume, score the failures again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from counsel_core.runs.naming import source_label
from counsel_core.runs.progress import RunStatus
from counsel_core.runs.results import has_results
from counsel_core.runs.runs import Run, cancel, list_runs, resume, retry_failed, status
from counsel_core.runs.worker import WRITING
from pages._ui.errors import problems_shown
from pages._ui.measures import count_text
from pages._ui.plain_text import as_text
from pages._ui.run_picker import show_run
from pages._ui.run_results import metric_label, run_facts
from pages._ui.workspace import settings

_ENDED = {
    "cancelled": "Cancelled. What was scored is kept.",
    "failed": "It stopped by itself.",
    "interrupted": "Its process was ended from outside. What was scored is kept.",
}


def run_progress(run: Run) -> RunStatus:
    """Show how far a run is, by itself while it is at work; return what it says of itself."""
    now = status(run)
    if now.at_work:
        _at_work(run)
    elif now.state != "finished":
        _stopped(run, now)
    elif now.failed:
        _failures(run, now)
    return now


def others_at_work(shown: Run | None) -> None:
    """Name the other runs that are at work, so that they are not forgotten."""
    for run in list_runs(settings()):
        if (shown is None or run.id != shown.id) and (now := status(run)).at_work:
            with st.container(horizontal=True, vertical_alignment="center"):
                name = as_text(run.title or run.plan.dataset_name, 60)
                st.caption(f":material/progress_activity: At work too: {name}, {now.share:.0%}")
                st.button(
                    "Show",
                    key=f"show_{run.id}",
                    type="tertiary",
                    on_click=show_run,
                    args=(run.id,),
                )


def time_left(seconds: float | None) -> str:
    """Write how long a step will take.

    Examples
    --------
    >>> time_left(None), time_left(3.2), time_left(180), time_left(7300)
    ('time left unknown', 'a few seconds left', 'about 3 min left', 'about 2.0 h left')
    """
    if seconds is None:
        return "time left unknown"
    if seconds < 10:
        return "a few seconds left"
    if seconds < 90:
        return f"about {seconds:.0f} s left"
    return f"about {seconds / 60:.0f} min left" if seconds < 5400 else f"about {seconds / 3600:.1f} h left"


@st.fragment(run_every=1.0)
def _at_work(run: Run) -> None:
    with problems_shown():
        now = status(run)
        if not now.at_work:
            st.rerun()
        stopping = run.files.cancel.exists()
        with st.container(border=True, key="run_at_work"):
            _steps(now, stopping=stopping)
            if st.button(
                "Cancel",
                icon=":material/stop_circle:",
                key="cancel_run",
                disabled=stopping,
                help="What was scored is kept; the run can be resumed.",
            ):
                cancel(run)
                st.caption("Stopping …")


def _steps(now: RunStatus, *, stopping: bool) -> None:
    if stopping:
        st.markdown("**Stopping …**")
    elif now.state == "waiting":
        st.markdown("**Starting …**")
    else:
        ago = f", at work for {time.time() - now.started:.0f} s" if now.started else ""
        st.markdown(f"**At work**{ago}. You may close this page; the run goes on.")
    for step in now.steps:
        left = f" · {time_left(now.seconds_left)}" if step.name == now.current else ""
        failed = f" · {step.failed:,} failed" if step.failed else ""
        words = f"{step.name}: {step.done:,} of {step.total:,}{failed}{left}"
        st.progress(step.done / step.total if step.total else 1.0, text=words)
    if now.current == WRITING:
        st.caption("Writing the tables: every interval is resampled.")
    if now.message:
        st.caption(as_text(now.message))


def _stopped(run: Run, now: RunStatus) -> None:
    said = _ENDED[now.state]
    st.warning(
        f"**{said}** {as_text(now.message)} {now.done:,} of {now.total:,} results are there.",
        icon=":material/pause_circle:",
    )
    if st.button("Resume", icon=":material/play_arrow:", key="resume_run", type="primary"):
        resume(run, settings())
        st.rerun()


def _failures(run: Run, now: RunStatus) -> None:
    with st.container(border=True, key="run_failures"):
        st.markdown(
            f":material/warning: **{count_text(now.failed, 'result')} failed** and are missing below."
        )
        if has_results(run):
            reasons = failure_table(run_facts(run)["failed"])
            st.dataframe(reasons, hide_index=True, key="failed_reasons")
        if st.button("Score the failures again", icon=":material/refresh:", key="retry_run"):
            retry_failed(run, settings())
            st.rerun()


def failure_table(failed: Sequence[dict[str, str]]) -> pd.DataFrame:
    """Return what failed, counted by source, metric and reason."""
    counted = Counter((one["source"], one["metric"], one["error"]) for one in failed)
    rows = [(source_label(s), metric_label(m), reason, n) for (s, m, reason), n in counted.most_common()]
    return pd.DataFrame(rows, columns=["source", "metric", "reason", "n"])
