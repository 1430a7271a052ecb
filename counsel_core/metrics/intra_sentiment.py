"""Change of sentiment within the answer, from its first sentence to its last."""

from __future__ import annotations

from collections.abc import Sequence

from counsel_core.language.sentences import split
from counsel_core.language.sentiment import polarity
from counsel_core.metrics._base import Metric, MetricContext, Scored, ScoreInput
from counsel_core.metrics._texts import PAPER, guarded, sigmoid
from counsel_core.records import Preset


def pieces(text: str, preset: Preset) -> list[str]:
    """Return what a preset takes for sentences: pieces between full stops, empty ones too; or sentences.

    Examples
    --------
    >>> pieces("I see. That hurts.", "paper")
    ['I see', ' That hurts', '']
    """
    return text.split(".") if preset == "paper" else split(text)


def slope(values: Sequence[float]) -> float | None:
    """Return the least-squares slope of values over 0, 1, 2, …; None for fewer than two.

    Section 4.2.3, Algorithm 3: Σ(i − ī)(v − v̄) / Σ(i − ī)², where Σ(i − ī)² = n(n² − 1)/12.

    Examples
    --------
    >>> slope([0.0, 0.5, 1.0])
    0.5
    """
    n = len(values)
    if n < 2:
        return None
    middle = (n - 1) / 2
    return sum((place - middle) * value for place, value in enumerate(values)) * 12 / (n * (n * n - 1))


def _score(given: ScoreInput, context: MetricContext) -> Scored:
    found = pieces(given.answer, context.preset)
    polarities = [polarity(piece) if piece.strip() else 0.0 for piece in found]
    steepness = slope(polarities)
    detail = {"sentences": len(found), "slope": steepness}
    if steepness is not None:
        return Scored(sigmoid(steepness), detail=detail)
    if context.preset == "paper":
        return Scored(0.5, detail=detail)
    return Scored(None, "one sentence has no change within it", detail)


INTRA_SENTIMENT = Metric(
    name="intra_sentiment",
    label="Sentiment within the answer",
    description="Whether the answer grows more positive (above 0.5) or negative (below) as it goes on.",
    source=f"{PAPER}, section 4.2.3, Algorithm 3; polarity by TextBlob",
    bounds=(0.0, 1.0),
    scale=1.0,
    work="text",
    needs=frozenset(),
    differs="`paper` splits at every full stop and keeps empty pieces with polarity 0, among them the one"
    " after the last stop, and gives 0.5 where there is no full stop. `standard` splits into "
    "sentences with nupunkt, after mending lost spaces; a single sentence is missing.",
    score=guarded(_score),
)
