"""The contacts: each has a source, none is confirmed as shipped, a user's file is laid over them."""

from __future__ import annotations

from pathlib import Path

import pytest

from counsel_core.errors import DataFileError, UnknownNameError
from counsel_core.safety.resources import UNKNOWN_REGION, load_resources, regions

OWN = """
[[region]]
code = "uk"
label = { en = "Here", zh = "这里" }
[[region.entry]]
name = { en = "Night desk", zh = "夜间值班" }
reach = { en = "call 12", zh = "拨打 12" }
source = "the clinic"
verified = true
"""


@pytest.mark.parametrize("region", [UNKNOWN_REGION, *regions()])
def test_every_region_is_whole_in_both_languages(region: str) -> None:
    english, chinese = load_resources(region, "en"), load_resources(region, "zh")
    assert len(english) == len(chinese) > 0
    for one, other in zip(english, chinese, strict=True):
        assert one.source == other.source != ""
        assert not one.verified, "what is shipped is confirmed by whoever deploys it, not by us"
        assert all((one.name, one.reach, other.name, other.reach))


@pytest.mark.parametrize(
    ("region", "number"),
    [
        # Published by the bodies that `resources.toml` names as sources.
        ("us", "988"),
        ("us", "911"),
        ("uk", "116 123"),
        ("ireland", "116 123"),
        ("eu", "112"),
        ("china", "12356"),
        ("china", "120"),
        ("china", "110"),
        ("australia", "13 11 14"),
    ],
)
def test_well_known_numbers(region: str, number: str) -> None:
    assert any(number in resource.reach for resource in load_resources(region))


def test_labels_are_in_the_language_asked_for() -> None:
    assert regions("en")["china"] == "Mainland China"
    assert regions("zh")["china"] == "中国大陆"


def test_a_users_file_replaces_and_adds(tmp_path: Path) -> None:
    own = tmp_path / "resources.toml"
    own.write_text(OWN + OWN.replace('"uk"', '"here"'), "utf-8")
    assert [one.name for one in load_resources("uk", "en", own)] == ["Night desk"]
    assert [one.reach for one in load_resources("here", "zh", own)] == ["拨打 12"]
    assert load_resources("uk", "en", own)[0].verified
    assert "here" in regions("en", own)
    assert "here" not in regions("en")
    assert load_resources("us", "en", own) == load_resources("us")


def test_a_users_file_need_not_exist(tmp_path: Path) -> None:
    assert load_resources("uk", "en", tmp_path / "resources.toml") == load_resources("uk")


def test_an_unknown_region_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="atlantis") as caught:
        load_resources("atlantis")
    assert "uk" in caught.value.choices


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (('source = "the clinic"\n', ""), "no 'source'"),
        (('source = "the clinic"', 'source = " "'), "needs a source"),
        (("verified = true", 'verified = "yes"'), "needs a source and verified"),
        ((', zh = "拨打 12"', ""), "no words for 'zh'"),
        (('code = "uk"\n', ""), "no 'code'"),
        (("[[region.entry]]", "[[region.contact]]"), "no 'entry'"),
    ],
)
def test_a_wrong_file_is_refused_with_its_reason(
    tmp_path: Path, change: tuple[str, str], reason: str
) -> None:
    own = tmp_path / "resources.toml"
    own.write_text(OWN.replace(*change), "utf-8")
    with pytest.raises(DataFileError, match=reason):
        load_resources("uk", "en", own)
