"""Cells of heatmaps: nearest ones, corrected outlines, places to click on, narrow cells."""

from __future__ import annotations

import pandas as pd

from counsel_core.plots._look import CELL_TEXT, DIVERGING, NEAR_TO_FAR
from counsel_core.plots.cells import add_targets, corrected
from counsel_core.plots.grids import correlation_grid, distance_grid, z_matrix
from counsel_core.plots.heatmaps import heatmap, heatmap_print


def distances() -> pd.DataFrame:
    rows = [("a", "x", 0.2, 4, 1.0, ""), ("a", "y", 0.3, 4, 2.0, ""), ("b", "y", 0.1, 3, float("nan"), "")]
    return pd.DataFrame(rows, columns=["topic", "source", "distance", "n", "rank", "reason"])


def test_the_nearest_model_is_marked_by_more_than_colour() -> None:
    grid = distance_grid(distances())
    # b has no ranked model, and says so; x was not asked there.
    assert grid.texts == [["0.20•", "0.30"], ["–", "0.10°"]]
    assert grid.outlined == ((0, 0),)
    assert len(heatmap(grid).layout.shapes) == 1
    assert heatmap_print(grid).axes


def test_of_two_that_are_as_near_none_is_the_nearest() -> None:
    frame = distances().assign(distance=0.2, rank=1.0)
    assert distance_grid(frame[frame["topic"] == "a"]).outlined == ()


def test_a_correlation_of_two_metrics_is_a_dash(correlations) -> None:
    grid = correlation_grid(correlations.assign(r=1.0, n=2, reason="two metrics always lie on a line"))
    assert {text.rstrip("∗") for line in grid.texts for text in line} == {"–"}
    assert "always lie on a line" in grid.notes[0][0]


def test_dark_text_is_readable_on_every_colour_of_the_scales() -> None:
    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    # WCAG 2: (L1 + 0.05) / (L2 + 0.05) of at least 4.5; between two anchors colours are mixed, none is darker
    for colour in (*DIVERGING, *NEAR_TO_FAR):
        assert (luminance(colour) + 0.05) / (luminance(CELL_TEXT) + 0.05) >= 4.5


def test_names_are_not_read_as_tags() -> None:
    frame = distances().assign(source="<b>x</b><br>&lt;")
    figure = heatmap(distance_grid(frame))
    assert figure.layout.xaxis.ticktext == ("&lt;b&gt;x&lt;/b&gt;&lt;br&gt;&amp;lt;",)
    assert "<b>" not in figure.data[0].customdata[0][0][0]


def test_holms_correction_leaves_the_outlines_that_hold(correlations) -> None:
    grid = correlation_grid(correlations)
    assert corrected(grid, "raw").outlined == ((0, 0), (0, 1))
    # Only the second is below 0.05 after Holm: it has two stars.
    assert corrected(grid, "holm").outlined == ((0, 1),)


def test_every_cell_has_a_place_to_click_on(correlations) -> None:
    grid = correlation_grid(correlations)
    figure = heatmap(grid)
    add_targets(figure, grid)
    points = figure.data[1]
    places = list(zip(points.y, points.x, strict=True))
    assert places == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert [points.customdata[at] for at in range(4)] == [note for line in grid.notes for note in line]


def test_thirty_columns_hold_marks_alone() -> None:
    pairs = [(f"t{i:02}", f"t{j:02}") for i in range(30) for j in range(i + 1, 30)]
    rows = [("m", one, two, 2.5 if (one, two) == ("t00", "t01") else 0.1) for one, two in pairs]
    frame = pd.DataFrame(rows, columns=["source", "topic_1", "topic_2", "z"])
    frame["p"], frame["p_holm"] = [0.01 if z > 2 else 0.9 for z in frame["z"]], 1.0
    drawn = heatmap(z_matrix(frame, "m")).data[0].text
    assert drawn[0][1] == "∗"
    assert {text for line in drawn for text in line} == {"", "∗"}
