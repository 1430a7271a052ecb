"""The cells of a heatmap: which are outlined, and where one clicks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from counsel_core.plots.grids import Grid

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MARKS_HOLM = (
    "Outlined: p below 0.05 after Holm's correction (∗∗); a single ∗: only before it. A dash: missing."
)
Correction = Literal["raw", "holm"]


def corrected(grid: Grid, correction: Correction) -> Grid:
    """Return a grid that outlines what is significant before or after Holm's correction."""
    held = tuple((i, j) for i, j in grid.outlined if grid.texts[i][j].endswith("∗∗"))
    return replace(grid, outlined=held) if correction == "holm" else grid


def add_targets(figure: Figure, grid: Grid) -> None:
    """Lay an unseen point over each cell of a heatmap: plotly selects points, but no cells.

    A selected point's x is the column and its y the row of the cell.
    """
    from plotly.graph_objects import Scatter

    places = [(i, j) for i in range(len(grid.rows)) for j in range(len(grid.columns))]
    unseen = {"marker": {"opacity": 0}}
    figure.add_trace(
        Scatter(
            x=[column for _, column in places],
            y=[row for row, _ in places],
            mode="markers",
            marker={"symbol": "square", "size": 24, "opacity": 0},
            selected=unseen,
            unselected=unseen,
            customdata=[grid.notes[row][column] for row, column in places],
            hovertemplate="%{customdata}<extra></extra>",
            showlegend=False,
        )
    )
