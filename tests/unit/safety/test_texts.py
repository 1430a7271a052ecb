"""The fixed texts: content that must never be missing, wording that varies, promises never made."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest

from counsel_core.errors import UnknownNameError
from counsel_core.records import LANGUAGES, Language
from counsel_core.safety.patterns import CATEGORIES
from counsel_core.safety.reply import check_reply
from counsel_core.safety.resources import load_resources, regions
from counsel_core.safety.texts import (
    NOTICE,
    Subject,
    blocked_reply,
    concern_question,
    imminent_reply,
    subject_of,
)

SUBJECTS: tuple[Subject, ...] = get_args(Subject)

# What each wording of the imminent reply must hold, whatever is said around it.
CONTENT = {
    "asks": {"en": r"\?", "zh": "？"},
    "a person": {
        "en": r"someone (?:you trust|else|who can)|somebody|another person|get someone|a person|Let some",
        "zh": "信任的人|另一个|告诉一个|一个人来|别人|让人",
    },
    "distance from means": {
        "en": r"distance|move away|Walk away|away from|towards a way out|out of your reach|removed|leave"
        r"|out of their reach|Go somewhere else|locked door",
        "zh": "拉开距离|远离|离开|拿走|够不着|先走开|别的地方|拿开|隔开",
    },
    "is a program": {"en": "program", "zh": "程序"},
    "stays": {"en": r"writ|I will answer|I am here", "zh": "写|回答"},
}
SUICIDE = {
    "en": "killing yourself|end(?:ing)? your life|suicide|life (?:at risk|in danger)|anyone's life",
    "zh": "自杀|结束自己的生命|生命危险",
}
SUICIDE_OR_ACT = {
    "en": SUICIDE["en"] + "|act on this|hurt yourself",
    "zh": SUICIDE["zh"] + "|真的去做|伤害自己",
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("seen", range(12))
def test_every_wording_of_the_reply_holds_all_of_it(language: Language, subject: Subject, seen: int) -> None:
    text = imminent_reply(language, "uk", seen, subject=subject)
    for content, words in CONTENT.items():
        assert re.search(words[language], text), content
    for resource in load_resources("uk", language):
        assert resource.name in text
        assert resource.reach in text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("subject", ["general", "self"])
@pytest.mark.parametrize("seen", range(4))
def test_it_asks_about_suicide_in_plain_words(language: Language, subject: Subject, seen: int) -> None:
    assert re.search(SUICIDE_OR_ACT[language], imminent_reply(language, seen=seen, subject=subject))
    assert re.search(SUICIDE[language], concern_question(language, subject=subject, seen=seen))


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_no_recording(language: Language) -> None:
    first = [imminent_reply(language, seen=seen) for seen in range(12)]
    assert len(set(first)) == 12
    # No part but the contacts and their note comes twice in a row.
    for one, next_one in pairwise(first):
        same = set(one.split("\n\n")) & set(next_one.split("\n\n"))
        assert not same


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_no_fixed_text_breaks_the_rules_for_replies(language: Language, subject: Subject) -> None:
    for seen in range(12):
        assert check_reply(imminent_reply(language, seen=seen, subject=subject)) == ()
        assert check_reply(concern_question(language, seen=seen, subject=subject)) == ()
    assert check_reply(blocked_reply(language)) == ()
    assert check_reply(NOTICE[language]) == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_unconfirmed_contacts_are_called_so_and_confirmed_ones_are_not(
    language: Language, tmp_path: Path
) -> None:
    note = {"en": "not yet confirmed", "zh": "还没有核实"}[language]
    assert note in imminent_reply(language, "us")
    own = tmp_path / "resources.toml"
    own.write_text(
        '[[region]]\ncode = "us"\nlabel = "Here"\n[[region.entry]]\nname = "Night desk"\nreach = "call 12"\n'
        'source = "the desk"\nverified = true\n',
        "utf-8",
    )
    text = imminent_reply(language, "us", resources_file=own)
    assert note not in text
    assert "Night desk" in text
    assert "988" not in text


def test_the_default_region_is_unknown_and_names_the_local_number() -> None:
    assert "your local emergency number" in imminent_reply("en")
    assert "当地的紧急电话" in imminent_reply("zh")
    assert "unknown" not in regions()
    with pytest.raises(UnknownNameError, match="atlantis"):
        imminent_reply("en", "atlantis")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_question_at_concern_names_help_and_varies(language: Language) -> None:
    help_named = {"en": "local emergency number", "zh": "当地的紧急电话"}[language]
    for subject in SUBJECTS:
        wordings = {concern_question(language, subject=subject, seen=seen) for seen in range(4)}
        assert len(wordings) > 1
        assert all(
            help_named in wording and re.search(CONTENT["asks"][language], wording) for wording in wordings
        )


def test_the_notice_says_what_this_is_not() -> None:
    assert "research tool" in NOTICE["en"]
    assert "not a medical device" in NOTICE["en"]
    assert "not for people in crisis" in NOTICE["en"]
    assert all(part in NOTICE["zh"] for part in ("研究工具", "不是医疗器械", "不适合处于危机中的人"))


def test_every_category_has_a_subject() -> None:
    assert {subject_of(category) for category in CATEGORIES} == set(SUBJECTS)
    assert subject_of(None) == "general"


def test_the_texts_of_both_languages_have_the_same_parts() -> None:
    for subject in SUBJECTS:
        # 5 x 4 x 4 x 3 x 3 x 4 wordings: the replies repeat only after their least common multiple, 60.
        for language in LANGUAGES:
            assert imminent_reply(language, seen=0, subject=subject) == imminent_reply(
                language, seen=60, subject=subject
            )
