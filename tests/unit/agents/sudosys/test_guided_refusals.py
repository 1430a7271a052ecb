"""A refusal is no answer and no choice, the end of a list is none either; what is really chosen is taken."""

from __future__ import annotations

import pytest

from counsel_core.agents._reflection import reflect
from counsel_core.agents.sudosys.forms import tells_nothing
from counsel_core.agents.sudosys.naming import choice_name


@pytest.mark.parametrize(
    "line",
    [
        "Don't make me choose.",
        "I won't decide.",
        "I don't have any ideas.",
        "None of these.",
        "You decide.",
        "I said I don't want to pick one.",
        "I'd rather not say.",
        "Tell me what to do.",
        "No idea.",
        "No, that's the lot: the debt, the sleep and the boys.",
        "That's all.",
    ],
)
def test_what_refuses_or_ends_a_list_is_kept_nowhere(line: str) -> None:
    assert tells_nothing(line)


@pytest.mark.parametrize(
    "line",
    [
        # Each begins as a refusal does, and tells something.
        "I can't decide whether to leave my husband.",
        "I don't want to talk to my mother any more.",
        "I don't have any ideas left for the party.",
        "Nothing works since the divorce.",
        "None of my friends call me.",
        "You decide things so easily, my sister said.",
        "I think the debt, because it keeps me awake.",
    ],
)
def test_what_tells_something_is_no_refusal(line: str) -> None:
    assert not tells_nothing(line)


def test_a_choice_that_points_back_is_named() -> None:
    assert choice_name("The mornings with her, I'd like to start there.") == "the mornings with her"


def test_nothing_is_said_back_that_ends_in_the_air() -> None:
    # "what I think" loses its "I think", a hedge elsewhere; "about what" is no end of a sentence.
    assert reflect("I don't want to talk about what I think.") is None
