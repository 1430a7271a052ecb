"""How far two emotion models agree: on the consistency of each answer, and on what they rank."""

from __future__ import annotations

import numpy as np
import pandas as pd

from counsel_core.statistics.correlation import pearson

COLUMNS = ["source", "n", "mean_first", "mean_second", "r", "overlap", "n_overlap", "reason"]


def emotion_agreement(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row a source: how emotion consistency by one model goes with that by another.

    `r` is Pearson's over the answers; `overlap` the mean rank-biased overlap (0 to 1) of the two models'
    rankings of each answer, by the labels that both have. What cannot be given is missing with its reason.

    Parameters
    ----------
    frame
        A row an answer; columns `source`, `first`, `second` (emotion consistency by each, 0 to 1), and
        `overlap` (0 to 1, or missing where the models share fewer than two labels).

    Examples
    --------
    >>> rows = [("a", 0.2, 0.3, 0.5), ("a", 0.4, 0.5, 0.7), ("a", 0.6, 0.7, 0.6)]
    >>> emotion_agreement(pd.DataFrame(rows, columns=["source", "first", "second", "overlap"])).r.round(6)[0]
    1.0
    """
    rows = []
    for source, given in frame.groupby("source", sort=False):
        pairs = given.dropna(subset=["first", "second"])
        found = pearson(pairs["first"].to_numpy(float), pairs["second"].to_numpy(float))
        overlap = given["overlap"].dropna()
        reasons = [f"r: {found.reason}"] if found.reason else []
        reasons += ["overlap: the models share fewer than two labels"] if overlap.empty else []
        means = [pairs[name].mean() if len(pairs) else np.nan for name in ("first", "second")]
        r = np.nan if found.r is None else found.r
        whole = overlap.mean() if len(overlap) else np.nan
        rows.append((source, len(pairs), *means, r, whole, len(overlap), "; ".join(reasons)))
    return pd.DataFrame(rows, columns=COLUMNS)
