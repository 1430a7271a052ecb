"""What metrics of encoders work with: models of this machine that read each text once."""

from __future__ import annotations

from collections.abc import Sequence

from counsel_core.language.embeddings import minilm
from counsel_core.language.emotion import EmotionModel, Ranking, emotion_model
from counsel_core.metrics._base import MetricContext
from counsel_core.runs.plan import Plan


class RankedOnce:
    """An emotion model that keeps the ranking of every text it has read."""

    def __init__(self, model: EmotionModel) -> None:
        self._model = model
        self._known: dict[str, Ranking] = {}
        self.name, self.labels, self.weights = model.name, model.labels, model.weights

    def rank(self, texts: Sequence[str]) -> list[Ranking]:
        """Return the labels of each text with their probabilities, highest first."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            self._known.update(zip(fresh, self._model.rank(fresh), strict=True))
        return [self._known[text] for text in texts]


def encoder_context(plan: Plan, *, download: bool) -> MetricContext:
    """Return the context of a run's encoder metrics; `download` as in `emotion_model`.

    Raises
    ------
    DataFileError
        The weights of an encoder are not on this machine.
    """
    emotions = None
    if plan.emotion_model is not None:
        emotions = RankedOnce(emotion_model(plan.emotion_model, download=download))
    second = plan.settings.get("second_emotions")
    return MetricContext(
        plan.preset,
        plan.settings,
        embedder=minilm(),
        emotions=emotions,
        second_emotions=RankedOnce(emotion_model(second, download=download)) if second else None,
    )
