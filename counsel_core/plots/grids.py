"""Grids of numbers as heatmaps: correlations by topic, Z scores between topics, ratings by criterion."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from counsel_core.plots._look import (
    DIVERGING,
    LONGEST_LABEL,
    OUTLINE,
    chance,
    mark,
    number,
    outline,
    short,
    shorts,
    signs,
    slant,
)
from counsel_core.plots.printing import names_as_they_are

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd
    from plotly.graph_objects import Figure

MARKS = "Outlined: p below 0.05 (∗), still so after Holm's correction (∗∗). A dash: missing."
NEAREST = "Outlined (•): the nearest model of each topic. A dash: missing."
_PRINTED = {DIVERGING: "RdBu_r", "Cividis": "cividis", "Cividis_r": "cividis_r"}
_ROW, _FRAME = 26, 118
_MOST_WRITTEN = 16  # in more columns a cell is too narrow for its value

Cell = dict[Hashable, Any]


@dataclass(frozen=True)
class Grid:
    """A grid ready to draw: what both the page's figure and the printed one show.

    `values`, `texts`, `notes` and `keys` have one list a row. `outlined` cells are significant; `keys`
    say which topic and source a cell stands for, so that a click can open what lies behind it.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: list[list[float | None]]
    texts: list[list[str]]
    notes: list[list[str]]
    keys: list[list[tuple[str, str]]]
    outlined: tuple[tuple[int, int], ...]
    limit: float
    title: str
    lowest: float | None = None
    scale: str = DIVERGING


def correlation_grid(frame: pd.DataFrame) -> Grid:
    """Return r with the reference, a row a topic and a column a source (Tables 4 and 5 of the paper).

    Parameters
    ----------
    frame
        Columns `topic`, `source`, `r` (−1 to 1 or missing), `p`, `p_holm`, `n`; optional `reason`.
    """
    topics, sources = list(frame["topic"].unique()), list(frame["source"].unique())
    cells = {(row["topic"], row["source"]): row for row in frame.to_dict("records")}
    table = [[cells.get((topic, source)) for source in sources] for topic in topics]
    return _grid(table, topics, sources, "r", limit=1.0, title="r with the reference")


def distance_grid(frame: pd.DataFrame) -> Grid:
    """Return the distance to the reference, a row a topic and a column a source; the nearest is outlined.

    Parameters
    ----------
    frame
        Columns `topic`, `source`, `distance` (0 is the same), `n`, `rank` (1 is nearest); optional `reason`.
    """
    topics, sources = list(frame["topic"].unique()), list(frame["source"].unique())
    cells = {(row["topic"], row["source"]): row for row in frame.to_dict("records")}
    table = [[cells.get((topic, source)) for source in sources] for topic in topics]
    title = "Distance to the reference"
    grid = _grid(table, topics, sources, "distance", limit=_largest(frame["distance"], 0.01), title=title)
    texts = [
        [text + "•" * bool(cell and cell["rank"] == 1) for text, cell in zip(line, row, strict=True)]
        for line, row in zip(grid.texts, table, strict=True)
    ]
    first = tuple((i, j) for i, line in enumerate(texts) for j, text in enumerate(line) if "•" in text)
    return replace(grid, texts=texts, outlined=first, lowest=0.0, scale="Cividis")


def z_grid(frame: pd.DataFrame) -> Grid:
    """Return Z of the difference between two topics, a row a source and a column a pair (Figure 6).

    Parameters
    ----------
    frame
        Columns `source`, `topic_1`, `topic_2`, `z`, `p`, `formula`; optional `p_holm` and `reason`.
    """
    pairs = list(dict.fromkeys(zip(frame["topic_1"], frame["topic_2"], strict=True)))
    sources = list(frame["source"].unique())
    cells = {(row["source"], row["topic_1"], row["topic_2"]): row for row in frame.to_dict("records")}
    table = [[cells.get((source, *pair)) for pair in pairs] for source in sources]
    names = [f"{one} – {other}" for one, other in pairs]
    return _grid(table, sources, names, "z", limit=_largest(frame["z"], 1.96), title="Z")


def z_matrix(frame: pd.DataFrame, source: str) -> Grid:
    """Return one source's Z between every two topics: row minus column. Readable with thirty topics."""
    own = frame[frame["source"] == source]
    topics = list(dict.fromkeys([*own["topic_1"], *own["topic_2"]]))
    cells: dict[tuple[str, str], Cell] = {}
    for row in own.to_dict("records"):
        cells[row["topic_1"], row["topic_2"]] = row
        cells[row["topic_2"], row["topic_1"]] = {**row, "z": -row["z"]}
    table = [[cells.get((one, other)) for other in topics] for one in topics]
    return _grid(table, topics, topics, "z", limit=_largest(frame["z"], 1.96), title=f"Z of {source}")


