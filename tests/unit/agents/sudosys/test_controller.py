"""The stage controller: s := s + c within 1..N (SuDoSys, section 2.2.3)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.agents.sudosys.controller import Step, control_stage


@pytest.mark.parametrize(
    ("stage", "status", "expected"),
    [(1, 0, 1), (1, 1, 2), (3, -1, 2), (3, 0, 3), (6, 1, 7), (7, 0, 7), (7, -1, 6)],
)
def test_the_stage_moves_by_the_status(stage: int, status: int, expected: int) -> None:
    step = control_stage(stage, status, 7)
    assert step == Step(expected, expected - stage, complete=False)


def test_back_at_the_first_stage_stays_and_is_noted() -> None:
    step = control_stage(1, -1, 7)
    assert (step.stage, step.moved, step.complete) == (1, 0, False)
    assert "first stage" in step.note


def test_on_at_the_last_stage_completes_and_goes_nowhere() -> None:
    step = control_stage(7, 1, 7)
    assert (step.stage, step.moved, step.complete) == (7, 0, True)
    assert "complete" in step.note


def test_a_protocol_of_one_stage_is_bounded_on_both_sides() -> None:
    assert control_stage(1, -1, 1).stage == 1
    assert control_stage(1, 1, 1) == Step(1, 0, True, control_stage(1, 1, 1).note)


def test_the_limit_of_turns_counts_as_going_on_and_is_off_by_default() -> None:
    assert control_stage(2, 0, 7, turns=500).moved == 0
    assert control_stage(2, 0, 7, turns=4, max_turns=5).moved == 0
    limited = control_stage(2, 0, 7, turns=5, max_turns=5)
    assert (limited.stage, "5 turns" in limited.note) == (3, True)
    # The limit never overrules a wish to go back.
    assert control_stage(2, -1, 7, turns=9, max_turns=5).stage == 1


@pytest.mark.parametrize(("stage", "status"), [(0, 0), (8, 0), (3, 2), (3, -2)])
def test_impossible_arguments_are_a_programmers_error(stage: int, status: int) -> None:
    with pytest.raises(ValueError, match="stage"):
        control_stage(stage, status, 7)


@given(st.integers(1, 9), st.lists(st.sampled_from([-1, 0, 1]), max_size=60), st.integers(0, 4))
def test_any_sequence_of_statuses_stays_in_bounds(last: int, statuses: list[int], limit: int) -> None:
    stage, complete = 1, False
    for turn, status in enumerate(statuses):
        step = control_stage(stage, status, last, complete=complete, turns=turn % 5, max_turns=limit)
        assert 1 <= step.stage <= last
        assert step.stage - stage == step.moved
        assert step.moved in (-1, 0, 1)
        assert step.complete >= complete  # once complete, always complete
        stage, complete = step.stage, step.complete
