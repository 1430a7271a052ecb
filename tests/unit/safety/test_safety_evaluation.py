"""The labelled set, the shares measured on it, and the figures that ship."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import DataFileError
from counsel_core.records import RISK_LEVELS, Risk
from counsel_core.safety import evaluation as ev
from counsel_core.safety.risk import check_risk
from counsel_core.safety.screening import screen

LINES = [
    ("imminent", "a1", "imminent"),
    ("imminent", "a2", "concern"),
    ("imminent", "a3", "none"),
    ("concern", "b1", "imminent"),
    ("concern", "b2", "none"),
    ("none", "c1", "none"),
    ("none", "c2", "concern"),
]


def labelled(level: str, text: str, **changes: str) -> ev.LabelledUtterance:
    values = {"half": "untouched", "language": "en", "category": "k", "feature": "plain"} | changes
    return ev.LabelledUtterance(level=level, text=text, **values)  # type: ignore[arg-type]


@pytest.fixture
def measured() -> ev.Measured:
    found = {text: level for _, text, level in LINES}
    return ev.measure([labelled(level, text) for level, text, _ in LINES], lambda t: Risk(found[t]), "test")


def test_the_shares_are_counted_by_hand(measured: ev.Measured) -> None:
    counts = {key: (one.count, one.n) for key, one in measured.shares().items()}
    assert counts == {
        "imminent_raised": (2, 3),
        "imminent_as_imminent": (1, 3),
        "concern_raised": (1, 2),
        "concern_not_imminent": (1, 2),
        "none_kept": (1, 2),
    }
    assert [one.text for one, _ in measured.misses] == ["a3", "a2", "b2"]
    assert [one.text for one, _ in measured.false_alarms] == ["c2"]


def test_a_part_without_lines_has_no_share_and_no_interval(measured: ev.Measured) -> None:
    one = measured.shares(language="zh")["none_kept"]
    assert (one.n, one.value, one.low, one.high) == (0, None, None, None)


@given(st.integers(0, 50), st.integers(1, 50))
def test_an_interval_holds_its_share(count: int, more: int) -> None:
    one = ev.share(count, count + more)
    assert 0 <= one.low <= one.value + 1e-6
    assert one.value - 1e-6 <= one.high <= 1


def test_the_wilson_interval_is_the_published_one() -> None:
    # Newcombe 1998, Statistics in Medicine 17, table I: 81 of 263, Wilson without correction.
    one = ev.share(81, 263)
    assert (round(one.low, 4), round(one.high, 4)) == (0.2553, 0.3662)


def test_the_set_is_large_and_in_two_halves_that_share_no_line() -> None:
    lines = ev.read_labelled()
    assert len(lines) >= 300
    assert {one.half for one in lines} == {"tune", "untouched"}
    assert len({one.text for one in lines}) == len(lines)
    for half in ev.HALVES:
        for language in ("en", "zh"):
            for level in RISK_LEVELS:
                assert (
                    sum((one.half, one.language, one.level) == (half, language, level) for one in lines) > 50
                )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("text,level\nx,none\n", "lacks the columns"),
        ("half,language,level,category,feature,text\na,en,dire,c,f,x\n", "key level: it is 'dire'"),
        ("half,language,level,category,feature,text\na,fr,none,c,f,x\n", "key language: it is 'fr'"),
        ("half,language,level,category,feature,text\na,en,none,c,f, \n", "key text: it is empty"),
        ("half,language,level,category,feature,text\na,en\n", "key level"),
    ],
)
def test_a_wrong_file_is_named_by_line_and_key(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "lines.csv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(DataFileError, match=said):
        ev.read_labelled(file)


def test_a_file_that_is_not_there_and_a_half_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="cannot be read"):
        ev.read_labelled(tmp_path / "none.csv")
    with pytest.raises(DataFileError, match="none of the half"):
        ev.measure([labelled("none", "x")], check_risk, "rules", "other")


@pytest.mark.parametrize(("place", "check", "apart"), [(0, check_risk, 0), (1, screen, 3)])
@pytest.mark.parametrize(
    ("which", "file", "half"), [("untouched", ev.LABELLED, "untouched"), ("by others", ev.BY_OTHERS, None)]
)
def test_the_figures_that_ship_are_those_of_this_code(
    which: str, file: Path, half: str | None, place: int, check: ev.Check, apart: int
) -> None:
    """If this fails after a change of rules or weights: `evaluate-safety --write` makes them anew.

    An int8 model's last digits differ between processors: a line at a threshold may fall to its other side.
    """
    told = ev.load_figures()[which][place]
    found = ev.measure(ev.read_labelled(file), check, told["check"], half)
    for part, shares in ev.totals_of(found)["shares"].items():
        for key, one in shares.items():
            assert abs(one["count"] - told["shares"][part][key]["count"]) <= apart
            assert one["n"] == told["shares"][part][key]["n"]


def test_figures_hold_no_line(tmp_path: Path, measured: ev.Measured) -> None:
    file = tmp_path / "figures.json"
    ev.write_figures({"untouched": [measured]}, file)
    told = ev.load_figures(file)["untouched"][0]
    assert told["shares"]["all"]["none_kept"] == asdict(measured.shares()["none_kept"])
    assert "a1" not in file.read_text(encoding="utf-8")
    file.write_text("[", encoding="utf-8")
    with pytest.raises(DataFileError, match="restore it"):
        ev.load_figures(file)
