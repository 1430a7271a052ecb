"""A data set in view: what it holds, what was repaired and dropped, and its questions one by one."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import streamlit as st

from counsel_core.datasets.library import SavedDataset
from counsel_core.datasets.writing import write_long, write_wide
from counsel_core.plots.topics_chart import topics_alt_text, topics_chart, topics_print
from counsel_core.records import QADataset, RowNote
from counsel_core.runs.naming import source_label
from pages._ui.charts import show_chart
from pages._ui.dataset_upload import POLICIES
from pages._ui.plain_text import as_text, shorten
from pages._ui.table_downloads import table_downloads

PER_PAGE = 10


def overview(saved: SavedDataset, dataset: QADataset) -> None:
    """Show the counts, the sources and the topics."""
    blocked = sum(answer.blocked for answer in dataset.answers)
    numbers = {
        "Questions": len(dataset.items),
        "Answers": len(dataset.answers),
        "Sources": len(dataset.sources),
        "Topics": len({item.topic for item in dataset.items if item.topic}),
    }
    for column, (label, number) in zip(st.columns(len(numbers)), numbers.items(), strict=True):
        column.metric(label, f"{number:,}")
    st.caption(
        f"Format {dataset.format}, encoding {as_text(dataset.encoding)}. Of several therapists' answers the "
        f"gold answer is {POLICIES[dataset.policy]}."
        + (f" {blocked:,} answers are held back by the reply check: counted, never shown." if blocked else "")
    )
    if saved.sample:
        st.warning(
            "Sample: its reference answers were written for this project. They are not by therapists, and "
            "nothing measured on it says how near a model comes to therapists.",
            icon=":material/science:",
        )
    _sources(dataset)
    _topics(dataset)


def repairs(dataset: QADataset) -> None:
    """List what was repaired and dropped, by row, for download too."""
    st.caption(
        "Texts are kept as given. What is repaired (no-break spaces, lost spaces between sentences, HTML) "
        "makes a second text, which only the preset standard reads."
    )
    for title, notes, key in (
        ("Dropped", dataset.dropped, "dropped"),
        ("Repaired or noted", dataset.repaired, "rep"),
    ):
        st.markdown(f"**{title}** · {len(notes):,}")
        if notes:
            frame = _notes(notes)
            counts = Counter(note.reason.split(";")[0] for note in notes).most_common(3)
            st.caption("Most often: " + "; ".join(f"{as_text(reason, 90)} ({n:,})" for reason, n in counts))
            st.dataframe(frame, hide_index=True, height=240, key=f"notes_{key}")
            table_downloads(frame, key, key=f"notes_{key}")


def questions(dataset: QADataset) -> None:
    """Show the questions with their answers, page by page."""
    wanted = st.text_input("Search the questions", key="question_search", icon=":material/search:").casefold()
    items = [item for item in dataset.items if wanted in (item.question or "").casefold()]
    if not items:
        st.caption("No question holds these words.")
        return
    pages = -(-len(items) // PER_PAGE)
    page = (
        st.number_input("Page", 1, pages, key="question_page", help=f"{len(items):,} questions")
        if pages > 1
        else 1
    )
    answers: dict[str, list[tuple[str, str]]] = {}
    shown = items[(int(page) - 1) * PER_PAGE : int(page) * PER_PAGE]
    keys = {item.id for item in shown}
    for answer in dataset.answers:
        if answer.item in keys:
            text = "Held back by the reply check." if answer.blocked else answer.text
            answers.setdefault(answer.item, []).append((answer.source, text))
    for item in shown:
        title = shorten(item.question or "without a question text", 90)
        with st.expander(as_text(f"{item.topic or 'no topic'} · {title}")):
            st.text(item.question or "This item has no question text.")
            for source, text in answers.get(item.id, []):
                st.markdown(f"**{as_text(source_label(source))}**")
                st.text(text)


def downloads(saved: SavedDataset, dataset: QADataset) -> None:
    """Offer the data set as a table; files are made when they are asked for."""
    stem = shorten(saved.name.rsplit(".", 1)[0], 60)
    with st.container(horizontal=True, gap="small"):
        for label, suffix, make in (
            ("A row a question (CSV)", "wide", lambda: write_wide(dataset)),
            ("A row an answer (CSV)", "long", lambda: write_long(dataset)),
            ("For a spreadsheet", "spreadsheet", lambda: write_wide(dataset, spreadsheet=True)),
        ):
            st.download_button(
                label,
                make,
                file_name=f"{stem} {suffix}.csv",
                mime="text/csv",
                key=f"download_{suffix}",
                type="tertiary",
                icon=":material/download:",
                on_click="ignore",
            )


def _sources(dataset: QADataset) -> None:
    counts = Counter(answer.source for answer in dataset.answers)
    rows = [{"source": shorten(source_label(name), 60), "answers": counts[name]} for name in dataset.sources]
    st.markdown("**Who answered**")
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="sources_table")


def _topics(dataset: QADataset) -> None:
    counts = Counter(item.topic for item in dataset.items if item.topic)
    if not counts:
        st.caption("No topics are given: results are shown over all questions.")
        return
    frame = pd.DataFrame({"topic": list(counts), "questions": list(counts.values())})
    st.markdown("**Questions by topic**")
    show_chart(topics_chart(frame), words=topics_alt_text(frame), key="topics_chart")
    table_downloads(frame, "topics", key="topics_chart", figure=lambda: topics_print(frame))


def _notes(notes: tuple[RowNote, ...]) -> pd.DataFrame:
    return pd.DataFrame([{"row": note.row, "reason": note.reason} for note in notes])
