"""Cells of heatmaps: nearest ones, corrected outlines, places to click on, narrow cells."""

from __future__ import annotations

import pandas as pd

from counsel_core.plots.cells import add_targets, corrected
from counsel_core.plots.grids import correlation_grid, distance_grid, heatmap, heatmap_print, z_matrix


def distances() -> pd.DataFrame:
    rows = [("a", "x", 0.2, 4, 1.0, ""), ("a", "y", 0.3, 4, 2.0, ""), ("b", "y", 0.1, 3, float("nan"), "")]
    return pd.DataFrame(rows, columns=["topic", "source", "distance", "n", "rank", "reason"])


def test_the_nearest_model_is_marked_by_more_than_colour() -> None:
    grid = distance_grid(distances())
    # b has no ranked model; x was not asked there.
    assert grid.texts == [["0.20•", "0.30"], ["–", "0.10"]]
    assert grid.outlined == ((0, 0),)
    assert len(heatmap(grid).layout.shapes) == 1
    assert heatmap_print(grid).axes


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
