"""Grids drawn as heatmaps, on the page by plotly and for print by seaborn, and said in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counsel_core.plots._look import (
    CELL_TEXT,
    LONGEST_LABEL,
    OUTLINE,
    number,
    outline,
    plain,
    short,
    shorts,
    signs,
    slant,
)
from counsel_core.plots.grids import Grid
from counsel_core.plots.printing import names_as_they_are

if TYPE_CHECKING:
    import matplotlib.figure
    from plotly.graph_objects import Figure

_ROW, _FRAME = 26, 118
_MOST_WRITTEN = 16  # in more columns a cell is too narrow for its value


def heatmap(grid: Grid, *, narrow: bool = False) -> Figure:
    """Return a grid as a figure for the page; a click on a cell gives its `keys` as custom data.

    `narrow`: it has half the page's width. With many columns the cells hold their marks alone.
    """
    from plotly.graph_objects import Figure, Heatmap

    title = plain(short(grid.title)) if len(grid.rows) > 5 else None
    drawn = Heatmap(
        z=grid.values,
        x=list(range(len(grid.columns))),
        y=list(range(len(grid.rows))),
        text=grid.texts if len(grid.columns) <= _MOST_WRITTEN else signs(grid.texts),
        texttemplate="%{text}",
        textfont={"size": 10 if len(grid.columns) > 8 else 12, "color": CELL_TEXT},
        customdata=[
            [[note, *key] for note, key in zip(notes, keys, strict=True)]
            for notes, keys in zip(grid.notes, grid.keys, strict=True)
        ],
        hovertemplate="%{customdata[0]}<extra></extra>",
        hoverongaps=True,
        colorscale=list(grid.scale),
        zmin=-grid.limit if grid.lowest is None else grid.lowest,
        zmax=grid.limit,
        xgap=2,
        ygap=2,
        colorbar={"thickness": 10, "outlinewidth": 0, "title": {"text": title, "side": "right"}},
    )
    figure = Figure(drawn)
    labels = shorts(list(grid.columns), 16 if narrow else LONGEST_LABEL)
    angle, rise = slant(labels, narrow=narrow)
    axis = {"showgrid": False, "zeroline": False, "fixedrange": True, "automargin": True}
    figure.update_layout(
        height=_FRAME + rise + _ROW * max(len(grid.rows), 2),
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        shapes=[outline(row, column) for row, column in grid.outlined],
        xaxis={
            **axis | {"side": "top", "ticklabeloverflow": "allow"},
            "tickangle": angle,
            "tickvals": list(range(len(grid.columns))),
            "ticktext": [plain(label) for label in labels],
        },
        yaxis={
            **axis,
            "autorange": "reversed",
            "tickvals": list(range(len(grid.rows))),
            "ticktext": [plain(label) for label in shorts(list(grid.rows))],
        },
    )
    return figure


def heatmap_print(grid: Grid) -> matplotlib.figure.Figure:
    """Return the same grid drawn by seaborn, for print."""
    import pandas as pd
    import seaborn as sns
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    rows, columns = shorts(list(grid.rows)), shorts(list(grid.columns))
    angle, _ = slant(columns)
    room = 0.09 * max(map(len, rows), default=0), 0.07 * max(map(len, columns), default=0) if angle else 0
    size = (1.6 + room[0] + 0.85 * max(len(columns), 3), 1.2 + room[1] + 0.36 * max(len(rows), 3))
    figure = Figure(figsize=size, layout="constrained")
    table = pd.DataFrame(grid.values, index=rows, columns=columns, dtype=float)
    with names_as_they_are():  # seaborn measures them
        axes = figure.subplots()
        sns.heatmap(
            table,
            ax=axes,
            annot=pd.DataFrame(grid.texts).to_numpy(),
            fmt="",
            cmap=LinearSegmentedColormap.from_list("grid", grid.scale),
            vmin=-grid.limit if grid.lowest is None else grid.lowest,
            vmax=grid.limit,
            linewidths=1,
            annot_kws={"size": 8, "color": CELL_TEXT},
            cbar_kws={"label": grid.title},
        )
    for row, column in grid.outlined:
        axes.add_patch(Rectangle((column + 0.03, row + 0.04), 0.94, 0.92, fill=False, ec=OUTLINE, lw=1.6))
    # A slanted name ends under its own column, not under the next.
    axes.tick_params(axis="x", labelsize=8)
    for label in axes.get_xticklabels():
        label.set(rotation=-angle, ha="right" if angle else "center", rotation_mode="anchor")
    axes.tick_params(axis="y", labelrotation=0, labelsize=8)
    return figure


def grid_alt_text(grid: Grid) -> str:
    """Say in words what a grid shows: its size, its extremes and what is significant."""
    filled = [
        (value, row, column)
        for row, values in zip(grid.rows, grid.values, strict=True)
        for column, value in zip(grid.columns, values, strict=True)
        if value is not None
    ]
    size = f"Heatmap of {grid.title}: {len(grid.rows)} rows, {len(grid.columns)} columns"
    if not filled:
        return f"{size}; every value is missing."
    highest, lowest = max(filled), min(filled)
    tested = f" {len(grid.outlined)} of {len(filled)} values are marked as significant."
    return (
        f"{size}. Highest {number(highest[0])} ({highest[1]}, {highest[2]}), "
        f"lowest {number(lowest[0])} ({lowest[1]}, {lowest[2]})." + (tested if grid.lowest is None else "")
    )
