"""Sentences: where one ends, and where it only looks so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.language.sentences import split, without_addresses


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \n ", []),
        ("One sentence without an end", ["One sentence without an end"]),
        ("See Dr. Lee, e.g. on Monday. Then rest.", ["See Dr. Lee, e.g. on Monday.", "Then rest."]),
        ("It costs 3.5 dollars. Fine.", ["It costs 3.5 dollars.", "Fine."]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        # lost spaces that the mended text still has
        ("I left (again).Then I slept.", ["I left (again).", "Then I slept."]),
        ('He said "go".So I went.', ['He said "go".', "So I went."]),
        ("Well...You know.", ["Well...", "You know."]),
        # a wrapped line goes on, a list does not
        ("My life has\nalways been so.", ["My life has always been so."]),
        ("Try this:\n- Walk\n- Sleep", ["Try this:", "- Walk", "- Sleep"]),
        ("No stop\n\nhere", ["No stop", "here"]),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@given(st.text(st.sampled_from("aB .!?\n\"'()1"), max_size=60))
def test_no_character_but_space_is_lost_or_moved(text: str) -> None:
    assert "".join("".join(split(text)).split()) == "".join(text.split())


def test_addresses_are_left_out() -> None:
    assert without_addresses("Call, or see https://www.example.org/a.b?c=1 now.") == "Call, or see  now."
    assert without_addresses("Write to a.b@example.org today.") == "Write to  today."