def rating_grid(frame: pd.DataFrame, *, lowest: float, highest: float, title: str) -> Grid:
    """Return mean ratings, a row a system and a column a criterion.

    Parameters
    ----------
    frame
        Columns `system`, `criterion`, `value`; optional `n`.
    """
    systems, criteria = list(frame["system"].unique()), list(frame["criterion"].unique())
    cells = {(row["system"], row["criterion"]): row for row in frame.to_dict("records")}
    table = [[cells.get((system, criterion)) for criterion in criteria] for system in systems]
    grid = _grid(table, systems, criteria, "value", limit=highest, title=title)
    return replace(grid, lowest=lowest, scale="Cividis_r")


def heatmap(grid: Grid, *, narrow: bool = False) -> Figure:
    """Return a grid as a figure for the page; a click on a cell gives its `keys` as custom data.

    `narrow`: it has half the page's width. With many columns the cells hold their marks alone.
    """
    from plotly.graph_objects import Figure, Heatmap

    title = short(grid.title) if len(grid.rows) > 5 else None
    drawn = Heatmap(
        z=grid.values,
        x=list(range(len(grid.columns))),
        y=list(range(len(grid.rows))),
        text=grid.texts if len(grid.columns) <= _MOST_WRITTEN else signs(grid.texts),
        texttemplate="%{text}",
        textfont={"size": 11 if len(grid.columns) > 8 else 12},
        customdata=[
            [[note, *key] for note, key in zip(notes, keys, strict=True)]
            for notes, keys in zip(grid.notes, grid.keys, strict=True)
        ],
        hovertemplate="%{customdata[0]}<extra></extra>",
        hoverongaps=True,
        colorscale=grid.scale,
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
            "ticktext": labels,
        },
        yaxis={
            **axis,
            "autorange": "reversed",
            "tickvals": list(range(len(grid.rows))),
            "ticktext": shorts(list(grid.rows)),
        },
    )
    return figure


def heatmap_print(grid: Grid) -> matplotlib.figure.Figure:
    """Return the same grid drawn by seaborn, for print."""
    import pandas as pd
    import seaborn as sns
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
            cmap=_PRINTED[grid.scale],
            vmin=-grid.limit if grid.lowest is None else grid.lowest,
            vmax=grid.limit,
            linewidths=1,
            annot_kws={"size": 8},
            cbar_kws={"label": grid.title},
        )
    for row, column in grid.outlined:
        axes.add_patch(Rectangle((column + 0.03, row + 0.04), 0.94, 0.92, fill=False, ec=OUTLINE, lw=1.6))
    axes.tick_params(axis="x", labelrotation=-angle, labelsize=8)
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


def _grid(
    table: list[list[Cell | None]],
    rows: list[Any],
    columns: list[Any],
    value: str,
    *,
    limit: float,
    title: str,
) -> Grid:
    places = [(i, j) for i in range(len(rows)) for j in range(len(columns))]
    marked = {(i, j): _mark_of(table[i][j]) for i, j in places}
    return Grid(
        rows=tuple(str(row) for row in rows),
        columns=tuple(str(column) for column in columns),
        values=[[_value(cell, value) for cell in line] for line in table],
        texts=[
            [number(_value(cell, value)) + marked[i, j] for j, cell in enumerate(line)]
            for i, line in enumerate(table)
        ],
        notes=[
            [_note(rows[i], columns[j], cell, value) for j, cell in enumerate(line)]
            for i, line in enumerate(table)
        ],
        keys=[[(str(row), str(column)) for column in columns] for row in rows],
        outlined=tuple(place for place in places if marked[place]),
        limit=limit,
        title=title,
    )


def _value(cell: Cell | None, name: str) -> float | None:
    given = None if cell is None else cell[name]
    return None if given is None or math.isnan(given) else float(given)


def _mark_of(cell: Cell | None) -> str:
    return "" if cell is None else mark(_value(cell, "p") if "p" in cell else None, cell.get("p_holm"))


def _note(row: Any, column: Any, cell: Cell | None, value: str) -> str:
    where = f"{row}<br>{column}"
    if cell is None:
        return f"{where}<br>not compared"
    if _value(cell, value) is None:
        return f"{where}<br>missing: {cell.get('reason') or 'no value'}"
    parts = [f"{where}<br>{value} = {number(_value(cell, value), 4)}"]
    if "p" in cell:
        parts.append(chance(_value(cell, "p")))
    if cell.get("p_holm") is not None:
        parts.append(f"after Holm {chance(_value(cell, 'p_holm'))}")
    if (n := _value(cell, "n") if "n" in cell else None) is not None:
        parts.append(f"n = {n:.0f}")
    return "<br>".join(parts)


def _largest(values: pd.Series[float], at_least: float) -> float:
    return max([at_least, *(abs(float(value)) for value in values.dropna())])
