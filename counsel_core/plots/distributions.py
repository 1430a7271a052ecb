"""How one metric is distributed over the answers, with the gold standard behind each source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counsel_core.plots._look import REFERENCE_COLOUR, number, plain, short
from counsel_core.records import REFERENCE

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from plotly.graph_objects import Figure

BINS = 30
_HEIGHT = 104


def distribution_chart(frame: pd.DataFrame, label: str) -> Figure:
    """Return a histogram a source, one under the other, the reference's in grey behind each.

    Parameters
    ----------
    frame
        Columns `source`, `value`: one metric's values; missing ones are left out of the bars.
    label
        The metric's label, for the axis.
    """
    from plotly.graph_objects import Histogram
    from plotly.subplots import make_subplots

    values = frame.dropna(subset=["value"])
    sources = [source for source in values["source"].unique() if source != REFERENCE] or [REFERENCE]
    gold = values.loc[values["source"] == REFERENCE, "value"]
    counts = values["source"].value_counts()
    figure = make_subplots(
        rows=len(sources),
        cols=1,
        shared_xaxes=True,
        vertical_spacing=0.3 / len(sources),
        subplot_titles=[f"{plain(short(source))} (n = {counts.get(source, 0)})" for source in sources],
    )
    figure.update_annotations(x=0, xanchor="left", font={"size": 12})
    for at, source in enumerate(sources, start=1):
        own = values.loc[values["source"] == source, "value"]
        shared = {"histnorm": "percent", "nbinsx": BINS, "bingroup": 1}
        if source != REFERENCE and len(gold):
            figure.add_trace(
                Histogram(
                    x=gold, name="Reference", marker_color=REFERENCE_COLOUR, opacity=0.4,
                    showlegend=at == 1, hovertemplate="reference %{x}: %{y:.1f} %<extra></extra>", **shared,
                ),
                row=at, col=1,
            )  # fmt: skip
        figure.add_trace(
            Histogram(
                x=own, name=plain(short(source)), opacity=0.75, showlegend=False,
                hovertemplate="%{x}: %{y:.1f} %<extra></extra>", **shared,
            ),
            row=at, col=1,
        )  # fmt: skip
    figure.update_xaxes(fixedrange=True)
    figure.update_yaxes(fixedrange=True, title=None, ticksuffix=" %", nticks=3)
    figure.update_xaxes(title=label, row=len(sources), col=1)
    figure.update_layout(
        barmode="overlay",
        bargap=0.04,
        height=90 + _HEIGHT * len(sources),
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
        legend={"orientation": "h", "x": 0, "y": 1, "yanchor": "bottom"},
    )
    return figure


def distribution_print(frame: pd.DataFrame, label: str) -> matplotlib.figure.Figure:
    """Return the same distributions drawn by seaborn, for print."""
    import seaborn as sns
    from matplotlib.figure import Figure

    values = frame.dropna(subset=["value"])
    sources = [source for source in values["source"].unique() if source != REFERENCE] or [REFERENCE]
    gold = values[values["source"] == REFERENCE]
    span = (values["value"].min(), values["value"].max()) if len(values) else None
    figure = Figure(figsize=(7.2, 0.8 + 1.05 * len(sources)), layout="constrained")
    grid = figure.subplots(len(sources), 1, sharex=True, squeeze=False)
    for axes, source in zip(grid[:, 0], sources, strict=True):
        shared = {"x": "value", "stat": "percent", "bins": BINS, "binrange": span, "ax": axes}
        if source != REFERENCE and len(gold):
            sns.histplot(gold, color=REFERENCE_COLOUR, alpha=0.4, **shared)
        sns.histplot(values[values["source"] == source], color="#0072b2", alpha=0.6, **shared)
        axes.set(ylabel="%", xlabel=label)
        axes.set_title(short(source), fontsize=8, loc="left")
    return figure


def distribution_alt_text(frame: pd.DataFrame, label: str) -> str:
    """Say in words between which values each source's answers lie."""
    parts = []
    for source, rows in frame.groupby("source", sort=False):
        known = rows["value"].dropna()
        said = f"{number(known.min())} to {number(known.max())}" if len(known) else "no value"
        parts.append(f"{source}: n = {len(known)}, {said}")
    return f"Distribution of {label}. {'; '.join(parts)}."
