"""From the numbers to the words behind them: a question is looked for, chosen and shown."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.records import QADataset
from counsel_core.runs.runs import Run
from pages._ui.item_view import item_view
from pages._ui.plain_text import shorten
from pages._ui.run_results import run_dataset

ITEM = "item"
_ANY = "All topics"


def items(run: Run) -> None:
    """Show the questions of the run, and the chosen one with its answers."""
    dataset = run_dataset(run)
    found = _found(dataset)
    if found.empty:
        st.info("No question matches. Try another word, or all topics.", icon=":material/search_off:")
        return
    wanted = st.query_params.get(ITEM)
    at = list(found["id"]).index(wanted) if wanted in set(found["id"]) else 0
    chosen = st.selectbox(
        f"Question ({len(found):,} found)",
        list(found["id"]),
        index=at,
        format_func=dict(zip(found["id"], found["shown"], strict=True)).__getitem__,
        key=f"item_of_{run.id}",
    )
    if chosen is not None:
        st.query_params[ITEM] = chosen
        item_view(run, chosen)


def _found(dataset: QADataset) -> pd.DataFrame:
    topics = sorted({item.topic for item in dataset.items if item.topic})
    left, right = st.columns([2, 1])
    words = left.text_input("Search", key="item_search", max_chars=200, placeholder="A word of the question")
    topic = right.selectbox("Topic", [_ANY, *topics], key="item_topic")
    rows = [
        (
            item.id,
            f"{shorten(item.question or 'no question text', 90)} · {shorten(item.topic or 'no topic', 30)}",
        )
        for item in dataset.items
        if words.strip().lower() in (item.question or "").lower() and topic in (_ANY, item.topic)
    ]
    return pd.DataFrame(rows, columns=["id", "shown"])
