"""Protocols: what is shipped, what a user may write, and how a wrong file is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counsel_core.agents.sudosys._toml_lines import line_of
from counsel_core.agents.sudosys.protocol import (
    MAX_BYTES,
    SHIPPED,
    from_json,
    list_protocols,
    load_protocol,
    read_protocol,
    to_json,
)
from counsel_core.errors import DataFileError, UnknownNameError

NOWHERE = Path("no-such-folder")

SMALL = """\
title = "Two steps"
language = "en"
source = "a test"

[[stages]]
number = 1
name = "First"
purpose = "To begin."
instruction = \"\"\"
Listen.
[[stages]] in a text is no table
\"\"\"
go_on = "When it is said."
go_back = "Never."
opening = "Hello."

[stages.topics]
worry = "What worries the client"

[[stages]]
number = 2
name = "Second"
purpose = "To end."
instruction = "Sum up."
go_on = "When all is said."
go_back = "When something is missing."
opening = "And now?"
turns = 2

[stages.topics.plan]
about = "What the client will do"
required = false
question = "What will you do?"
cues = ["i'll"]
"""


def test_the_seven_steps_are_those_of_pm_plus() -> None:
    # The seven steps of Managing Problems as the brief of this agent lists them.
    expected = ["listing", "choosing", "defining", "ideas", "deciding", "action plan", "review"]
    names = [stage.name.lower() for stage in load_protocol("pm_plus_en", NOWHERE).stages]
    assert len(names) == 7
    assert all(word in name for word, name in zip(expected, names, strict=True))


def test_the_chinese_protocol_has_the_same_stages_and_topics() -> None:
    english, chinese = (load_protocol(name, NOWHERE) for name in ("pm_plus_en", "pm_plus_zh"))
    assert chinese.language == "zh"
    assert [stage.keys for stage in chinese.stages] == [stage.keys for stage in english.stages]


def test_six_stages_are_without_a_review() -> None:
    six, seven = (load_protocol(name, NOWHERE) for name in ("sudosys_six_stage_en", "pm_plus_en"))
    assert [stage.name for stage in six.stages] == [stage.name for stage in seven.stages[:6]]


@pytest.mark.parametrize("name", ["pm_plus_en", "pm_plus_zh", "sudosys_six_stage_en"])
def test_shipped_protocols_are_attributed_and_whole(name: str) -> None:
    protocol = load_protocol(name, NOWHERE)
    assert "PM+" in protocol.source or "Problem Management Plus" in protocol.source
    assert "WHO" in protocol.notice or "世界卫生组织" in protocol.notice
    assert "support" in protocol.stage(6).keys
    for stage in protocol.stages:
        assert any(topic.required for topic in stage.topics)
        for topic in stage.topics:
            choices = [
                other.key for earlier in protocol.stages[: stage.number - 1] for other in earlier.topics
            ]
            assert not topic.chosen_from or topic.chosen_from in choices


@pytest.mark.parametrize("name", ["pm_plus_en", "sudosys_six_stage_en"])
def test_no_question_stands_in_two_places(name: str) -> None:
    protocol = load_protocol(name, NOWHERE)
    questions = [
        q for stage in protocol.stages for topic in stage.topics for q in (*topic.questions, *topic.more)
    ]
    assert len(questions) == len(set(questions))


@pytest.mark.parametrize("name", ["pm_plus_en", "pm_plus_zh", "sudosys_six_stage_en"])
def test_goes_to_json_and_back(name: str) -> None:
    protocol = load_protocol(name, NOWHERE)
    assert from_json(json.loads(json.dumps(to_json(protocol)))) == protocol


def test_reads_a_small_file_with_short_and_long_topics() -> None:
    protocol = read_protocol(SMALL.encode(), "two_steps.toml")
    assert (protocol.name, protocol.last) == ("two_steps", 2)
    assert protocol.stage(1).topics[0].about == "What worries the client"
    assert protocol.stage(1).topics[0].required
    assert protocol.stage(1).turns == 1  # the number of its topics
    plan = protocol.stage(2).topics[0]
    assert (plan.required, plan.questions, plan.cues) == (False, ("What will you do?",), ("i'll",))
    assert from_json(to_json(protocol)) == protocol


def test_windows_line_ends_and_a_mark_at_the_start_are_read() -> None:
    assert read_protocol(("\ufeff" + SMALL.replace("\n", "\r\n")).encode(), "two.toml").last == 2


# (what is replaced, by what, line of the complaint, its key, a word of its reason)
WRONG = [
    ('language = "en"', 'language = "fr"', 2, "language", '"en" or "zh"'),
    ('title = "Two steps"\n', "", 1, "title", "missing"),
    ("number = 2", "number = 3", 21, "stages.2.number", "1, 2, 3"),
    ("number = 2", 'number = "2"', 21, "stages.2.number", "whole number"),
    ("number = 2", "number = true", 21, "stages.2.number", "whole number"),
    ('opening = "And now?"', 'opening = " "', 27, "stages.2.opening", "empty"),
    ('opening = "And now?"', "", 20, "stages.2.opening", "missing"),
    ('purpose = "To end."', "purpose = 7", 23, "stages.2.purpose", "takes a text"),
    ('name = "Second"', 'name = "Second"\ncolour = "red"', 23, "stages.2.colour", "not known"),
    ("required = false", 'required = "no"', 32, "stages.2.topics.plan.required", "true or false"),
    ('cues = ["i\'ll"]', "cues = [1]", 34, "stages.2.topics.plan.cues", "list of texts"),
    ('about = "What the client will do"\n', "", 30, "stages.2.topics.plan.about", "missing"),
    ("turns = 2", "turns = 0", 28, "stages.2.turns", "from 1"),
    ('worry = "What worries the client"', "", 17, "stages.1.topics", "no topic"),
    ('worry = "What', 'Worry = "x"\nworry = "What', 19, "stages.1.topics.worry", "must differ"),
    ('worry = "What worries the client"', "worry = 3", 18, "stages.1.topics.worry", "about"),
]


@pytest.mark.parametrize(("old", "new", "line", "key", "reason"), WRONG)
def test_a_wrong_file_is_refused_with_line_key_and_reason(
    old: str, new: str, line: int, key: str, reason: str
) -> None:
    assert old in SMALL
    with pytest.raises(DataFileError, match=r"mine\.toml") as error:
        read_protocol(SMALL.replace(old, new).encode(), "mine.toml")
    assert (error.value.line, error.value.key) == (line, key)
    assert reason in error.value.reason


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        (b"title = 'x'\nstages = [", 2, "not valid TOML"),
        (b"title = \xff", 1, "UTF-8"),
        (b"", 1, "missing"),
        (b"title = " + b"[" * 9000, None, "nested too deep"),
        (b"title = 't'\nstages = " + b"1" * 5000, 2, "not valid TOML"),
        (b"title = 't'\nlanguage = 'en'\nsource = 's'\nstages = 3", 4, r"\[\[stages\]\]"),
        (b"title = 't'\nlanguage = 'en'\nsource = 's'\nstages = []", 4, r"\[\[stages\]\]"),
        (b"[[stages]]\nnumber = 1", 1, "missing"),
    ],
)
def test_what_is_no_protocol_is_refused(content: bytes, line: int | None, reason: str) -> None:
    with pytest.raises(DataFileError, match=reason) as error:
        read_protocol(content, "mine.toml")
    assert error.value.line == line


def test_a_users_protocol_is_found_by_name_and_by_path(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SMALL, "utf-8")
    assert load_protocol("mine", tmp_path) == load_protocol(str(tmp_path / "mine.toml"), NOWHERE)


def test_an_unknown_name_lists_the_choices(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(SMALL, "utf-8")
    with pytest.raises(
        UnknownNameError, match=r"mine, pm_plus_en, pm_plus_zh, sudosys_six_stage_en"
    ) as error:
        load_protocol("pm_minus", tmp_path)
    assert error.value.given == "pm_minus"


def test_a_topic_is_chosen_from_one_of_an_earlier_stage() -> None:
    for given in ("nothing_of_this_name", "plan"):  # the second is the topic itself
        wrong = SMALL.replace("[stages.topics.plan]", f'[stages.topics.plan]\nchosen_from = "{given}"')
        with pytest.raises(
            DataFileError, match=f"it is '{given}'; it takes the key of a topic of an earlier"
        ) as error:
            read_protocol(wrong.encode(), "mine.toml")
        assert (error.value.line, error.value.key) == (31, "stages.2.topics.plan.chosen_from")


@pytest.mark.parametrize(
    "name",
    ["", ".", "/", "../pm_plus_en", "/etc/passwd", "~no-such-user/x.toml", "x" * 5000 + ".toml", "a\0.toml"],
)
def test_no_other_file_is_opened(name: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError):
        load_protocol(name, tmp_path)


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "big.toml").write_bytes(b"#" * (MAX_BYTES + 1))
    with pytest.raises(DataFileError, match="larger than 256 KB"):
        load_protocol("big", tmp_path)


def test_the_list_has_wrong_files_with_their_error(tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("title = 1", "utf-8")
    listed = {entry.name: entry for entry in list_protocols(tmp_path)}
    assert set(listed) == {"broken", *(file.stem for file in SHIPPED.glob("*.toml"))}
    assert listed["broken"].protocol is None
    assert "broken.toml" in str(listed["broken"].error)
    assert listed["pm_plus_en"].protocol == load_protocol("pm_plus_en", tmp_path)


def test_a_users_file_cannot_stand_in_for_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "pm_plus_en.toml").write_text(SMALL, "utf-8")
    assert load_protocol("pm_plus_en", tmp_path).last == 7


def test_lines_are_counted_through_texts_of_many_lines() -> None:
    assert line_of(SMALL, ("stages", 1)) == 20
    assert line_of(SMALL, ("stages", 0, "instruction")) == 9
    assert line_of(SMALL, ("stages", 1, "topics", "plan", "cues")) == 34
    assert line_of(SMALL, ("stages", 1, "topics", "plan", "nothing")) == 30
