"""Reading a client's line: its sentences to the letter, and what kind of thing each of them is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.agents._utterance import read_line, sounds_distressed, sounds_hopeful, split_sentences


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("ok", "filler"),
        ("I don't know", "filler"),
        ("Thank you very much!", "filler"),
        ("🙂", "filler"),
        ("Sorry, I'm just rambling.", "filler"),
        ("My rent went up.", "content"),
        ("100 euros", "content"),
        ("When I lie down I think of money", "content"),
        ("I'd like to go back to work", "content"),
        ("I can't go on like this", "content"),
        ("I want to move on from him", "content"),
        ("What should I do?", "question"),
        ("what should i do", "question"),
        ("Tell me a joke.", "question"),
        ("what do you mean", "question"),
        ("Can I go back to him?", "question"),
        ("Can we go back to the list?", "request"),
        ("I think I picked the wrong problem.", "request"),
        ("can we move on", "request"),
        ("what's next?", "request"),
        ("I can't choose.", "undecided"),
        ("You decide", "undecided"),
        ("You are useless", "complaint"),
        ("this is bullshit", "complaint"),
        ("I already told you", "complaint"),
        ("just kidding", "joke"),
        ("我睡不好觉。", "foreign"),
    ],
)
def test_tells_kinds_of_sentences(text: str, kind: str) -> None:
    assert [sentence.kind for sentence in read_line(text).sentences] == [kind]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("yes", "agree"),
        ("no", "decline"),
        ("not sure", "unsure"),
        ("thanks!", "thanks"),
        ("hi", "greeting"),
        ("bye", "farewell"),
        ("No, that's all.", "done"),
        ("I lost my job.", ""),
    ],
)
def test_tells_what_a_short_answer_amounts_to(text: str, answer: str) -> None:
    assert read_line(text).answer == answer


def test_back_goes_before_on() -> None:
    line = read_line("Can we go back? Or can we move on?")
    assert line.wants_back
    assert not line.wants_on


@pytest.mark.parametrize(
    "text",
    [
        "I want to die",
        "he hits me",
        "I don't want to wake up",
        "they'd be better off without me",
        "I cut myself",
    ],
)
def test_notices_danger(text: str) -> None:
    assert read_line(text).in_danger


@pytest.mark.parametrize(
    "text",
    [
        "this is killing me",
        "my father died",
        "I'm dying to see her",
        "the deadline is Friday",
        "I cut my hours",
    ],
)
def test_takes_no_idiom_for_danger(text: str) -> None:
    assert not read_line(text).in_danger


def test_tone_heeds_denial() -> None:
    assert sounds_distressed("I feel so alone")
    assert not sounds_distressed("I'm not alone with it")
    assert sounds_hopeful("I feel relieved")
    assert not sounds_hopeful("I feel relieved and afraid")


def test_abbreviations_and_figures_end_no_sentence() -> None:
    assert split_sentences("It's 9.30 at Mr. Hall's. I wait… then what?") == (
        "It's 9.30 at Mr. Hall's.",
        "I wait…",
        "then what?",
    )


@given(st.text(max_size=400))
def test_sentences_are_the_clients_to_the_letter(text: str) -> None:
    for sentence in split_sentences(text):
        assert sentence.strip()
        # Only blanks may differ, where pieces were joined.
        assert "".join(sentence.split()) in "".join(text.split())
