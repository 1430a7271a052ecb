"""Emotion consistency: whether the answer shows the emotions of the reference answer, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counsel_core.errors import InputError
from counsel_core.metrics._base import Metric, MetricContext, Scored, ScoreInput
from counsel_core.metrics._texts import PAPER, guarded
from counsel_core.records import Json

if TYPE_CHECKING:
    from counsel_core.language.emotion import EmotionModel

NEEDS = frozenset({"reference"})
PERSISTENCE = 0.9
"""The default p of rank-biased overlap, which the paper leaves open: ten ranks carry 86 % of the weight."""


def rank_overlap(first: Sequence[str], second: Sequence[str], p: float = PERSISTENCE) -> float:
    """Return the extrapolated rank-biased overlap of two rankings, 0 to 1 (Webber et al. 2010, eq. 23).

    Without extrapolation two identical lists of 28 would have 0.948 at p = 0.9.

    Raises
    ------
    InputError
        p is not between 0 and 1.

    Examples
    --------
    >>> rank_overlap(["joy", "fear"], ["joy", "fear"])
    1.0
    >>> rank_overlap(["joy", "fear"], ["relief", "anger"])
    0.0
    """
    from rbo import RankingSimilarity

    if not 0 < p < 1:
        raise InputError(f"rbo_p is {p}; it has to lie between 0 and 1, such as {PERSISTENCE}.")
    value = RankingSimilarity(list(first), list(second)).rbo(p=p, ext=True)
    return min(1.0, float(value))  # a sum that may end a rounding above 1


def shared_overlap(first: Sequence[str], second: Sequence[str], p: float = PERSISTENCE) -> float | None:
    """Return the overlap of two models' rankings by the labels that both have; None if there are not two.

    Examples
    --------
    >>> shared_overlap(["joy", "neutral", "fear"], ["JOY", "Fear", "disgust"])
    1.0
    """
    one, two = [label.casefold() for label in first], [label.casefold() for label in second]
    both = set(one) & set(two)
    if len(both) < 2:
        return None
    return rank_overlap([x for x in one if x in both], [x for x in two if x in both], p)


def _score(given: ScoreInput, context: MetricContext) -> Scored:
    model = context.emotions
    if model is None:
        raise InputError("Emotion consistency needs an emotion model; give one, 'embedded' for example.")
    p = float(context.settings.get("rbo_p", PERSISTENCE))
    texts = {"answer": given.answer, "reference": given.reference or "", "question": given.question or ""}
    shown = {name: text for name, text in texts.items() if text.strip()}
    rankings = dict(zip(shown, model.rank(list(shown.values())), strict=True))
    orders = {name: [label for label, _ in ranking] for name, ranking in rankings.items()}
    emotions = {name: [list(pair) for pair in ranking] for name, ranking in rankings.items()}
    detail = {"emotions": emotions, "model": model.name, "weights": model.weights, "rbo_p": p}
    if context.second_emotions is not None:
        detail["second"] = _second(given, context.second_emotions, orders["answer"], p)
    return Scored(rank_overlap(orders["answer"], orders["reference"], p), detail=detail)


def _second(given: ScoreInput, model: EmotionModel, answer: Sequence[str], p: float) -> Json:
    """Return what a second emotion model gives, and how far it ranks the answer's emotions alike."""
    rankings = model.rank([given.answer, given.reference or ""])
    orders = [[label for label, _ in ranking] for ranking in rankings]
    value, overlap = rank_overlap(orders[0], orders[1], p), shared_overlap(answer, orders[0], p)
    return {"model": model.name, "weights": model.weights, "value": value, "overlap": overlap}


EMOTION_CONSISTENCY = Metric(
    name="emotion_consistency",
    label="Emotion consistency",
    description="How alike the emotions of the answer and of the reference answer are, ranked by strength.",
    source=f"{PAPER}, section 4.2.1, Algorithm 1; rank-biased overlap by Webber et al. 2010",
    bounds=(0.0, 1.0),
    scale=None,
    work="encoder",
    needs=NEEDS,
    differs="The same formula in both; `standard` reads the mended texts and leaves other languages than "
    "English out. The paper names neither p nor its emotion model: p is a setting (0.9), and "
    "which model ranked is recorded. Every label is ranked, the faintest too: two random "
    "rankings of 28 labels have 0.34 on average, not 0.",
    score=guarded(_score, NEEDS),
)
