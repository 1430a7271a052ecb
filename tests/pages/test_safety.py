"""The Safety page: what the risk check reaches, what it misses, what the levels mean."""

from __future__ import annotations

import pytest

from counsel_core.safety.evaluation import TARGETS, load_figures
from pages._ui.safety_figures import alarms_frame, shares_frame


def test_the_figures_that_ship_are_shown_with_counts_and_aims(visit) -> None:
    page = visit("safety")
    assert "by two authors who knew neither" in page.words
    page.app.segmented_control(key="safety_set").set_value("untouched").run()
    rules, both = load_figures()["untouched"]
    assert "No pattern, weight or threshold was set by them" in page.words
    metric = {one.label: one.value for one in page.app.metric}
    one = both["shares"]["all"]["concern_raised"]
    assert metric["Concern, raised at all"] == f"{one['count'] / one['n']:.0%}"
    frame = next(shown.value for shown in page.app.dataframe if "aim" in shown.value)
    assert len(frame) == len(TARGETS)
    assert f"{one['count']} of {one['n']}" in frame["with second opinion"].iloc[2]
    assert set(frame["reached"]) <= {"reached", "not reached"}
    page.app.segmented_control(key="safety_language").set_value("zh").run()
    frame = next(shown.value for shown in page.app.dataframe if "aim" in shown.value)
    told = rules["shares"]["zh"]["none_kept"]
    assert f"{told['count']} of {told['n']}" in frame["rules alone"].iloc[4]


def test_lines_are_shown_only_on_request(visit, monkeypatch: pytest.MonkeyPatch) -> None:
    page = visit("safety")
    assert "hard to read" in page.words
    assert not any("line" in shown.value for shown in page.app.dataframe)
    page.app.segmented_control(key="safety_check").set_value("Rules alone").run()
    page.app.toggle(key="safety_show").set_value(True).run()
    (frame,) = [shown.value for shown in page.app.dataframe if "line" in shown.value]
    told = load_figures()["untouched"][0]["shares"]["all"]
    alarms = told["none_kept"]["n"] - told["none_kept"]["count"]
    assert (frame["is"] == "none").sum() == alarms


def test_levels_and_limits_are_told(visit) -> None:
    page = visit("safety")
    assert "must not rely on it to notice danger" in page.words
    assert any("what follows" in table.value for table in page.app.table)


def test_what_could_not_be_counted_is_a_dash() -> None:
    nothing = {"count": 0, "n": 0, "low": None, "high": None}
    told = {"shares": {"all": dict.fromkeys(TARGETS, nothing)}}
    frame = shares_frame({"rules alone": told, "with second opinion": told}, "all")
    assert set(frame["reached"]) == {"nothing to count"}
    assert frame["rules alone"].str.startswith("–").all()


def test_the_worst_category_comes_first() -> None:
    kept = {"a": {"count": 9, "n": 10}, "b": {"count": 1, "n": 2}}
    assert list(alarms_frame(kept)["category"]) == ["b", "a"]
