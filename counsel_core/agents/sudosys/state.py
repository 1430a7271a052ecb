"""What SuDoSys remembers between two turns: a plain value that goes to JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from counsel_core.agents._phrases import Said, digest, sentence_digests
from counsel_core.agents.sudosys.protocol import Protocol
from counsel_core.agents.sudosys.topics import Values, empty_values
from counsel_core.records import Json

KEPT_SENTENCES = 300
"""Of so many of the counsellor's last sentences it is known that they were said."""


@dataclass(frozen=True)
class SudosysState:
    """The present stage, the topics of all stages, and what the counsellor has said (as digests).

    `furthest` is the latest stage reached so far; `turns` counts client turns in the present stage.
    """

    topics: Values
    stage: int = 1
    furthest: int = 1
    turns: int = 0
    complete: bool = False
    sentences: Mapping[str, int] = field(default_factory=dict)
    replies: tuple[str, ...] = ()

    @property
    def said(self) -> Said:
        """What the counsellor has said."""
        return Said(self.sentences, frozenset(self.replies))


def first_state(protocol: Protocol, opening: str) -> SudosysState:
    """Return the state before the client's first turn, the opening being said."""
    return remember_reply(SudosysState(empty_values(protocol)), opening, turn=0)


def remember_reply(state: SudosysState, reply: str, turn: int) -> SudosysState:
    """Note that a reply was given."""
    sentences = {**state.sentences, **dict.fromkeys(sentence_digests(reply), turn)}
    for oldest in sorted(sentences, key=sentences.__getitem__)[: max(0, len(sentences) - KEPT_SENTENCES)]:
        del sentences[oldest]
    return replace(state, sentences=sentences, replies=(*state.replies, digest(reply)))


def dump_state(state: SudosysState) -> Json:
    """Return the state as a JSON object."""
    return {
        "stage": state.stage,
        "furthest": state.furthest,
        "turns": state.turns,
        "complete": state.complete,
        "topics": {str(number): dict(values) for number, values in state.topics.items()},
        "sentences": dict(state.sentences),
        "replies": list(state.replies),
    }


def load_state(value: Mapping[str, Any]) -> SudosysState:
    """Return the state that `dump_state` wrote."""
    return SudosysState(
        topics={int(number): dict(values) for number, values in value["topics"].items()},
        stage=value["stage"],
        furthest=value["furthest"],
        turns=value["turns"],
        complete=value["complete"],
        sentences=dict(value["sentences"]),
        replies=tuple(value["replies"]),
    )
