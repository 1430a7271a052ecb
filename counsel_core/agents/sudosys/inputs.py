"""The typed inputs of a SuDoSys turn: what the instruction is rendered from, and the guided rules read."""

from __future__ import annotations

from dataclasses import dataclass

from counsel_core.agents._phrases import Said
from counsel_core.agents.sudosys.protocol import Protocol, Stage
from counsel_core.agents.sudosys.topics import Values
from counsel_core.language.embeddings import Embedder
from counsel_core.records import Utterance


@dataclass(frozen=True)
class TurnInputs:
    """One turn.

    `topics` are the visible ones, {T_s} for s = 1..S. `before` holds the last utterances before the
    client's, oldest first; `history_turns` of the counsellor's are shown to a model. `turn` counts the
    client's utterances in the session, `turns` those in the present stage, both with this one.
    """

    protocol: Protocol
    number: int
    topics: Values
    client: str
    before: tuple[Utterance, ...]
    turn: int
    turns: int
    furthest: int
    complete: bool
    said: Said
    embedder: Embedder
    history_turns: int = 1
    reason: bool = True
    danger: bool = False

    @property
    def stage(self) -> Stage:
        """The present stage."""
        return self.protocol.stage(self.number)

    @property
    def next_stage(self) -> Stage | None:
        """The stage after it, if there is one."""
        return self.protocol.stage(self.number + 1) if self.number < self.protocol.last else None

    @property
    def previous_line(self) -> str:
        """What the counsellor said last."""
        return next((u.text for u in reversed(self.before) if u.speaker == "counsellor"), "")
