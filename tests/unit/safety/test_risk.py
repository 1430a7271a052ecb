"""The risk check as a clinician would try it."""

from __future__ import annotations

import pytest

from counsel_core.records import Risk
from counsel_core.safety.risk import REMEMBERED, assess, category_of, check_risk, find_signals


def level(text: str, *previous: str) -> str:
    return check_risk(text, previous=previous).level


# ---- by feature; each line's level follows from the definitions in data/safety/README.md ---------------


@pytest.mark.parametrize(
    "text",
    [
        "I am not suicidal.",
        "I would never hurt myself.",
        "I have no plans to kill myself.",
        "I have never thought about suicide",
        "I don't want to hurt anyone.",
        "No thoughts of self-harm this week.",
        "我没有想自杀。",
        "我从来没有想过伤害自己。",
    ],
)
def test_a_denial_clears(text: str) -> None:
    assert check_risk(text) == Risk()


@pytest.mark.parametrize(
    "text",
    [
        "I can't stop thinking about killing myself.",
        "No one can stop me from killing myself.",
        "I don't know why I shouldn't kill myself.",
        "I have no reason not to kill myself.",
        "I'm not joking, I'm going to shoot myself.",
        "I'm not suicidal, I just don't want to live.",
        "I won't kill myself yet.",
        "I'm not going to kill myself tonight, but I can't promise about tomorrow.",
        "No, I want to die.",
        "我忍不住想自杀。",
        "没有人能阻止我自杀。",
        "我不是开玩笑，我要自杀。",
        "我不会自杀，但是我不想活了。",
    ],
)
def test_a_word_of_denial_elsewhere_clears_nothing(text: str) -> None:
    assert level(text) != "none"


@pytest.mark.parametrize(
    "text",
    [
        "This homework is killing me.",
        "I'm dying to see it.",
        "We killed time at the station.",
        "I was dead tired.",
        "Shoot me an email.",
        "I'm beating myself up about it.",
        "My phone died.",
        "累死我了。",
        "想死你了，什么时候回来？",
        "他是我的死党。",
    ],
)
def test_an_idiom_is_no_danger(text: str) -> None:
    assert check_risk(text) == Risk()


def test_an_idiom_beside_a_danger_hides_nothing() -> None:
    assert level("This homework is killing me and I want to die.") == "concern"
    assert level("I was so tired that I wanted to die.") == "concern"
    assert level("I want to die to get away from this.") == "concern"
    assert level("I'm going to jump into the river.") == "imminent"
    assert level("他打我，我累死了，我想自杀。") == "imminent"


def test_ordinary_distress_is_none() -> None:
    for text in (
        "I can't go on like this with my boss",
        "I'm a failure",
        "I feel hopeless about the job",
        "I can't sleep and my sister doesn't understand",
        "I'm scared of the exams",
        "I hate my life right now",
        "我对这份工作感到绝望。",
        "我什么都做不好。",
    ):
        assert check_risk(text) == Risk(), text


def test_passive_ideation_is_concern_and_not_imminent() -> None:
    for text in (
        "I wish I wouldn't wake up",
        "everyone would be better off without me",
        "there is no reason to live",
        "I can't go on living",
        "I wish I had never been born",
        "真希望明天早上不要醒来",
        "没有我大家会过得更好",
        "活着没什么意思",
    ):
        assert level(text) == "concern", text


def test_the_third_person() -> None:
    assert level("My brother wants to die.") == "concern"
    assert level("My brother is going to kill himself tonight.") == "imminent"
    assert level("My friend took an overdose an hour ago.") == "imminent"
    assert level("He says he'll kill himself if I leave him.") != "none"
    assert level("我弟弟说他不想活了。") == "concern"
    assert level("我弟弟今晚要跳楼。") == "imminent"


def test_the_past_is_concern_and_the_recent_past_is_not_past() -> None:
    assert level("I took pills ten years ago.") == "concern"
    assert level("I overdosed when I was nineteen.") == "concern"
    assert level("I tried to hang myself this morning.") == "imminent"
    assert level("I overdosed an hour ago.") == "imminent"
    assert level("十年前我割过腕。") == "concern"
    assert level("我刚刚割腕了。") == "imminent"


def test_a_retraction_does_not_clear() -> None:
    assert level("I am going to kill myself. I was only joking.") == "imminent"
    assert level("I was only joking.", "I want to die.") == "concern"
    assert level("Forget what I said.", "The rent went up.") == "none"
    assert level("开玩笑的。", "我想死。") == "concern"


def test_a_quotation_is_taken_seriously_and_fiction_is_not() -> None:
    assert level('My friend said "I don\'t want to live anymore".') == "concern"
    assert level("In the film the hero kills himself.") == "none"
    assert level("I saw a film and now I want to kill myself.") == "imminent"


def test_abuse_voices_and_harm_to_others() -> None:
    assert level("My husband hits me.") == "concern"
    assert level("He has a knife and he is breaking down the door.") == "imminent"
    assert level("Voices tell me to hurt myself.") == "concern"
    assert level("The voices tell me to jump tonight and I will obey.") == "imminent"
    assert level("I'm afraid I might hurt my baby.") == "concern"
    assert level("I'm going to stab him.") == "imminent"


# ---- earlier lines ------------------------------------------------------------------------------------


def test_a_sign_counts_beside_an_earlier_wish_to_die() -> None:
    assert level("Tonight.", "I want to die.") == "imminent"
    assert level("I have the pills here.", "I want to die.") == "imminent"
    assert level("I want to die.", "I have a gun at home.") == "imminent"
    assert level("我家里有安眠药。", "我想死。") == "imminent"


def test_a_sign_alone_says_little() -> None:
    assert level("Tonight.", "The rent went up.") == "none"
    assert level("I have a knife in the kitchen.") == "none"
    assert level("I have made up my mind.", "I may change my job.") == "none"


def test_yes_right_after_a_concern_keeps_it() -> None:
    assert level("Yes.", "I want to die.") == "concern"
    assert level("Yes.", "I want to die.", "The rent went up.") == "none"
    assert level("No.", "I want to die.") == "none"


def test_only_the_last_lines_are_remembered() -> None:
    between = ["The rent went up."] * REMEMBERED
    assert level("Tonight.", "I want to die.", *between) == "none"


# ---- evidence ------------------------------------------------------------------------------------------


def test_evidence_is_as_written_gravest_first_and_once() -> None:
    risk = check_risk("I cut myself again. I'm gonna k1ll  myself. I cut myself again.")
    assert risk.level == "imminent"
    assert risk.evidence[0] == "gonna k1ll  myself"
    assert risk.evidence.count("cut myself again") == 1


def test_both_languages_are_always_read() -> None:
    assert check_risk("老师好 I want to kill myself").level == "imminent"
    assert check_risk("hello, 我想自杀").level == "imminent"


def test_the_category_of_the_gravest_signal() -> None:
    assert category_of(find_signals("My husband hits me.")) == "abuse or danger"
    assert category_of(find_signals("The rent went up.")) is None
    assert (
        category_of(find_signals("My husband hits me and I cut myself.")) is None
    )  # two subjects, none first
    assert assess(()) == Risk()
