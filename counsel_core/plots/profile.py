"""The profile chart: each source's normalised means, metric by metric (Figure 4 of the paper)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counsel_core.plots._look import (
    DASHES,
    LEGEND_ABOVE,
    LEGEND_ROWS,
    MARKERS,
    REFERENCE_COLOUR,
    SYMBOLS,
    number,
    plain,
    short,
    shorts,
    wrapped,
)
from counsel_core.records import REFERENCE

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from plotly.graph_objects import Figure


TELLABLE = 10
"""Colours of the palette for the colour-blind; beyond them hues are spread evenly."""


def profile_chart(frame: pd.DataFrame, reference: str = REFERENCE) -> Figure:
    """Return lines over the metrics, one a source; the reference is a broad grey band behind them.

    Parameters
    ----------
    frame
        Columns `source`, `metric` (its label), `value` (normalised: 0 to about 1), `mean` (as it is
        reported), `n`, and `low`, `high` (the interval, normalised) or missing.
    reference
        The source that the others are compared with.
    """
    from plotly.graph_objects import Figure, Scatter

    metrics = list(frame["metric"].unique())
    names = {metric: wrapped(metric) for metric in metrics}
    figure = Figure()
    others = 0
    for source, rows in frame.groupby("source", sort=False):
        is_reference = source == reference
        line = {"width": 9, "color": REFERENCE_COLOUR} if is_reference else {"dash": DASHES[others // 10 % 4]}
        figure.add_trace(
            Scatter(
                x=[names[metric] for metric in rows["metric"]],
                y=rows["value"],
                name="Reference" if is_reference else plain(short(source)),
                mode="lines" if is_reference else "lines+markers",
                opacity=0.45 if is_reference else 1.0,
                line=line,
                marker={"size": 8, "symbol": SYMBOLS[others % len(SYMBOLS)]},
                error_y=None if is_reference else _bars(rows),
                customdata=rows[["mean", "n"]].to_numpy(),
                hovertemplate="%{x}<br>mean %{customdata[0]:.4f} (n = %{customdata[1]:.0f})<br>"
                "normalised %{y:.3f}",
            )
        )
        others += not is_reference
    figure.update_layout(
        height=430,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend=LEGEND_ABOVE,
        yaxis={"title": "Normalised mean", "rangemode": "tozero", "automargin": True, "fixedrange": True},
        xaxis={"title": None, "automargin": True, "fixedrange": True, "tickangle": 0},
    )
    return figure


def profile_print(frame: pd.DataFrame, reference: str = REFERENCE) -> matplotlib.figure.Figure:
    """Return the same chart drawn by seaborn, for print."""
    import seaborn as sns
    from matplotlib.figure import Figure

    columns = -(-frame["source"].nunique() // LEGEND_ROWS)
    figure = Figure(figsize=(7.0 + 1.4 * columns, 4.6), layout="constrained")
    axes = figure.subplots()
    own = frame[frame["source"] == reference]
    axes.plot(own["metric"], own["value"], lw=7, color=REFERENCE_COLOUR, alpha=0.4, label="Reference")
    others = frame[frame["source"] != reference]
    names = list(others["source"].unique())
    others = others.assign(source=others["source"].map(dict(zip(names, shorts(names), strict=True))))
    if len(others):
        count = others["source"].nunique()
        sns.lineplot(
            others,
            x="metric",
            y="value",
            hue="source",
            style="source",
            markers=[MARKERS[at % len(MARKERS)] for at in range(count)],
            dashes=False,
            palette=sns.color_palette("colorblind" if count <= TELLABLE else "husl", count),
            ax=axes,
        )
    for row in others.dropna(subset=["low", "high"]).to_dict("records"):
        axes.plot([row["metric"]] * 2, [row["low"], row["high"]], lw=0.8, color=REFERENCE_COLOUR, zorder=1)
    axes.set(xlabel="", ylabel="Normalised mean", ylim=(min(0.0, axes.get_ylim()[0]), None))
    axes.tick_params(axis="x", labelrotation=15, labelsize=8)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5), ncols=columns)
    return figure


def profile_alt_text(frame: pd.DataFrame, reference: str = REFERENCE) -> str:
    """Say in words what the profile chart shows."""
    parts = []
    for source, rows in frame.groupby("source", sort=False):
        values = ", ".join(f"{row['metric']} {number(row['value'])}" for row in rows.to_dict("records"))
        parts.append(f"{'Reference' if source == reference else short(source)}: {values}.")
    return " ".join(["Normalised means by metric.", *parts])


def _bars(rows: pd.DataFrame) -> dict[str, object]:
    return {
        "type": "data",
        "symmetric": False,
        "array": rows["high"] - rows["value"],
        "arrayminus": rows["value"] - rows["low"],
        "thickness": 1,
        "width": 3,
    }
