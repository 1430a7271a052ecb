"""The bars of S(cd): what is drawn is what the frame holds, in an order and with marks to rely on."""

from __future__ import annotations

import pandas as pd
import pytest

from counsel_core.plots.distortions import COMPONENTS, OKABE_ITO, distortion_alt_text, distortion_bars

SCORES = pd.DataFrame(
    [
        {"type": "Blaming", "recency": 0.2, "frequency": 0.0, "severity": 0.5, "total": 0.7},
        {"type": "Labeling", "recency": 1.0, "frequency": 1.0, "severity": 0.25, "total": 2.25},
        {"type": "Mind Reading", "recency": 0.0, "frequency": 1.0, "severity": 0.0, "total": 1.0},
    ]
)


def test_each_component_is_a_bar_of_the_values_given() -> None:
    figure = distortion_bars(SCORES, "Labeling")
    assert [trace.name for trace in figure.data] == ["Recency", "Frequency", "Severity"]
    by_type = SCORES.sort_values("total")
    for trace, part in zip(figure.data, COMPONENTS, strict=True):
        assert list(trace.x) == by_type[part].to_list()
    assert figure.layout.barmode == "stack"


def test_the_highest_is_on_top_and_the_target_is_marked_by_more_than_colour() -> None:
    # Plotly draws the last category of a horizontal bar chart on top.
    names = list(distortion_bars(SCORES, "Labeling").data[0].y)
    assert names == ["Blaming", "Mind Reading", "<b>★ Labeling</b>"]


def test_of_types_that_are_level_the_target_is_drawn_on_top() -> None:
    level = SCORES.assign(total=1.0)
    assert distortion_bars(level, "Blaming").data[0].y[-1] == "<b>★ Blaming</b>"


def test_components_differ_by_texture_and_not_by_colour_alone() -> None:
    shapes = [trace.marker.pattern.shape for trace in distortion_bars(SCORES, None).data]
    assert len(set(shapes)) == len(COMPONENTS)


def test_colours_are_safe_for_the_colour_blind_unless_left_to_a_theme() -> None:
    assert distortion_bars(SCORES, None).layout.colorway == OKABE_ITO
    assert distortion_bars(SCORES, None, colours=None).layout.colorway is None


def test_the_words_give_target_order_and_numbers() -> None:
    words = distortion_alt_text(SCORES, "Labeling")
    assert words.startswith(
        "Target (cd*): Labeling. Labeling 2.25 (recency 1.00, frequency 1.00, severity 0.25)"
    )
    assert words.index("Mind Reading") < words.index("Blaming")


@pytest.mark.parametrize("target", [None, "Labeling"])
def test_an_empty_memory_is_drawn_and_said(target: str | None) -> None:
    nothing = SCORES.iloc[:0]
    assert [len(trace.x) for trace in distortion_bars(nothing, target).data] == [0, 0, 0]
    assert "No distortion has been noticed" in distortion_alt_text(nothing, target)
