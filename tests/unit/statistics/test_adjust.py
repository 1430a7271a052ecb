"""Holm's correction: never below raw, never above 1, in the order of the raw values."""

from __future__ import annotations

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from counsel_core.statistics.adjust import holm

PS = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=20)
FEWER = settings(max_examples=30, deadline=None)
"""statsmodels collects garbage at each call, which is slow in a large test process."""


def test_by_hand() -> None:
    # sorted .01 .02 .04: 3*.01 = .03; max(.03, 2*.02) = .04; max(.04, .04) = .04
    assert [round(p, 10) for p in holm([0.04, 0.01, 0.02])] == [0.04, 0.03, 0.04]


def test_what_was_not_tested_stays_missing_and_does_not_count() -> None:
    assert holm([None, 0.03, math.nan]) == [None, 0.03, None]
    assert holm([]) == []
    assert holm([None, None]) == [None, None]


@FEWER
@given(PS)
def test_bounds_and_order(ps: list[float | None]) -> None:
    adjusted = holm(ps)
    tested = [(raw, new) for raw, new in zip(ps, adjusted, strict=True) if raw is not None]
    assert [new is None for new in adjusted] == [raw is None for raw in ps]
    assert all(raw <= new + 1e-15 and new <= 1 for raw, new in tested)
    in_order = [new for _, new in sorted(tested)]
    assert in_order == sorted(in_order)


@FEWER
@given(PS, st.randoms(use_true_random=False))
def test_permutation(ps: list[float | None], random: object) -> None:
    places = list(range(len(ps)))
    random.shuffle(places)  # type: ignore[attr-defined]
    before, again = holm(ps), holm([ps[place] for place in places])
    assert [before[place] for place in places] == again
