"""The agreement of two emotion models; expected values by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from counsel_core.statistics.emotion_models import emotion_agreement

COLUMNS = ["source", "first", "second", "overlap"]


def test_each_source_has_its_own_row_with_n() -> None:
    rows = [("a", 0.1, 0.4, 0.5), ("a", 0.2, 0.2, 0.7), ("a", 0.3, 0.6, None), ("b", 0.5, 0.5, 1.0)]
    found = emotion_agreement(pd.DataFrame(rows, columns=COLUMNS)).set_index("source")
    # Deviations (−0.1, 0, 0.1) and (0, −0.2, 0.2): r = 0.02 / √(0.02 · 0.08) = 0.5
    assert found.loc["a", "r"] == pytest.approx(0.5)
    assert (found.loc["a", "n"], found.loc["a", "n_overlap"]) == (3, 2)
    assert found.loc["a", "overlap"] == pytest.approx(0.6)
    assert found.loc["a", "mean_second"] == pytest.approx(0.4)
    assert found.loc["a", "reason"] == ""
    assert pd.isna(found.loc["b", "r"])
    assert found.loc["b", "reason"].startswith("r: ")


def test_without_shared_labels_the_overlap_is_missing_with_its_reason() -> None:
    frame = pd.DataFrame([("a", 0.1, 0.4, None), ("a", None, 0.2, None)], columns=COLUMNS).astype(
        {"overlap": float}
    )
    found = emotion_agreement(frame).iloc[0]
    assert (found["n"], found["n_overlap"]) == (1, 0)
    assert found["reason"].endswith("overlap: the models share fewer than two labels")
