"""The profiles that sources are compared by: which metrics make one up, in which order and scale."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from counsel_core.metrics import find_metric

if TYPE_CHECKING:
    import pandas as pd


def profile_scales(names: Iterable[str]) -> dict[str, float]:
    """Return the scales of the metrics that make up a profile.

    A proxy beside the judged metric it stands in for is none of them: the two are never mixed.

    >>> profile_scales(["sentiment_change", "recycling"])
    {'sentiment_change': 1.0, 'recycling': 1.0}
    """
    chosen = [find_metric(name) for name in names]
    judged = {metric.name for metric in chosen}
    return {
        metric.name: float(metric.scale)
        for metric in chosen
        if metric.scale is not None and metric.proxy_of not in judged
    }


def paper_order(names: Iterable[str]) -> list[str]:
    """Return metrics in the order of the paper's sections, proxies last.

    Examples
    --------
    >>> paper_order(["recycling", "agreeability_proxy", "sentiment_change"])
    ['sentiment_change', 'recycling', 'agreeability_proxy']
    """
    return sorted(names, key=lambda name: (bool(find_metric(name).proxy_of), find_metric(name).source))


def profile_rows(summary: pd.DataFrame, names: tuple[str, ...]) -> pd.DataFrame:
    """Return the means of a run as the profile chart draws them: normalised by the scales of the metrics.

    Parameters
    ----------
    summary
        The table of that name.
    names
        The metrics of the run.

    Returns
    -------
    pandas.DataFrame
        source, metric (its label), value (normalised), mean, n, low and high (the interval, normalised);
        metrics without a place in the profile are left out.
    """
    import pandas as pd

    scales = profile_scales(names)
    places = {name: place for place, name in enumerate(paper_order(scales))}
    rows = summary[summary["metric"].isin(scales)].sort_values(
        "metric", key=lambda column: column.map(places), kind="stable"
    )
    scale = rows["metric"].map(scales).astype(float)
    return pd.DataFrame(
        {
            "source": rows["source"],
            "metric": [find_metric(name).label for name in rows["metric"]],
            "value": rows["mean"] * scale,
            "mean": rows["mean"],
            "n": rows["n"],
            "low": rows["ci_low"] * scale,
            "high": rows["ci_high"] * scale,
        }
    ).reset_index(drop=True)
