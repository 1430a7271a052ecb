"""Every frame is held to its own examples; parts meet, are denied, cleared, or stand in earlier lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from counsel_core.errors import DataFileError
from counsel_core.records import LANGUAGES, RISK_LEVELS
from counsel_core.safety.frames import Frame, load_frames, read_frames
from counsel_core.safety.risk import check_risk, find_signals

FRAMES = [
    pytest.param(frame, id=f"{language}-{frame.pattern.name}")
    for language in LANGUAGES
    for frame in load_frames(language)
]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_finds_its_examples(frame: Frame) -> None:
    levels = [*RISK_LEVELS]
    for example in frame.pattern.examples:
        found = [one.level for one in find_signals(example) if one.pattern.name == frame.pattern.name]
        assert found, example
        assert levels.index(found[0]) >= levels.index(frame.pattern.level), example


@pytest.mark.parametrize("frame", [case for case in FRAMES if case.values[0].pattern.counterexamples])
def test_a_frame_leaves_its_counterexamples_alone(frame: Frame) -> None:
    for example in frame.pattern.counterexamples:
        assert frame.pattern.name not in {one.pattern.name for one in find_signals(example)}, example


def test_a_pronoun_reaches_back_two_lines_and_no_further() -> None:
    pills, calm, line = "I have forty tablets on the shelf.", "I slept badly.", "I'll take them all tonight."
    assert check_risk(line).level == "none"
    assert check_risk(line, previous=[pills]).level == "imminent"
    assert check_risk(line, previous=[pills, calm]).level == "imminent"
    assert check_risk(line, previous=[pills, calm, calm]).level == "none"


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("I have the pills here and I am going to take them all tonight.", "imminent"),
        ("I have the pills here and I am not going to take them all tonight.", "none"),
        ("I have the pills here. The doctor said I am going to take them all by Friday.", "none"),
        ("I have the pills here. It rains. It is late. I am going to take them all tonight.", "none"),
    ],
)
def test_the_words_around_the_parts_count(text: str, level: str) -> None:
    assert check_risk(text).level == level


def test_each_part_is_shown_as_evidence() -> None:
    text = "I\u2019ve got a rope in the garage and I\u2019ve picked the day."
    assert set(check_risk(text).evidence) >= {"picked the day", "rope"}


FRAME = """
[part]
a = ['x']
[[frame]]
name = "n"
level = "concern"
category = "suicide"
parts = ["a"]
examples = ["x"]
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FRAME.replace('["a"]', '["a", "b"]'), "unknown parts"),
        (FRAME.replace("parts", "unless"), "no 'parts'"),
        (FRAME.replace("examples", "colour = 1\nexamples"), "unknown keys"),
        (FRAME.replace("'x'", "'('"), "no regular expression"),
        (FRAME + FRAME[FRAME.index("[[") :], "twice"),
    ],
)
def test_a_wrong_file_is_refused_with_its_reason(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "frames.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError, match=said):
        read_frames(file, {})
