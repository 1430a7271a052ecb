"""A source's profile, its normalised means over the metrics, beside the reference's.

Framework paper, sections 4.4 and 5.2: each mean is multiplied with its metric's scale, so that all lie
in about 0 to 1; profiles are compared by Pearson's r and by Euclidean distance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from counsel_core.statistics.correlation import FLAT, pearson
from counsel_core.statistics.intervals import Floats

FEWER = "it lacks a metric that others have: no rank"


def correlations_to(profiles: Floats, reference: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """Correlate profiles with the reference's over the known metrics; many resamples at once.

    Parameters
    ----------
    profiles, reference
        Shapes (sources, metrics, resamples) and (metrics, resamples).
    known
        Shape (sources, metrics): which metrics count. Where one of these is NaN, the result is.

    Returns
    -------
    Floats
        Shape (sources, resamples); NaN below two metrics or where a profile is constant.
    """
    use = known[..., None]
    n = np.maximum(use.sum(axis=1), 1)
    x, y = np.where(use, profiles, 0.0), np.where(use, reference[None], 0.0)
    mean_x, mean_y = x.sum(axis=1) / n, y.sum(axis=1) / n
    x, y = np.where(use, x - mean_x[:, None], 0.0), np.where(use, y - mean_y[:, None], 0.0)
    spread_x, spread_y = np.sqrt((x * x).sum(axis=1)), np.sqrt((y * y).sum(axis=1))
    flat = (spread_x <= FLAT * np.abs(mean_x)) | (spread_y <= FLAT * np.abs(mean_y)) | (n < 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(flat, np.nan, (x * y).sum(axis=1) / (spread_x * spread_y))
    found: Floats = np.clip(r, -1.0, 1.0)
    return found


def distances_to(profiles: Floats, reference: Floats, known: npt.NDArray[np.bool_]) -> Floats:
    """Return the Euclidean distances of profiles from the reference's; shapes as `correlations_to`."""
    gaps = np.where(known[..., None], profiles - reference[None], 0.0)
    found: Floats = np.where(known.any(axis=1)[:, None], np.sqrt((gaps * gaps).sum(axis=1)), np.nan)
    return found


def euclidean(x: npt.ArrayLike, y: npt.ArrayLike) -> float | None:
    """Return the Euclidean distance of two profiles over the metrics known for both; None if none is.

    Examples
    --------
    >>> euclidean([0.0, 3.0, float("nan")], [4.0, 0.0, 1.0])
    5.0
    """
    gaps = np.asarray(x, dtype=float) - np.asarray(y, dtype=float)
    gaps = gaps[np.isfinite(gaps)]
    return float(np.linalg.norm(gaps)) if len(gaps) else None


def leave_one_out(profile: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Compare every source with the reference over all metrics, and without each of them in turn.

    Parameters
    ----------
    profile
        Normalised means, a row a source and a column a metric.
    reference
        The row that the others are compared with.

    Returns
    -------
    pandas.DataFrame
        without ('' = all metrics), source, r, n, r_rank (1 = highest; none below three metrics), distance,
        distance_rank (1 = nearest), changed (a rank differs from that with all metrics), reason. What lacks
        a metric that others have is not ranked.

    Examples
    --------
    >>> profile = pd.DataFrame({"a": [0, 0, 1], "b": [1, 1, 1], "c": [3, 9, 3]}, ["ref", "x", "y"])
    >>> leave_one_out(profile, "ref")[["without", "source", "r_rank", "distance_rank"]].values[:2].tolist()
    [['', 'x', 1.0, 2.0], ['', 'y', 2.0, 1.0]]
    """
    parts = [_compared(profile, reference, "")]
    parts += [_compared(profile.drop(columns=name), reference, str(name)) for name in profile.columns]
    whole = parts[0].set_index("source")
    for part in parts:
        before = whole.loc[part["source"]]
        same = pd.Series(True, index=part.index)
        for rank in ("r_rank", "distance_rank"):
            ours, theirs = part[rank].to_numpy(), before[rank].to_numpy()
            same &= (ours == theirs) | np.isnan(ours) | np.isnan(theirs)
        part["changed"] = ~same
    columns = ["without", "source", "r", "n", "r_rank", "distance", "distance_rank", "changed", "reason"]
    return pd.concat(parts, ignore_index=True)[columns]


def _compared(profile: pd.DataFrame, reference: str, without: str) -> pd.DataFrame:
    rows = []
    target = profile.loc[reference].to_numpy(dtype=float)
    for source in profile.index.drop(reference):
        values = profile.loc[source].to_numpy(dtype=float)
        found, distance = pearson(values, target), euclidean(values, target)
        rows.append((without, source, found.r, found.n, distance, found.reason))
    frame = pd.DataFrame(rows, columns=["without", "source", "r", "n", "distance", "reason"])
    frame = frame.astype({"r": float, "n": int, "distance": float})
    # a distance over fewer metrics is smaller for that alone, and r over fewer is another thing
    fewer = frame["n"] < frame["n"].max()
    r = frame["r"].mask(fewer | (frame["n"] < 3))
    frame["r_rank"] = r.round(12).rank(ascending=False, method="min")
    frame.loc[fewer & (frame["reason"] == ""), "reason"] = FEWER
    whole = frame["distance"].mask(fewer)
    frame["distance_rank"] = whole.round(12).rank(method="min")
    return frame
