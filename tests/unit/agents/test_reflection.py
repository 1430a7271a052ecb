"""Saying back: what is said back is grammatical and safe; all else is not said back at all."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.agents._reflection import MAX_WORDS, echo, find_clause, plain_words, reflect, turn_round

# Each expected value follows from the rule of the person swap: I → you, am/was → are/were, my → your.
SAID_BACK = {
    "I'm worried about my rent.": "you're worried about your rent",
    "My landlord raised it and I can't pay.": "your landlord raised it and you can't pay",
    "My sister and I keep arguing about our mother.": "you and your sister keep arguing about your mother",
    "I'm behind on my rent and I lie awake at night": "you're behind on your rent and you lie awake at night",
    "She told me I'm lazy.": "she told you that you're lazy",
    "I was really tired last night": "you were really tired last night",
    "I wish I wasn't like this": "you wish you weren't like this",
    "I'll call him on Monday at 9.30 before work.": "you'll call him on Monday at 9.30 before work",
    "Maybe I could ask my boss for more shifts.": "you could ask your boss for more shifts",
    "I guess my boss is fed up with me": "you think your boss is fed up with you",
    "dont ask. im not sleeping 😢": "you're not sleeping",
    "Well, honestly, I miss him, you know.": "you miss him",
    "Sarah never calls me": "Sarah never calls you",
    "I CAN'T TAKE THIS ANYMORE": "you can't take this anymore",
    "I don’t get on with my flatmate": "you don't get on with your flatmate",
    "I moved to the US with my wife": "you moved to the US with your wife",
    "I can't change him, but I could leave earlier in the morning.": "you could leave earlier in the morning",
    # Verdicts come back as feelings, never as facts.
    "I'm such a failure": "you feel like a failure",
    "I'm just worthless": "you feel worthless",
    "Nobody cares about me.": "it feels as if nobody cares about you",
    "I always ruin everything": "it feels as if you always ruin everything",
}

NOT_SAID_BACK = [
    "",
    "...",
    "ok",
    "I don't know",
    "I'm fine.",
    "What should I do?",
    "my sister, mostly",
    "I sometimes don't speak to anyone for days",  # would sound like advice not to
    "Counselling, but my husband would never",  # cut off
    'He said "you are a waste"',
    "You don't understand me",
    "Thank you for asking me",
    "I think we should move",  # whose "you" would that be?
    "I went home and was sick",  # "you … and was"
    "This is fucking bullshit",
    "I want to die",
    "He hits me when he drinks",
    "My father died in May",
    "I said to her look love, it's over",
    "https://example.org is my site",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa is my word",
    "On the sofa, with a cup of tea, where we always fight.",  # no main clause
]


@pytest.mark.parametrize(("text", "expected"), SAID_BACK.items())
def test_says_back_in_the_second_person(text: str, expected: str) -> None:
    assert reflect(text) == expected


@pytest.mark.parametrize("text", NOT_SAID_BACK)
def test_says_nothing_back_where_that_is_not_safe(text: str) -> None:
    assert reflect(text) is None


def test_a_long_telling_comes_back_as_one_clause() -> None:
    text = (
        "Honestly, it's my studies, I have three exams in two weeks, I feel sick every morning, "
        "and my mother rings me every day to ask how it is going and whether I have eaten."
    )
    assert reflect(text) == "you feel sick every morning"


def test_the_clause_that_was_said_back_is_told() -> None:
    assert find_clause("My knee hurts. But I'm afraid of the doctor.") == (
        "But I'm afraid of the doctor",
        "you're afraid of the doctor",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My sister, mostly.", "your sister"),
        ("rent", "rent"),
        ("On Thursday evening, after my shift.", "on Thursday evening, after your shift"),
        ("call him", "call him"),
        ("ok", None),
        ("not sure", None),
        ("I sleep", None),
        ("What?", None),
        ("x" * 60, None),
    ],
)
def test_echoes_short_answers_only(text: str, expected: str | None) -> None:
    assert echo(text) == expected


def test_turns_a_whole_sentence_round_for_the_summing_up() -> None:
    assert (
        turn_round("And on Saturday I'll tell him at my place.")
        == "on Saturday you'll tell him at your place"
    )
    assert turn_round("Could you help me?") is None


def test_emoji_and_emoticons_do_not_count() -> None:
    assert plain_words("it’s  fine :) 🙂\n <3") == "it's fine"


WORDS = st.sampled_from(
    [
        *("I", "I'm", "my", "me", "we", "us", "you", "he", "she", "they", "it", "was", "am", "wasn't", "and"),
        *("but", "because", "if", "when", "rent", "sister", "sleep", "the", "a", "on", "Monday", "never"),
        *(
            "always",
            "nobody",
            "could",
            "will",
            "don't",
            "feel",
            "told",
            "said",
            "myself",
            "ours",
            ",",
            ".",
            ";",
        ),
    ]
)


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join)))
def test_whatever_is_said_no_first_person_comes_back(text: str) -> None:
    for said in (reflect(text), turn_round(text), echo(text)):
        if said is not None:
            assert not re.search(r"\b(?:I|me|my|mine|myself|we|our|ours)\b|\b[Ii]'", said)
            assert not re.search(r"\byou (?:am|was|wasn't)\b", said)
            assert "?" not in said
    clause = reflect(text)
    assert clause is None or 3 <= len(clause.split()) <= MAX_WORDS + 4  # "it feels as if" adds four
