"""The grids: what stands in a cell, how it is marked, and that print and page show the same."""

from __future__ import annotations

import pandas as pd
import pytest

from counsel_core.plots.grids import correlation_grid, rating_grid, z_grid, z_matrix
from counsel_core.plots.heatmaps import grid_alt_text, heatmap, heatmap_print


def test_a_cell_holds_its_value_and_its_mark(correlations):
    grid = correlation_grid(correlations)
    # 0.0351 < 0.05 is one star; 0.0324 after Holm is two; 0.146 has none; a missing value is a dash.
    assert grid.texts == [["0.84∗", "0.89∗∗"], ["0.67", "–"]]
    assert grid.outlined == ((0, 0), (0, 1))


def test_a_missing_cell_says_why_and_has_no_colour(correlations):
    grid = correlation_grid(correlations)
    assert grid.values[1][1] is None
    assert grid.notes[1][1] == "Anxiety<br>GPT4 Preview<br>missing: only one metric has a value"


def test_a_note_holds_four_decimals_p_and_n(correlations):
    assert correlation_grid(correlations).notes[0][0] == (
        "Relationships<br>GPT4<br>r = 0.8429<br>p = 0.035<br>after Holm p = 1.000<br>n = 6"
    )


def test_the_scale_is_centred_on_zero(correlations, z_scores):
    for grid in (correlation_grid(correlations), z_grid(z_scores)):
        trace = heatmap(grid).data[0]
        assert trace.zmin == -trace.zmax


def test_a_pair_that_was_not_compared_is_no_zero(z_scores):
    grid = z_grid(z_scores)
    assert grid.columns == ("Depression – Relationships", "Depression – Anxiety")
    assert grid.values == [[-0.153315, 0.347535], [-2.5, None]]
    assert grid.notes[1][1].endswith("not compared")


def test_a_matrix_of_topics_is_antisymmetric(z_scores):
    # Z of a − b is minus Z of b − a, by the formula; a topic is not compared with itself.
    grid = z_matrix(z_scores, "GPT4")
    assert grid.rows == ("Depression", "Relationships", "Anxiety")
    assert grid.values[0][1] == -grid.values[1][0] == -0.153315
    assert grid.values[0][0] is None


def test_a_click_gives_topic_and_source(correlations):
    trace = heatmap(correlation_grid(correlations)).data[0]
    assert list(trace.customdata[0][1][1:]) == ["Relationships", "GPT4 Preview"]


def test_print_shows_the_same_cells(correlations):
    grid = correlation_grid(correlations)
    texts = {text.get_text() for text in heatmap_print(grid).axes[0].texts}
    # Seaborn writes nothing into a cell without a value.
    assert texts == {"0.84∗", "0.89∗∗", "0.67"}


def test_the_words_name_the_extremes(correlations):
    said = grid_alt_text(correlation_grid(correlations))
    assert "Highest 0.89 (Relationships, GPT4 Preview), lowest 0.67 (Anxiety, GPT4)" in said
    assert "2 of 3 values are marked" in said


def test_a_grid_of_nothing_says_so():
    empty = pd.DataFrame({"topic": ["A"], "source": ["x"], "r": [None], "p": [None], "p_holm": [None]})
    assert grid_alt_text(correlation_grid(empty.assign(n=2))).endswith("every value is missing.")


def test_ratings_run_over_their_own_scale():
    frame = pd.DataFrame({"system": ["SoDuSys"], "criterion": ["Coherence"], "value": [4.0]})
    grid = rating_grid(frame, lowest=1, highest=5, title="Mean rating")
    trace = heatmap(grid).data[0]
    assert (trace.zmin, trace.zmax, grid.texts) == (1, 5, [["4.00"]])


@pytest.mark.parametrize(("topics", "sources"), [(30, 12), (1, 1)])
def test_many_rows_stay_readable(topics, sources):
    rows = [
        {"topic": f"topic {t} with a very long name indeed", "source": f"s{s}", "r": 0.5, "p": 0.2}
        for t in range(topics)
        for s in range(sources)
    ]
    figure = heatmap(correlation_grid(pd.DataFrame(rows).assign(p_holm=1.0, n=6)))
    # At least 20 pixels a row keep a number of 11 points readable.
    assert figure.layout.height / topics >= 20
    assert len(set(figure.layout.yaxis.ticktext)) == topics
