"""What the tables say in words: the nearest source of each topic, how sure that is, what it does not say."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from pages._ui.grid_view import no_model
from pages._ui.plain_text import as_text
from pages._ui.table_downloads import table_downloads
from pages._ui.topics_data import Chosen


def words_view(chosen: Chosen) -> None:
    """Say which source is nearest over all questions and on each topic in view."""
    table = chosen.table("recommendations")
    if not table["source"].astype(bool).any():
        no_model()
        return
    overall, topics = table[table["topic"] == ""], chosen.rows("recommendations")
    for said in pd.concat([overall, topics]).to_dict("records"):
        _said(said, chosen)
    for limits in dict.fromkeys(table["limits"]):
        st.info(as_text(limits), icon=":material/info:")
    table_downloads(pd.concat([overall, topics]), "recommendations", key="topics_words")


def _said(said: dict[str, object], chosen: Chosen) -> None:
    topic = str(said["topic"])
    where = f"{as_text(topic, 60)} · n {chosen.sizes[topic]:,}" if topic else "Over all questions"
    with st.container(border=True, gap="xsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{where}**", width="content")
            if said["source"]:
                _certainty(sure=bool(said["certain"]))
        st.text(str(said["text"]).removeprefix(f"{topic}: ").removeprefix("Over all questions: "))


def _certainty(*, sure: bool) -> None:
    if sure:
        st.badge("more than noise", icon=":material/check:", color="green")
    else:
        st.badge("may be noise", icon=":material/question_mark:", color="gray")
