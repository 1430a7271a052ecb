"""What a metric is: a function from one answer to one number, and what a reader must know of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from counsel_core.records import Json, Preset

if TYPE_CHECKING:
    from counsel_core.language.embeddings import Embedder
    from counsel_core.language.emotion import EmotionModel
    from counsel_core.llm._base import Caller

Work = Literal["text", "encoder", "judge"]
"""What a metric costs: text alone (any process), an encoder of this machine, calls of a judge."""


@dataclass(frozen=True, slots=True)
class ScoreInput:
    """One answer to score, as given in the file, with its question and the gold answer where known."""

    answer: str
    question: str | None = None
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """A metric's value, or None with the reason; `detail` holds what it was made of, as JSON."""

    value: float | None
    reason: str = ""
    detail: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MetricContext:
    """What a metric works with besides the texts. Models are there only for metrics that need them.

    `settings` holds what a run records: `rbo_p`, `repeats` and `fluff` (words), each with a default.
    `second_emotions` ranks beside `emotions`, so that the agreement of the two can be told.
    """

    preset: Preset
    settings: Mapping[str, Any] = field(default_factory=dict)
    embedder: Embedder | None = None
    emotions: EmotionModel | None = None
    second_emotions: EmotionModel | None = None
    judge: Caller | None = None


@dataclass(frozen=True)
class Metric:
    """One metric. `score` never raises for a text: what cannot be scored is missing with its reason.

    Attributes
    ----------
    bounds
        Lowest and highest possible value; None: unbounded.
    scale
        What a mean is multiplied with before profiles are compared (EVALUATION: 1, 1/10 or 1/100);
        None where the metric is no part of the profile.
    needs
        Which texts must be there: any of "question", "reference".
    differs
        How the presets `paper` and `standard` differ, for its page.
    proxy_of
        The metric it stands in for without a judge; '' for a metric of its own.
    beside
        Numbers in the detail of a score that are reported beside it, with what they are called.
    """

    name: str
    label: str
    description: str
    source: str
    bounds: tuple[float | None, float | None]
    scale: float | None
    work: Work
    needs: frozenset[str]
    differs: str
    score: Callable[[ScoreInput, MetricContext], Scored]
    proxy_of: str = ""
    beside: Mapping[str, str] = field(default_factory=dict)
