"""Grids of numbers as heatmaps: correlations by topic, Z scores between topics, ratings by criterion."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from counsel_core.plots._look import (
    DIVERGING,
    FAR_TO_NEAR,
    NEAR_TO_FAR,
    chance,
    mark,
    number,
    plain,
)
from counsel_core.records import OTHER_THERAPISTS

if TYPE_CHECKING:
    import pandas as pd

MARKS = "Outlined: p below 0.05 (∗), still so after Holm's correction (∗∗). A dash: missing."
NEAREST = (
    "Outlined (•): the nearest model of each topic, if it is alone. °: over fewer metrics than others, "
    "so that it is not ranked. A dash: missing."
)
FEWEST = 3  # metrics whose correlation says anything

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
    scale: tuple[str, ...] = DIVERGING


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
    texts = []
    for line, row in zip(grid.texts, table, strict=True):
        alone = sum(cell is not None and cell["rank"] == 1 for cell in row) == 1
        texts.append([text + _rank_mark(cell, alone=alone) for text, cell in zip(line, row, strict=True)])
    first = tuple((i, j) for i, line in enumerate(texts) for j, text in enumerate(line) if "•" in text)
    return replace(grid, texts=texts, outlined=first, lowest=0.0, scale=NEAR_TO_FAR)


def _rank_mark(cell: Cell | None, *, alone: bool) -> str:
    if cell is None or _value(cell, "distance") is None:
        return ""
    if _value(cell, "rank") is None:
        return "" if cell["source"] == OTHER_THERAPISTS else "°"
    return "•" if cell["rank"] == 1 and alone else ""


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
    return replace(grid, lowest=lowest, scale=FAR_TO_NEAR)


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
    if name == "r" and cell is not None and cell.get("n", FEWEST) < FEWEST:
        return None  # two points always lie on a line
    return None if given is None or math.isnan(given) else float(given)


def _mark_of(cell: Cell | None) -> str:
    return "" if cell is None else mark(_value(cell, "p") if "p" in cell else None, cell.get("p_holm"))


def _note(row: Any, column: Any, cell: Cell | None, value: str) -> str:
    where = f"{plain(str(row))}<br>{plain(str(column))}"
    if cell is None:
        return f"{where}<br>not compared"
    if _value(cell, value) is None:
        return f"{where}<br>missing: {plain(str(cell.get('reason') or 'no value'))}"
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
