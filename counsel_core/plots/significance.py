"""Whether a correlation is more than chance, by topic (Figure 5 of the paper)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from counsel_core.plots._look import (
    LEGEND_ABOVE,
    LEGEND_ROWS,
    MARKERS,
    REFERENCE_COLOUR,
    SYMBOLS,
    chance,
    plain,
    short,
    shorts,
)

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from plotly.graph_objects import Figure

ALPHA = 0.05
NAMED = 5
"""Correlations that the words name; the table has all."""
_TICKS = (0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1)


def significance_chart(frame: pd.DataFrame, *, corrected: bool = False) -> Figure:
    """Return p by topic, a symbol a source, over a logarithmic axis with the line of 0.05.

    Parameters
    ----------
    frame
        Columns `topic`, `source`, `r`, `p` (0 to 1 or missing), `p_holm`.
    corrected
        Whether p after Holm's correction is drawn.
    """
    from plotly.graph_objects import Figure, Scatter

    topics = list(frame["topic"].unique())
    names = dict(zip(topics, map(plain, shorts(topics)), strict=True))
    figure = Figure()
    for at, (source, rows) in enumerate(frame.groupby("source", sort=False)):
        figure.add_trace(
            Scatter(
                x=rows["p_holm" if corrected else "p"],
                y=[names[topic] for topic in rows["topic"]],
                name=plain(short(source)),
                mode="markers",
                marker={"size": 10, "symbol": SYMBOLS[at % len(SYMBOLS)], "line": {"width": 1}},
                customdata=rows[["r", "p", "p_holm"]].to_numpy(),
                hovertemplate="%{y}<br>p = %{customdata[1]:.4f}, r = %{customdata[0]:.3f}<br>"
                "after Holm p = %{customdata[2]:.4f}",
            )
        )
    figure.add_vline(x=ALPHA, line={"dash": "dash", "width": 1.5, "color": REFERENCE_COLOUR})
    # On a logarithmic axis a note is placed by the logarithm, unlike a line.
    figure.add_annotation(
        x=math.log10(ALPHA), y=1, yref="paper", yanchor="bottom", text="p = 0.05", showarrow=False
    )
    figure.update_layout(
        height=150 + 30 * max(len(topics), 3),
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
        legend={**LEGEND_ABOVE, "y": 1 + 24 / (30 * max(len(topics), 3))},
        xaxis={
            "type": "log",
            "title": "p after Holm's correction" if corrected else "p (raw)",
            "tickvals": _TICKS,
            "ticktext": _TICKS,
            "automargin": True,
            "fixedrange": True,
        },
        yaxis={"autorange": "reversed", "automargin": True, "title": None, "fixedrange": True},
    )
    return figure


def significance_print(frame: pd.DataFrame, *, corrected: bool = False) -> matplotlib.figure.Figure:
    """Return the same chart drawn by seaborn, for print."""
    import seaborn as sns
    from matplotlib.figure import Figure

    topics, count = frame["topic"].nunique(), frame["source"].nunique()
    columns = -(-count // LEGEND_ROWS)
    size = (6.2 + 1.4 * columns, max(1.8 + 0.36 * max(topics, 3), 0.8 + 0.17 * min(count, LEGEND_ROWS)))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    named = frame.copy()
    for column in ("topic", "source"):
        names = list(frame[column].unique())
        named[column] = frame[column].map(dict(zip(names, shorts(names), strict=True)))
    sns.scatterplot(
        named,
        x="p_holm" if corrected else "p",
        y="topic",
        hue="source",
        style="source",
        markers=[MARKERS[at % len(MARKERS)] for at in range(count)],
        palette=sns.color_palette("colorblind", count),
        s=60,
        ax=axes,
    )
    axes.axvline(ALPHA, ls="--", lw=1, color="black")
    axes.set(xscale="log", xlabel=f"p ({'after Holm' if corrected else 'raw'}); dashed: 0.05", ylabel="")
    lowest, highest = axes.get_xlim()
    shown = [tick for tick in _TICKS if lowest <= tick <= highest]
    axes.set_xticks(shown, labels=[f"{tick:g}" for tick in shown])
    axes.set_xticks([], minor=True)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5), ncols=columns)
    return figure


def significance_alt_text(frame: pd.DataFrame) -> str:
    """Say in words which correlations are below 0.05, raw and after Holm's correction."""
    below = frame[frame["p"] < ALPHA]
    held = frame[frame["p_holm"] < ALPHA]
    first = below.sort_values("p").head(NAMED).to_dict("records")
    said = "; ".join(f"{short(row['source'])} in {short(row['topic'])} ({chance(row['p'])})" for row in first)
    if len(below) > NAMED:
        said = f"The smallest: {said}"
    return (
        f"{len(below)} of {int(frame['p'].notna().sum())} correlations have p below 0.05, "
        f"{len(held)} after Holm's correction. {said or 'None stands out'}."
    )
