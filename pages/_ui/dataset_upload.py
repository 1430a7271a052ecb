"""Uploading a data set: what the file looks like, what its columns are, how it will be read."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from counsel_core.datasets import Preview, formats, preview
from counsel_core.datasets.library import save
from counsel_core.records import GoldPolicy
from pages._ui.dataset_picker import show_dataset
from pages._ui.errors import problems_shown
from pages._ui.plain_text import as_text, shorten
from pages._ui.workspace import settings

KINDS = ["csv", "tsv", "txt", "xlsx", "json", "jsonl", "parquet"]
POLICIES: dict[GoldPolicy, str] = {
    "upvotes": "the most upvoted, then the most viewed (as the paper)",
    "first": "the first in the file",
    "longest": "the longest",
    "all": "all of them: each question's mean over its therapists",
}
ROLES = {
    "question": "Question",
    "reference": "Gold answer",
    "source": "Source (who answered)",
    "answer": "Answer",
    "topic": "Topic",
    "id": "Number of the question",
    "models": "Answers of models",
}
NO_COLUMN = "none"
_KEPT, _UPLOADS = "upload_kept", "uploads"


def upload() -> None:
    """Take a file, show what it is taken for, and keep it when that is right."""
    if name := st.session_state.pop(_KEPT, None):
        st.success(f"{as_text(name, 80)} is kept. It is shown below.", icon=":material/check_circle:")
    file = st.file_uploader(
        "A file with questions and answers",
        type=KINDS,
        key=f"upload_{st.session_state.get(_UPLOADS, 0)}",
        help="CSV, TSV, Excel (XLSX), JSON, JSON Lines or Parquet. It stays on this machine.",
    )
    if file is None:
        return
    with problems_shown():
        looked = _look(file.file_id, file.name, file)
        _preview(looked)
        mapping = _mapping(looked)
        policy, topic = _choices(looked)
        if st.button("Keep this data set", type="primary", icon=":material/save:", key="keep_dataset"):
            saved = save(
                settings(),
                file.name,
                file.getvalue(),
                mapping=mapping,
                policy=policy,
                topic_column=topic,
            )
            show_dataset(saved.key)
            st.session_state[_KEPT] = saved.name
            # Another key is an empty field: a browser keeps the file in the old one.
            st.session_state[_UPLOADS] = st.session_state.get(_UPLOADS, 0) + 1
            st.rerun()


@st.cache_data(max_entries=4, show_spinner="Reading the file …")
def _look(file_id: str, name: str, _file: Any) -> Preview:  # noqa: ARG001 - the id is the cache's key
    return preview(name, _file.getvalue())


def _preview(looked: Preview) -> None:
    kind = formats()[looked.format].label if looked.format else "not recognised: say what its columns are"
    st.markdown(
        f"**{looked.row_count:,} rows, {len(looked.columns)} columns** · {looked.container.upper()}, "
        f"encoding {as_text(looked.encoding)} · {as_text(kind)}"
    )
    if looked.problem:
        st.warning(as_text(looked.problem), icon=":material/help:")
    rows = [{name: shorten(text, 120) for name, text in row.items()} for row in looked.rows]
    st.dataframe(pd.DataFrame(rows, columns=list(looked.columns)), hide_index=True, height=240, key="preview")


def _mapping(looked: Preview) -> dict[str, Any]:
    """Let the columns be named; what was guessed is chosen already."""
    with st.expander("What the columns are", expanded=looked.format is None, icon=":material/view_column:"):
        names = list(formats())
        chosen = st.selectbox(
            "Format",
            names,
            index=names.index(looked.format) if looked.format else names.index("wide"),
            format_func=lambda name: formats()[name].label,
            key=f"format_{looked.format}",
        )
        form = formats()[chosen]
        st.caption(form.description)
        mapping: dict[str, Any] = {}
        for role in sorted(form.needs | form.takes, key=lambda role: [*ROLES, role].index(role)):
            mapping |= _role(looked, chosen, role, needed=role in form.needs)
    return {} if mapping == looked.mapping and looked.format else mapping


def _role(looked: Preview, form: str, role: str, *, needed: bool) -> dict[str, Any]:
    label, columns = ROLES.get(role, role.capitalize()), list(looked.columns)
    guess = looked.mapping.get(role)
    if role == "models":
        known = [column for column in (guess or ()) if column in columns]
        chosen = st.multiselect(label, columns, known, key=f"role_{form}_{role}", format_func=_column)
        return {role: tuple(chosen)}
    options = columns if needed else [NO_COLUMN, *columns]
    index = options.index(str(guess)) if guess in options else (None if needed else 0)
    one = st.selectbox(label, options, index=index, key=f"role_{form}_{role}", format_func=_column)
    return {} if one in (None, NO_COLUMN) else {role: one}


def _choices(looked: Preview) -> tuple[GoldPolicy, str | None]:
    left, right = st.columns([3, 2])
    policy = left.selectbox(
        "Of several therapists' answers, gold is",
        list(POLICIES),
        format_func=POLICIES.__getitem__,
        key="policy",
        help="The gold standard (GS) is the answer the others are compared with.",
    )
    topic = right.selectbox(
        "Topic",
        ["as recognised", *looked.columns],
        format_func=_column,
        key="topic_column",
        help="Any column of few values can be the topic that results are shown by.",
    )
    return policy, None if topic == "as recognised" else topic


def _column(name: str) -> str:
    return shorten(name, 60)
