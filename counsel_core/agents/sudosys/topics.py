"""The topic database (SuDoSys, section 2.2.4): values by stage, of which only the present one's change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from counsel_core.agents.sudosys.protocol import Protocol

Values = Mapping[int, Mapping[str, str]]
"""The value of each topic by stage; "" is a topic not spoken of yet."""


@dataclass(frozen=True, slots=True)
class Written:
    """The values after a turn, and the keys whose value is another than before."""

    values: Values
    changed: tuple[str, ...]


def empty_values(protocol: Protocol) -> Values:
    """Return the topics at the beginning: all there, all empty."""
    return {stage.number: dict.fromkeys(stage.keys, "") for stage in protocol.stages}


def write_topics(values: Values, stage: int, new: Mapping[str, str]) -> Written:
    """Write new values of the present stage; other stages and keys not given stay as they are.

    This replaces T_S by T'_S but keeps what a model left out, a noted deviation from T_S := T'_S;
    "" prunes a topic.

    Raises
    ------
    KeyError
        A key that the stage does not have.
    """
    old = values[stage]
    if unknown := new.keys() - old.keys():
        raise KeyError(f"stage {stage} has no topic {sorted(unknown)}")
    changed = tuple(key for key, value in new.items() if value != old[key])
    return Written({**values, stage: {**old, **new}}, changed)


def visible_topics(values: Values, stage: int) -> Values:
    """Return {T_s} for s = 1..S: what the instruction shows. Later topics are kept but hidden."""
    return {number: dict(values[number]) for number in sorted(values) if number <= stage}
