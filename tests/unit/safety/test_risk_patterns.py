"""Every pattern and idiom is held to its own examples; a wrong file is refused with its reason."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from counsel_core.errors import DataFileError
from counsel_core.records import LANGUAGES, RISK_LEVELS
from counsel_core.safety.normalise import normalise
from counsel_core.safety.patterns import (
    CATEGORIES,
    SAFETY_DATA,
    Idiom,
    Pattern,
    load_patterns,
    read_patterns,
)
from counsel_core.safety.reply import load_reply_rules
from counsel_core.safety.risk import check_risk, find_signals

PATTERNS = [
    pytest.param(pattern, id=f"{language}-{pattern.name}")
    for language in LANGUAGES
    for pattern in load_patterns(language).patterns
]
IDIOMS = [
    pytest.param(idiom, id=f"{language}-{idiom.examples[0]}")
    for language in LANGUAGES
    for idiom in load_patterns(language).idioms
]


def rank(level: str) -> int:
    return [*RISK_LEVELS].index(level)  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_finds_its_examples(pattern: Pattern) -> None:
    for example in pattern.examples:
        levels = [signal.level for signal in find_signals(example) if signal.pattern.name == pattern.name]
        assert levels, example
        assert max(map(rank, levels)) >= rank(pattern.level), example


@pytest.mark.parametrize("pattern", [case for case in PATTERNS if case.values[0].counterexamples])
def test_a_pattern_leaves_its_counterexamples_below_its_level(pattern: Pattern) -> None:
    for example in pattern.counterexamples:
        levels = [signal.level for signal in find_signals(example) if signal.pattern.name == pattern.name]
        assert all(rank(level) < rank(pattern.level) for level in levels), example


@pytest.mark.parametrize("idiom", IDIOMS)
def test_an_idiom_is_found_and_raises_nothing(idiom: Idiom) -> None:
    for example in idiom.examples:
        assert idiom.regex.search(normalise(example).text), example
        assert check_risk(example).level == "none", example


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_category_has_patterns_of_both_levels(language: str) -> None:
    found = {(pattern.category, pattern.level) for pattern in load_patterns(language).patterns}  # type: ignore[arg-type]
    assert {(category, level) for category in CATEGORIES for level in ("concern", "imminent")} <= found


@pytest.mark.parametrize("file", ["risk_en", "risk_zh", "reply_en", "reply_zh"])
def test_lines_are_short_enough_to_review(file: str) -> None:
    long = [
        line for line in (SAFETY_DATA / f"{file}.toml").read_text("utf-8").splitlines() if len(line) > 117
    ]
    assert not long


@pytest.mark.parametrize("language", LANGUAGES)
def test_frames_fit_a_screen(language: str) -> None:
    assert all(
        len(line) < 180 for line in (SAFETY_DATA / f"frames_{language}.toml").read_text("utf-8").splitlines()
    )


def _unbounded_inside_unbounded(regex: str) -> list[str]:
    """Return the groups that repeat without bound and hold something that does so too."""
    found, opened, place, in_class = [], [], 0, False
    while place < len(regex):
        letter = regex[place]
        if letter == "\\":
            place += 2
            continue
        if in_class:
            in_class = letter != "]"
        elif letter == "[":
            in_class = True
        elif letter == "(":
            opened.append(place)
        elif letter == ")":
            start = opened.pop()
            repeats = re.match(r"[*+]|\{\d*,\}", regex[place + 1 :])
            group = regex[start : place + 1]
            if repeats and re.search(r"(?<!\\)[*+](?!\?)", re.sub(r"\[[^\]]*\]", "", group)):
                found.append(group)
        place += 1
    return found


def test_the_scanner_sees_a_catastrophic_expression() -> None:
    assert _unbounded_inside_unbounded("(?:a+b)*c") == ["(?:a+b)*"[:-1]]
    assert not _unbounded_inside_unbounded(r"(?:a |b ){0,3}\w+")


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_expression_can_explode(language: str) -> None:
    book = load_patterns(language)  # type: ignore[arg-type]
    expressions = [pattern.regex for pattern in book.patterns] + [idiom.regex for idiom in book.idioms]
    expressions += [*book.contexts.values()]
    for rule in load_reply_rules(language):  # type: ignore[arg-type]
        expressions += [rule.regex, rule.unless]
    for expression in expressions:
        assert not _unbounded_inside_unbounded(expression.pattern)


GOOD = """
[context]
denial = ['not $']
residue_before = ['x']
residue_after = ['x']
past = ['ago']
recent = ['now']
hedge_before = ['x']
hedge_after = ['x']
fiction = ['film']
someone = ['he']

[[pattern]]
name = "a"
level = "concern"
category = "suicide"
find = ['die']
examples = ["die"]
"""


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("level = ", "lvl = "), "unknown keys"),
        (('level = "concern"\n', ""), "has no 'level'"),
        (('"concern"', '"severe"'), "severe"),
        (('"suicide"', '"sadness"'), "sadness"),
        (("find = ['die']", "find = ['(die']"), "no regular expression"),
        (("find = ['die']", "find = ['<verb>']"), "unknown list <verb>"),
        (('examples = ["die"]', ""), "has no 'examples'"),
        (('examples = ["die"]', 'examples = ["die"]\nsign = "mood"'), "mood"),
        (("fiction = ['film']\n", ""), "expected"),
        (("[[pattern]]", "[[pattern"), "not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_reason(
    tmp_path: Path, change: tuple[str, str], reason: str
) -> None:
    path = tmp_path / "risk.toml"
    path.write_text(GOOD.replace(*change), "utf-8")
    with pytest.raises(DataFileError, match=re.escape(reason)):
        read_patterns(path, "en")


def test_a_good_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "risk.toml"
    path.write_text(GOOD, "utf-8")
    assert [pattern.name for pattern in read_patterns(path, "en").patterns] == ["a"]
    path.write_text(GOOD + GOOD[GOOD.index("[[pattern]]") :], "utf-8")
    with pytest.raises(DataFileError, match="twice"):
        read_patterns(path, "en")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"nowhere\.toml"):
        read_patterns(tmp_path / "nowhere.toml", "en")


def test_the_character_pairs_are_pairs() -> None:
    lists = tomllib.loads((SAFETY_DATA / "spelling.toml").read_text("utf-8"))
    assert all(len(pair) == 2 for pair in lists["simplified"]["pairs"].split())
