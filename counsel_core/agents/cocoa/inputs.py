"""The typed inputs that CoCoA's prompts are rendered from; the guided rules answer them directly."""

from __future__ import annotations

from dataclasses import dataclass

from counsel_core.agents._phrases import Said
from counsel_core.agents.cocoa.knowledge import Technique
from counsel_core.agents.cocoa.state import Exchange, Progress
from counsel_core.language.embeddings import Embedder
from counsel_core.records import Language


@dataclass(frozen=True, slots=True)
class ExtractionInputs:
    """For the extraction of insights and of a distortion: U, whose client line is judged."""

    latest: Exchange
    language: Language


@dataclass(frozen=True, slots=True)
class TechniqueInputs:
    """For the choice of t*: cd*, M_r as texts, the usage log, the technique applied last, and U."""

    target: str
    memories: tuple[str, ...]
    log: dict[str, Progress]
    current: str | None
    latest: Exchange
    language: Language


@dataclass(frozen=True, slots=True)
class StageInputs:
    """For stage and example: t*, its line of the usage log, and U."""

    technique: Technique
    progress: Progress
    latest: Exchange
    language: Language


@dataclass(frozen=True, slots=True)
class Plan:
    """What the dynamic prompt is made of: t*, its stage (from 1) and an example of what to say."""

    technique: Technique
    stage: int
    example: str


@dataclass(frozen=True, slots=True)
class ReplyInputs:
    """For the reply: U and, unless CD Memory holds nothing to treat, the plan.

    A language model is shown these alone. The rest is for the rules: the distortion just found, cd*
    (`target`) and the utterance it was last found in (`thought`), the technique of the reply before
    (`previous`), what was said in this session, and the encoder.
    """

    latest: Exchange
    plan: Plan | None
    distortion: str | None
    target: str | None
    thought: str
    previous: str | None
    said: Said
    embedder: Embedder
    turn: int
    language: Language
    danger: bool = False

    @property
    def continues(self) -> bool:
        """Whether the plan goes on with the technique of the reply before."""
        return self.plan is not None and self.plan.technique.name == self.previous
