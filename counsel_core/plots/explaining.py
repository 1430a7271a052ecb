"""What one answer's score was made of: the polarity of its sentences, the emotions found in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counsel_core.plots._look import number, short, shorts

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SHOWN_EMOTIONS = 6


def sentence_polarity(sentences: Sequence[str], polarity: Sequence[float]) -> Figure:
    """Return the polarity (−1 to 1) of an answer's sentences in their order."""
    from plotly.graph_objects import Bar, Figure

    numbers = list(range(1, len(sentences) + 1))
    figure = Figure(
        Bar(
            x=numbers,
            y=list(polarity),
            customdata=[short(sentence, 90) for sentence in sentences],
            hovertemplate="Sentence %{x}: %{y:.2f}<br>%{customdata}<extra></extra>",
        )
    )
    figure.update_layout(
        height=170,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"title": "Sentence", "dtick": 1 if len(numbers) <= 20 else 5, "fixedrange": True},
        yaxis={"title": "Polarity", "range": [-1.05, 1.05], "fixedrange": True, "automargin": True},
    )
    return figure


def ranked_emotions(ranking: Sequence[tuple[str, float]]) -> Figure:
    """Return the first emotions of a ranking (probability 0 to 1), the likeliest on top."""
    from plotly.graph_objects import Bar, Figure

    first = list(ranking)[:SHOWN_EMOTIONS]
    figure = Figure(
        Bar(
            x=[weight for _, weight in first],
            y=shorts([label for label, _ in first]),
            orientation="h",
            hovertemplate="%{y}: %{x:.3f}<extra></extra>",
        )
    )
    figure.update_layout(
        height=56 + 24 * max(len(first), 1),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        xaxis={"range": [0, 1], "title": "Probability", "fixedrange": True},
        yaxis={"autorange": "reversed", "automargin": True, "fixedrange": True},
    )
    return figure


def polarity_alt_text(sentences: Sequence[str], polarity: Sequence[float]) -> str:
    """Say in words how the polarity runs.

    Examples
    --------
    >>> polarity_alt_text(["Hard.", "Good."], [-0.3, 0.7])
    'Polarity of 2 sentences in order: −0.30, 0.70.'
    """
    return f"Polarity of {len(sentences)} sentences in order: {', '.join(number(p) for p in polarity)}."


def emotions_alt_text(ranking: Sequence[tuple[str, float]]) -> str:
    """Say in words which emotions lead."""
    first = list(ranking)[:SHOWN_EMOTIONS]
    return "Emotions, likeliest first: " + ", ".join(f"{label} {number(p)}" for label, p in first) + "."
