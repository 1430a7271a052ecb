"""CoCoA's state between two turns: memories, usage log, weights; to and from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from counsel_core.agents._phrases import Said, digest, sentence_digests
from counsel_core.agents.cocoa.knowledge import eligible_types, techniques
from counsel_core.agents.cocoa.memory import (
    GAMMA,
    Alphas,
    Distortion,
    DistortionScore,
    Insight,
    carry_over,
    score_distortions,
    target,
)
from counsel_core.records import Json

SENTENCES_KEPT = 300
"""Of so many of the counsellor's last sentences it is known that they were said."""

EXCHANGES_KEPT = 8
"""Exchanges kept of the dialogue under a technique: more than any technique has stages."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One pair of a dialogue: a counsellor's line and the client's answer to it."""

    counsellor: str
    client: str


@dataclass(frozen=True, slots=True)
class Progress:
    """The usage log's line of a technique: stages completed in this round, and rounds finished.

    `dialogue` holds the latest exchanges in which it was applied (a bounded number of them).
    """

    completed: int = 0
    rounds: int = 0
    dialogue: tuple[Exchange, ...] = ()


@dataclass(frozen=True, slots=True)
class Applied:
    """The technique that a reply applied, and its stage."""

    technique: str
    stage: int


@dataclass(frozen=True, slots=True)
class CocoaState:
    """All that CoCoA knows after a turn. `turn` numbers the client utterance it answered last.

    `sentences` and `replies` are digests of what it said, so that nothing is said twice.
    """

    turn: int = 0
    insights: tuple[Insight, ...] = ()
    distortions: tuple[Distortion, ...] = ()
    log: Mapping[str, Progress] = field(default_factory=dict)
    applied: Applied | None = None
    alphas: Alphas = field(default_factory=Alphas)
    gamma: float = GAMMA
    negative_feeling: bool = False
    sentences: Mapping[str, int] = field(default_factory=dict)
    replies: tuple[str, ...] = ()

    @property
    def said(self) -> Said:
        """What the counsellor has said."""
        return Said(self.sentences, frozenset(self.replies))

    def scores(self) -> tuple[DistortionScore, ...]:
        """Return S(cd) of every eligible type in memory, cd* first."""
        eligible = eligible_types(self.negative_feeling)
        return score_distortions(self.distortions, self.turn, self.alphas, self.gamma, eligible)


def heard(state: CocoaState, counsellor: str, client: str, turn: int) -> CocoaState:
    """Return the state with the client's new line: the dialogue under the last technique grows by it.

    The counsellor's line is taken from the transcript, as the client saw it. If another text than
    this agent's answered in between (the safety texts do), it was not said under the technique.
    """
    if state.applied is None or state.turn != turn - 1:
        return replace(state, turn=turn)
    name = state.applied.technique
    progress = state.log[name]
    dialogue = (*progress.dialogue, Exchange(counsellor, client))[-EXCHANGES_KEPT:]
    return replace(state, turn=turn, log={**state.log, name: replace(progress, dialogue=dialogue)})


def remember_reply(state: CocoaState, reply: str) -> CocoaState:
    """Return the state that knows that a reply was given."""
    sentences = {**state.sentences, **dict.fromkeys(sentence_digests(reply), state.turn)}
    for oldest in sorted(sentences, key=sentences.__getitem__)[: max(0, len(sentences) - SENTENCES_KEPT)]:
        del sentences[oldest]
    return replace(state, sentences=sentences, replies=(*state.replies, digest(reply)))


def begin_round(state: CocoaState, technique: str, stages: int) -> CocoaState:
    """Return the state in which a technique can be applied: one that was completed starts anew."""
    progress = state.log.get(technique, Progress())
    if progress.completed >= stages:
        progress = Progress(rounds=progress.rounds)
    return replace(state, log={**state.log, technique: progress})


def complete_stage(state: CocoaState, applied: Applied | None, stages: int) -> CocoaState:
    """Return the state after the reply: the log counts the stage it applied as completed."""
    if applied is None:
        return replace(state, applied=None)
    progress = state.log[applied.technique]
    finished = progress.completed < stages <= applied.stage
    progress = replace(
        progress,
        completed=max(progress.completed, applied.stage),
        rounds=progress.rounds + finished,
    )
    return replace(state, applied=applied, log={**state.log, applied.technique: progress})


def continue_from(state: CocoaState, earlier: CocoaState) -> CocoaState:
    """Return a new session's state with an earlier one's memories; its usage log starts empty."""
    insights, distortions = carry_over(earlier.insights, earlier.distortions, earlier.turn)
    return replace(
        state,
        insights=(*insights, *state.insights),
        distortions=(*distortions, *state.distortions),
    )


def dump_state(state: CocoaState) -> Json:
    """Return the state as a JSON object."""
    return {
        "turn": state.turn,
        "insights": [{"text": entry.text, "turn": entry.turn} for entry in state.insights],
        "distortions": [dump_distortion(entry) for entry in state.distortions],
        "log": {
            name: {
                "completed": progress.completed,
                "rounds": progress.rounds,
                "dialogue": [
                    {"counsellor": exchange.counsellor, "client": exchange.client}
                    for exchange in progress.dialogue
                ],
            }
            for name, progress in state.log.items()
        },
        "applied": (
            {"technique": state.applied.technique, "stage": state.applied.stage} if state.applied else None
        ),
        "alphas": list(state.alphas),
        "gamma": state.gamma,
        "negative_feeling": state.negative_feeling,
        "sentences": dict(state.sentences),
        "replies": list(state.replies),
    }


def dump_distortion(entry: Distortion) -> Json:
    """Return an entry of CD Memory as a JSON object."""
    return {
        "type": entry.type,
        "utterance": entry.utterance,
        "severity": entry.severity,
        "turn": entry.turn,
    }


def load_state(values: Json) -> CocoaState:
    """Return the state that `dump_state` wrote."""
    return CocoaState(
        turn=values["turn"],
        insights=tuple(Insight(**entry) for entry in values["insights"]),
        distortions=tuple(Distortion(**entry) for entry in values["distortions"]),
        log={
            name: Progress(
                entry["completed"],
                entry["rounds"],
                tuple(Exchange(**exchange) for exchange in entry["dialogue"]),
            )
            for name, entry in values["log"].items()
        },
        applied=Applied(**values["applied"]) if values["applied"] else None,
        alphas=Alphas(*values["alphas"]),
        gamma=values["gamma"],
        negative_feeling=values["negative_feeling"],
        sentences=dict(values["sentences"]),
        replies=tuple(values["replies"]),
    )


def dump_score(score: DistortionScore) -> Json:
    """Return a score as a JSON object, its components as they add up."""
    return {
        "type": score.type,
        "recency": score.recency,
        "frequency": score.frequency,
        "severity": score.severity,
        "total": score.total,
    }


def view_state(state: CocoaState, material: Json, trace: Json) -> Json:
    """Return what the clinician sees: memories, scores, cd*, technique and its stage.

    The scores are those of the state, so that they follow a change of labels or weights at once.
    """
    del material, trace
    scores = state.scores()
    return {
        "insights": [entry.text for entry in state.insights],
        "distortions": [dump_distortion(entry) for entry in state.distortions],
        "scores": [dump_score(score) for score in scores],
        "target": target(scores),
        "technique": state.applied.technique if state.applied else None,
        "technique_stage": _stage_of(state.applied) if state.applied else None,
    }


def _stage_of(applied: Applied) -> list[int]:
    return [applied.stage, len(techniques()[applied.technique].texts["en"].stages)]
