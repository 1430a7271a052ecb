"""What stands behind one answer's value, for the view of an item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

from counsel_core.language.sentiment import polarity
from counsel_core.metrics import intra_sentiment, recycling, simplicity
from counsel_core.metrics._base import Metric, MetricContext, ScoreInput
from counsel_core.metrics._texts import read
from counsel_core.records import Json


def explain(metric: Metric, given: ScoreInput, context: MetricContext) -> Json:
    """Return what a metric sees in an answer, as JSON; {} for a judged one, whose answers a run keeps.

    Every explanation has `text`: the answer as the preset reads it, which spans count in. Beside it:

    - recycling: `spans` [start, end, recycled?] of the words that count, and the question's own `question`
      and `question_spans` [start, end] of the words that came back;
    - sentiments: `sentences` [text, polarity], and the `question` with its polarity for the change;
    - simplicity: `sentences` [text] and the counts of `readability`;
    - others: the metric's own detail (ranked `emotions`, each [label, probability]).
    """
    if metric.work == "judge":
        return {}
    text = read(given.answer, context.preset)
    if metric.name in _EXPLAINED:
        return {"text": text, **_EXPLAINED[metric.name](text, read(given.question, context.preset), context)}
    return {"text": text, **metric.score(given, context).detail}


def _recycled(text: str, question: str, context: MetricContext) -> Json:
    fluff = recycling.fluff_of(context)
    known = recycling.question_tokens(question, context.preset)
    counted = [span for span in recycling.spans(text, context.preset) if span[2] not in fluff]
    used = {token for _, _, token in counted}
    return {
        "spans": [[start, end, token in known] for start, end, token in counted],
        "question": question,
        "question_spans": [
            [start, end] for start, end, token in recycling.spans(question, context.preset) if token in used
        ],
    }


def _sentence_polarities(text: str, _: str, context: MetricContext) -> Json:
    pieces = intra_sentiment.pieces(text, context.preset)
    polarities = [polarity(piece) if piece.strip() else 0.0 for piece in pieces]
    slope = intra_sentiment.slope(polarities)
    return {"sentences": [list(pair) for pair in zip(pieces, polarities, strict=True)], "slope": slope}


def _change(text: str, question: str, context: MetricContext) -> Json:
    whole = {"question": question, "question_polarity": polarity(question), "answer_polarity": polarity(text)}
    return _sentence_polarities(text, question, context) | whole


def _readability(text: str, _: str, context: MetricContext) -> Json:
    found = simplicity.read_level(text, context.preset)
    return {
        "sentences": simplicity.sentences(text, context.preset),
        "readability": None if found is None else asdict(found),
    }


_EXPLAINED: Mapping[str, Callable[[str, str, MetricContext], Json]] = {
    "recycling": _recycled,
    "intra_sentiment": _sentence_polarities,
    "sentiment_change": _change,
    "simplicity": _readability,
}
