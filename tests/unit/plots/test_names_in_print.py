"""Names of files and models are drawn as they are: a dollar sign begins no formula, no script ends a run."""

from __future__ import annotations

import pandas as pd
import pytest

from counsel_core.plots.distances import distance_print
from counsel_core.plots.grids import correlation_grid
from counsel_core.plots.heatmaps import heatmap_print
from counsel_core.plots.printing import print_bytes
from counsel_core.plots.profile import profile_print

# As a formula it would be refused; the last sign is in no font that matplotlib brings along.
NAME = r"$\frac{x$ 名"


@pytest.mark.parametrize("form", ["svg", "png", "pdf"])
def test_a_name_that_looks_like_a_formula_is_drawn(form) -> None:
    topics = pd.DataFrame(
        {"topic": [NAME, "b"], "source": [NAME] * 2, "r": [0.1, 0.9], "p": [0.9, 0.01], "p_holm": [1.0, 0.02]}
    ).assign(n=6)
    distances = pd.DataFrame(
        {"source": [NAME], "distance": [0.2], "ci_low": [0.1], "ci_high": [0.3], "n": [6], "rank": [1.0]}
    )
    profile = pd.DataFrame({"source": ["reference", NAME], "metric": ["A", "A"], "value": [0.1, 0.2]})
    for figure in (
        heatmap_print(correlation_grid(topics)),
        distance_print(distances.assign(n=6)),
        profile_print(profile.assign(mean=0.1, n=3, low=0.0, high=0.3)),
    ):
        data = print_bytes(figure, form)
        assert form != "svg" or NAME in data.decode()
