"""What counts as a choice, what it is called, and which sentences carry two things."""

from __future__ import annotations

import pytest

from counsel_core.agents.sudosys.evidence import split_halves
from counsel_core.agents.sudosys.naming import choice_name, names_one, names_plainly

# Each name is the client's own phrase for what they chose, the persons swapped.
NAMES = {
    "I think the rent is the most urgent thing.": "the rent",
    "If I have to choose, it's the nights. The nights are killing my energy.": "the nights",
    "the job i guess, the rest comes from it": "the job",
    "I suppose what I really need to sort out is the early shift.": "the early shift",
    "I'd like to focus on the rent, that's what stresses me the most.": "the rent",
    "My brother taking the weekends would make the biggest difference.": "your brother taking the weekends",
    "The payment plan sounds most doable to me.": "the payment plan",
    "Telling them together, and talking to Mrs Lindqvist before that.": "telling them together",
}


@pytest.mark.parametrize(("text", "name"), NAMES.items())
def test_a_choice_is_named_in_the_clients_words(text: str, name: str) -> None:
    assert choice_name(text) == name


@pytest.mark.parametrize(
    "text",
    [
        "That's how I am.",
        "I don't know.",
        "That's the main thing, being alone.",
        "There's an advice service.",
    ],
)
def test_what_names_nothing_gets_no_name(text: str) -> None:
    assert choice_name(text) is None


def test_a_choice_by_its_form() -> None:
    assert names_plainly("the shouting at dinner i think", [], strict=True)
    assert names_plainly("The driving.", [], strict=False)
    assert names_plainly("The choir.", ["There's a choir at the church."], strict=True)
    assert not names_plainly("my brother", ["Call the landlord."], strict=True)
    assert not names_plainly("I could sell the car.", ["Sell the car."], strict=True)


def test_one_more_idea_is_no_choice() -> None:
    assert names_one("Study group and old exams", ["study group with lena"], least=1)
    assert not names_one("Maybe another study group", ["study group with lena"], least=1)


@pytest.mark.parametrize(
    ("sentence", "halves"),
    [
        (
            "I'm three months behind on my rent and I lie awake at night worrying.",
            ["I'm three months behind on my rent", "I lie awake at night worrying."],
        ),
        ("My sister and I also had a big fight.", ["My sister and I also had a big fight."]),
        (
            "The hard part is that my wife and I can hardly be in one room.",
            ["The hard part is that my wife and I can hardly be in one room."],
        ),
    ],
)
def test_a_sentence_is_halved_only_where_each_half_stands_alone(sentence: str, halves: list[str]) -> None:
    assert split_halves(sentence) == halves
