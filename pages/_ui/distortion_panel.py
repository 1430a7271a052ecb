"""CoCoA's memory of distortions: S(cd) as bars, the entries as a table, each of which can be relabelled."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from counsel_core.agents.cocoa.knowledge import distortion_types
from counsel_core.agents.cocoa.memory import Alphas, Distortion, DistortionScore
from counsel_core.agents.cocoa.state import CocoaState
from counsel_core.plots.distortions import distortion_alt_text, distortion_bars
from counsel_core.records import Session
from pages._ui.charts import show_chart
from pages._ui.downloads import csv_button
from pages._ui.overrides import apply_override
from pages._ui.plain_text import as_text, shorten

NO_DISTORTION = "No distortion (take the entry out)"


def score_frame(scores: Sequence[DistortionScore], alphas: Alphas) -> pd.DataFrame:
    """Return one row a type, its components already multiplied by their α, for the bars."""
    rows = [
        {
            "type": score.type,
            "recency": alphas.recency * score.recency,
            "frequency": alphas.frequency * score.frequency,
            "severity": alphas.severity * score.severity,
            "total": score.total,
        }
        for score in scores
    ]
    return pd.DataFrame(rows, columns=["type", "recency", "frequency", "severity", "total"])


def distortion_chart(state: CocoaState, *, key: str, download: bool = True) -> None:
    """Show S(cd) of every type in memory, in words and for download too."""
    scores = state.scores()
    if not scores:
        st.caption("No distortion to work on has been noticed yet: there is nothing to compare.")
        return
    frame = score_frame(scores, state.alphas)
    words = distortion_alt_text(frame, scores[0].type)
    figure = distortion_bars(frame, scores[0].type, colours=None, narrow=not download)
    show_chart(figure, words=words, key=f"{key}_bars")
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"★ cd\\* — the one to work on, S = {scores[0].total:.2f}", help=words)
        if download:
            csv_button(frame, "distortion_scores.csv", key=f"{key}_csv")


def distortion_table(entries: Sequence[Distortion]) -> None:
    """Show every entry of the distortion memory, the newest first."""
    if not entries:
        st.caption("Empty. An entry is made when the client's words show a cognitive distortion.")
        return
    # Two columns, so that the table fits a narrow panel too.
    rows = [
        f"| :small[{entry.turn} · **{as_text(entry.type)}** · {entry.severity} of 5] "
        f"| :small[{as_text(entry.utterance)}] |"
        for entry in reversed(entries)
    ]
    head = "| :small[Turn · type · severity] | :small[The client said] |"
    st.markdown("\n".join([head, "| :-- | :-- |", *rows]))
    if any(entry.turn < 1 for entry in entries):
        st.caption("Turns below 1 belong to an earlier session.")


def relabel_form(session: Session, entries: Sequence[Distortion]) -> None:
    """Let the clinician correct one entry of the memory; the correction is kept as an override."""
    if not entries:
        return
    with st.form("relabel", border=False):
        index = st.selectbox(
            "Entry",
            range(len(entries) - 1, -1, -1),
            format_func=lambda at: f"Turn {entries[at].turn}: {shorten(entries[at].utterance, 60)}",
        )
        kinds = [*distortion_types(), NO_DISTORTION]
        kind = st.selectbox("Is really", kinds, index=kinds.index(entries[index].type))
        severity = st.slider("Severity", 1, 5, entries[index].severity, help="1 is slight, 5 is severe")
        if st.form_submit_button("Relabel"):
            chosen = None if kind == NO_DISTORTION else kind
            apply_override(session.id, "distortion", {"index": index, "type": chosen, "severity": severity})
