"""Relative directional change in sentiment, from the question to the answer."""

from __future__ import annotations

from counsel_core.language.sentiment import polarity
from counsel_core.metrics._base import Metric, MetricContext, Scored, ScoreInput
from counsel_core.metrics._texts import PAPER, guarded, sigmoid

NEEDS = frozenset({"question"})


def change(question: float, answer: float) -> float | None:
    """Return σ((a − q)/abs(q)) of two polarities; None where both are 0 (section 4.2.2, Algorithm 2).

    From a neutral question any change is infinitely large: 1 to the positive, 0 to the negative.

    Examples
    --------
    >>> change(-0.5, -0.5), change(0.0, 0.2), change(0.0, 0.0)
    (0.5, 1.0, None)
    """
    if question == 0:
        return None if answer == 0 else float(answer > 0)
    return sigmoid((answer - question) / abs(question))


def _score(given: ScoreInput, _: MetricContext) -> Scored:
    question, answer = polarity(given.question or ""), polarity(given.answer)
    # The symmetric difference, −1 to 1, does not explode where the question is nearly neutral.
    detail = {"question": question, "answer": answer, "difference": (answer - question) / 2}
    value = change(question, answer)
    if value is None:
        return Scored(None, "question and answer both have polarity 0", detail)
    return Scored(value, detail=detail)


SENTIMENT_CHANGE = Metric(
    name="sentiment_change",
    label="Sentiment change",
    description="How much more positive (above 0.5) or negative (below) the answer is than the question.",
    source=f"{PAPER}, section 4.2.2, Algorithm 2; polarity by TextBlob",
    bounds=(0.0, 1.0),
    scale=1.0,
    work="text",
    needs=NEEDS,
    differs="Both give σ of the change relative to the question's polarity; from a neutral question, 0 or"
    " 1 by the answer's sign. `paper` reads the texts as given, `standard` the mended ones. The "
    "symmetric difference of the two polarities, (answer − question)/2, stands beside the value: "
    "it stays small where a nearly neutral question makes the relative change huge.",
    score=guarded(_score, NEEDS),
    beside={"difference": "Symmetric sentiment difference (−1 to 1)"},
)
