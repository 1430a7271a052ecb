"""How far each source is from the reference, with the other therapists as the human yardstick."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counsel_core.plots._look import OUTLINE, REFERENCE_COLOUR, number, plain, short, shorts
from counsel_core.records import OTHER_THERAPISTS

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from plotly.graph_objects import Figure

UNRANKED = "Open: over fewer metrics than others, so that it is not ranked."
_UNRANKED = "; over fewer metrics, not ranked"


def distance_chart(frame: pd.DataFrame) -> Figure:
    """Return one point with its interval a source, the nearest on top.

    Parameters
    ----------
    frame
        Columns `source`, `distance` (0 is the same; normalised units), `ci_low`, `ci_high` (the interval or
        missing), `n` (metrics counted), `rank` (missing: not to be compared, drawn open and below the
        others). The row of `other_therapists` draws the yardstick.
    """
    from plotly.graph_objects import Figure, Scatter

    rows = _in_order(frame)
    models = rows[rows["source"] != OTHER_THERAPISTS]
    symbols = ["diamond-open" if missing else "diamond" for missing in models["rank"].isna()]
    figure = Figure(
        Scatter(
            x=models["distance"],
            y=[plain(name) for name in shorts(list(models["source"]))],
            mode="markers",
            marker={"size": 11, "symbol": symbols},
            error_x={
                "type": "data",
                "symmetric": False,
                "array": models["ci_high"] - models["distance"],
                "arrayminus": models["distance"] - models["ci_low"],
                "thickness": 1.5,
                "width": 5,
            },
            customdata=models[["ci_low", "ci_high", "n"]].to_numpy(),
            hovertemplate="%{y}<br>distance %{x:.4f}<br>95 % interval %{customdata[0]:.4f} to "
            "%{customdata[1]:.4f}<br>%{customdata[2]:.0f} metrics<extra></extra>",
        )
    )
    for yard in rows[rows["source"] == OTHER_THERAPISTS].to_dict("records"):
        if yard["ci_low"] == yard["ci_low"]:
            figure.add_vrect(
                x0=yard["ci_low"], x1=yard["ci_high"], fillcolor=REFERENCE_COLOUR, opacity=0.25, line_width=0
            )
        figure.add_vline(
            x=yard["distance"],
            line={"dash": "dash", "width": 1.5, "color": REFERENCE_COLOUR},
            annotation_text=f"other therapists {number(yard['distance'], 3)}",
        )
    figure.update_layout(
        height=120 + 30 * max(len(models), 2),
        margin={"l": 8, "r": 8, "t": 28, "b": 8},
        xaxis={
            "title": "Euclidean distance to the reference (0 = the same)",
            "rangemode": "tozero",
            "automargin": True,
            "fixedrange": True,
        },
        yaxis={"autorange": "reversed", "automargin": True, "title": None, "fixedrange": True},
    )
    return figure


def distance_print(frame: pd.DataFrame) -> matplotlib.figure.Figure:
    """Return the same chart drawn by seaborn, for print."""
    import seaborn as sns
    from matplotlib.figure import Figure

    rows = _in_order(frame)
    models = rows[rows["source"] != OTHER_THERAPISTS]
    figure = Figure(figsize=(7.2, 1.2 + 0.34 * max(len(models), 3)), layout="constrained")
    axes = figure.subplots()
    for row in models.to_dict("records"):
        axes.plot([row["ci_low"], row["ci_high"]], [short(row["source"])] * 2, color=OUTLINE, lw=1.2)
    names = models.assign(source=[short(source) for source in models["source"]])
    for unranked, face in ((False, "#0072b2"), (True, "white")):
        drawn = names[names["unranked"] == unranked]
        sns.scatterplot(
            drawn,
            x="distance",
            y="source",
            marker="D",
            s=60,
            color=face,
            edgecolor="#0072b2",
            ax=axes,
            zorder=3,
        )
    for yard in rows[rows["source"] == OTHER_THERAPISTS].to_dict("records"):
        axes.axvline(yard["distance"], ls="--", lw=1, color=REFERENCE_COLOUR, label="other therapists")
        axes.legend(fontsize=8)
    axes.set(xlabel="Euclidean distance to the reference (0 = the same)", ylabel="", xlim=(0, None))
    return figure


def distance_alt_text(frame: pd.DataFrame) -> str:
    """Say in words how far each source is from the reference, the nearest first."""
    said = "; ".join(
        f"{row['source']} {number(row['distance'], 3)} "
        f"({number(row['ci_low'], 3)} to {number(row['ci_high'], 3)}"
        f"{_UNRANKED if row['rank'] != row['rank'] and row['source'] != OTHER_THERAPISTS else ''})"
        for row in _in_order(frame).to_dict("records")
    )
    return f"Distance to the reference with 95 % intervals: {said}." if said else "No distance is known."


def _in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the nearest first; what has no rank comes last, for its distance is over fewer metrics."""
    unranked = frame["rank"].isna() & (frame["source"] != OTHER_THERAPISTS)
    return frame.assign(unranked=unranked).sort_values(["unranked", "distance"], kind="stable")
