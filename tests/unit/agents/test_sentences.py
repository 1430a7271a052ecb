"""Where sentences end. Expected values follow from English usage: these stops shorten a word."""

from __future__ import annotations

import pytest

from counsel_core.agents._listening import tone_of
from counsel_core.agents._phrases import framed, opening_of, said_in
from counsel_core.agents._sentences import sentence_pieces


@pytest.mark.parametrize(
    "sentence",
    [
        "Mr. Hall rang at 9.30 about 1,240.50 euros.",
        "Dr. Osei and Mrs. Adeyemi both work at St. Mary's.",
        "I could sell something, e.g. the bike, or i.e. what I don't need.",
        "I called at 4 p.m. on Friday.",
        "It's no. 12 on the list.",
    ],
)
def test_a_short_form_ends_no_sentence(sentence: str) -> None:
    assert sentence_pieces(f"{sentence} Then I left.") == [sentence, "Then I left."]


def test_a_stop_without_a_short_form_ends_one() -> None:
    assert sentence_pieces("three weeks now. cold.\nOh well… and then?") == [
        "three weeks now.",
        "cold.",
        "Oh well…",
        "and then?",
    ]


def test_a_frame_that_was_used_comes_last() -> None:
    """An opening is known by its words, whatever it introduced."""
    frames = ["I hear you: {c}.", "So {c}.", "{C}. That counts."]
    said = said_in(["I hear you: you sleep badly.", "You eat late. That counts."])
    assert framed(frames, said, c="x", C="X") == ["So x.", "I hear you: x.", "X. That counts."]
    assert opening_of("I hear you: you sleep badly.") == opening_of("I hear you: it rains.")


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("I bought a laptop on credit.", "plain"),  # a deed, but nothing that was done about the problem
        ("I finally rang the bank.", "effort"),
        ("I finally rang the bank but hung up.", "plain"),  # it came to nothing: not praised
        ("I feel almost cheerful.", "hopeful"),
        ("I feel low.", "distress"),
    ],
)
def test_praise_is_for_an_effort_only(text: str, tone: str) -> None:
    assert tone_of(text) == tone
