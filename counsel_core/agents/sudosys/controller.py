"""The stage controller (SuDoSys, section 2.2.3): s := s + c, kept within the protocol."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """Where a turn leads: the next stage, how far it lies (-1, 0, 1), and a note if a bound spoke."""

    stage: int
    moved: int
    complete: bool
    note: str = ""


def control_stage(
    stage: int, status: int, last: int, *, complete: bool = False, turns: int = 0, max_turns: int = 0
) -> Step:
    """Apply a dialogue status c to stage s of 1..N.

    Back from the first stage stays there, on from the last one completes the session, and once
    complete it stays so. After `max_turns` turns in a stage (0: never) a 0 counts as a 1.

    >>> control_stage(2, 1, 7)
    Step(stage=3, moved=1, complete=False, note='')
    >>> control_stage(7, 1, 7).complete
    True

    Raises
    ------
    ValueError
        A stage outside 1..N, or a status that is none of -1, 0, 1.
    """
    if not 1 <= stage <= last or status not in (-1, 0, 1):
        raise ValueError(f"stage {stage} of {last} with status {status}")
    note = ""
    if status == 0 and 0 < max_turns <= turns:
        status, note = 1, f"Went on after {turns} turns in this stage, the most that the settings allow."
    wanted = stage + status
    if wanted < 1:
        note = "Back was asked for in the first stage: it stays there."
    if wanted > last:
        complete = True
        note = note or "The last stage is done: the session is complete, and the client may go on."
    reached = min(max(wanted, 1), last)
    return Step(reached, reached - stage, complete, note)
