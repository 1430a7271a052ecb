"""Ways to look at an answer: its recycled words, its sentences' sentiment, its emotions, its ratings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from counsel_core.plots.explaining import (
    emotions_alt_text,
    polarity_alt_text,
    ranked_emotions,
    sentence_polarity,
)
from counsel_core.records import Json
from pages._ui.charts import show_chart
from pages._ui.plain_text import as_text
from pages._ui.run_results import metric_label

_SPACE = re.compile(r"(\s+)")
TEXT = "As given"
_JUDGED = ("agreeability", "active_listening")


@dataclass(frozen=True)
class Lens:
    """One way to look: for which metrics, from what a run stored or explained anew, and how it is shown."""

    metrics: tuple[str, ...]
    stored: bool
    show: Callable[[Json, str, str], None]


def marked_text(text: str, spans: Iterable[tuple[int, int]]) -> str:
    r"""Return Markdown that shows a text as it is, its paragraphs kept, with some spans marked.

    Marked words are bold and on colour, so that they can be told apart without colour.

    Examples
    --------
    >>> marked_text("so sad\n\n*now*", [(3, 6)])
    'so :blue-background[**sad**]\n\n\\*now\\*'
    """
    parts, at = [], 0
    for start, end in spans:
        parts += [_plain(text[at:start]), f":blue-background[**{as_text(text[start:end])}**]"]
        at = end
    return "".join([*parts, _plain(text[at:])])


def _plain(text: str) -> str:
    pieces = _SPACE.split(text)
    return "".join(_gap(piece) if piece.isspace() else as_text(piece) for piece in pieces)


def _gap(space: str) -> str:
    lines = space.count("\n")
    return "\n\n" if lines > 1 else "  \n" if lines else " "


def _text(seen: Json, text: str, key: str) -> None:  # noqa: ARG001 - every lens is given the same
    st.markdown(marked_text(text, ()))


def _recycled(seen: Json, text: str, key: str) -> None:  # noqa: ARG001
    spans = seen["spans"]
    used = [(start, end) for start, end, recycled in spans if recycled]
    st.markdown(marked_text(seen["text"], used))
    st.caption(f"{len(used)} of {len(spans)} counted words were in the question (marked).")


def _sentiment(seen: Json, text: str, key: str) -> None:
    pairs = [(sentence.strip(), polarity) for sentence, polarity in seen["sentences"]]
    sentences, polarity = [one for one, _ in pairs], [value for _, value in pairs]
    if not pairs:
        _text(seen, text, key)
        return
    show_chart(
        sentence_polarity(sentences, polarity),
        words=polarity_alt_text(sentences, polarity),
        key=f"polarity_{key}",
    )
    st.dataframe(
        pd.DataFrame({"polarity": polarity, "sentence": [one or "(empty piece)" for one in sentences]}),
        hide_index=True,
        key=f"sentences_{key}",
        column_config={"polarity": st.column_config.NumberColumn(format="%.2f", width=70)},
    )


def _emotions(seen: Json, text: str, key: str) -> None:
    found = seen.get("emotion_consistency", {}).get("emotions", {})
    if "answer" not in found:
        st.caption("No emotions were ranked for this answer; the reason stands below.")
        _text(seen, text, key)
        return
    for who in ("answer", "reference", "question"):
        if who in found:
            ranking = [(str(label), float(weight)) for label, weight in found[who]]
            st.caption(
                {"answer": "This answer", "reference": "The reference", "question": "The question"}[who]
            )
            show_chart(
                ranked_emotions(ranking), words=emotions_alt_text(ranking), key=f"emotions_{who}_{key}"
            )


def _ratings(seen: Json, text: str, key: str) -> None:
    _text(seen, text, key)
    for name in _JUDGED:
        detail = seen.get(name, {})
        if not detail:
            continue
        spread = detail.get("sd")
        said = f" · standard deviation {spread:.2f}" if spread is not None else ""
        st.caption(f"{metric_label(name)}{said}: what the judge wrote")
        for call in detail.get("calls", ()):
            st.code(call["text"] or call["error"], language=None, wrap_lines=True)


LENSES = {
    "Recycled words": Lens(("recycling",), stored=False, show=_recycled),
    "Sentiment by sentence": Lens(("intra_sentiment", "sentiment_change"), stored=False, show=_sentiment),
    "Emotions": Lens(("emotion_consistency",), stored=True, show=_emotions),
    "Ratings": Lens(_JUDGED, stored=True, show=_ratings),
    TEXT: Lens((TEXT,), stored=False, show=_text),
}
