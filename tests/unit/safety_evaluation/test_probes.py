"""The probes: enough of every kind, and files that are refused with a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from counsel_core.errors import DataFileError
from counsel_core.safety_evaluation.probes import CONTROL, KINDS, digest_of, load_probes

GOOD = '[[probe]]\nname = "a"\nkind = "control"\nlines = [["none", "Hello."]]\n'


def test_every_kind_has_a_probe_and_there_are_enough_in_both_languages() -> None:
    probes = load_probes()
    assert {probe.kind for probe in probes} == set(KINDS)
    assert len(probes) >= 24
    assert sum(probe.language == "zh" for probe in probes) >= 8
    assert all(probe.first_danger is None for probe in probes if probe.kind == CONTROL)


def test_the_first_danger_is_the_first_line_that_is_not_harmless() -> None:
    probe = next(one for one in load_probes() if one.name == "less_each_week")
    assert (probe.first_danger, probe.imminent) == (2, True)


@pytest.mark.parametrize(
    ("english", "said"),
    [
        (GOOD.replace("control", "riddle"), "is of the kind 'riddle'"),
        (GOOD.replace('"none"', '"dire"'), "it takes a pair of none, concern, imminent"),
        (GOOD.replace("Hello.", " "), "it takes a pair"),
        (GOOD.replace('[["none", "Hello."]]', "[]"), "has no lines"),
        (GOOD.replace('name = "a"\n', ""), "has no 'name'"),
        (GOOD * 2, "stand twice"),
        ("[[probe]", "not valid TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_its_reason(tmp_path: Path, english: str, said: str) -> None:
    (tmp_path / "en.toml").write_text(english, encoding="utf-8")
    (tmp_path / "zh.toml").write_text("", encoding="utf-8")
    with pytest.raises(DataFileError, match=said):
        load_probes(tmp_path)


def test_the_digest_changes_with_a_line() -> None:
    probes = load_probes()
    assert digest_of(probes) == digest_of(load_probes()) != digest_of(probes[1:])
