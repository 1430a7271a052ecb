"""Frames to draw: the framework paper's own figures, so that what is drawn can be read off the paper."""

from __future__ import annotations

import pandas as pd
import pytest


@pytest.fixture
def correlations() -> pd.DataFrame:
    """Three cells of Tables 4 and 5, and one that is missing."""
    rows = [
        ("Relationships", "GPT4", 0.842861, 0.035099, 1.0, ""),
        ("Relationships", "GPT4 Preview", 0.894149, 0.016214, 0.0324, ""),
        ("Anxiety", "GPT4", 0.668790, 0.146383, 1.0, ""),
        ("Anxiety", "GPT4 Preview", None, None, None, "only one metric has a value"),
    ]
    frame = pd.DataFrame(rows, columns=["topic", "source", "r", "p", "p_holm", "reason"])
    return frame.assign(n=6)


@pytest.fixture
def z_scores() -> pd.DataFrame:
    """Two cells of Table 6 and one beyond 1.96, made up to show what a mark looks like."""
    rows = [
        ("GPT4", "Depression", "Relationships", -0.153315, 0.878, "paper"),
        ("GPT4", "Depression", "Anxiety", 0.347535, 0.728, "paper"),
        ("Llama 7", "Depression", "Relationships", -2.5, 0.0124, "paper"),
    ]
    return pd.DataFrame(rows, columns=["source", "topic_1", "topic_2", "z", "p", "formula"])
