"""The published tables of the framework and SuDoSys papers, and what they give when recomputed."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from counsel_core.errors import DataFileError, UnknownNameError
from counsel_core.records import REFERENCE
from counsel_core.settings import DATA
from counsel_core.statistics.adjust import holm
from counsel_core.statistics.correlation import p_of_r, paper_z, pearson, two_sided
from counsel_core.toml_file import parse_toml

if TYPE_CHECKING:
    import pandas as pd

FOLDER = DATA / "published"
RECOMPUTED = ("3", "5", "6", "7")
"""The tables of the framework paper that follow from two others: 3 from 2, the rest from 4."""
SCALES = {
    "Sentiment Change": 1.0,
    "Intra Sentiment Change": 1.0,
    "Simplicity": 0.01,
    "Recycling": 1.0,
    "Agreeability": 0.1,
    "Active Listening": 0.1,
}
"""What Table 2's means are multiplied with before they are correlated (found by reproducing Table 3)."""
REFERENCE_ROW = "GS"
_METRICS = 6
_SLACK = 1e-9
"""Of a printed digit: what binary fractions add to a difference of exactly half of one."""

Paper = Literal["framework", "sudosys"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as printed and as recomputed from the paper's other tables.

    `rounding` is how far the rounding of the printed inputs and of the cell itself can move it.
    """

    row: str
    column: str
    printed: float
    recomputed: float
    half_digit: float
    rounding: float

    @property
    def difference(self) -> float:
        """Recomputed minus printed."""
        return self.recomputed - self.printed

    @property
    def differs(self) -> bool:
        """True where rounding the recomputed value gives other digits than were printed."""
        return abs(self.difference) > self.half_digit * (1 + _SLACK)

    @property
    def explained(self) -> bool:
        """True where the rounding of the printed inputs is enough to explain the difference."""
        return abs(self.difference) <= self.rounding * (1 + _SLACK)


@dataclass(frozen=True, slots=True)
class RecomputedTable:
    """One table of the framework paper, cell by cell."""

    table: str
    cells: tuple[Cell, ...]

    @property
    def max_abs_error(self) -> float:
        """The largest difference of any cell."""
        return max(abs(cell.difference) for cell in self.cells)

    @property
    def differing(self) -> tuple[Cell, ...]:
        """The cells whose printed digits are not those recomputed."""
        return tuple(cell for cell in self.cells if cell.differs)


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Where a paper's text, tables or code disagree: what it says, and what is the case."""

    paper: str
    tables: tuple[str, ...]
    title: str
    says: str
    found: str


def load_table(table: str, paper: Paper = "framework") -> pd.DataFrame:
    """Load a published table: one row a model, as printed; an empty cell is missing.

    Parameters
    ----------
    table
        Number of the table: "1" to "8" of the framework paper, "1" or "2" of SuDoSys's.

    Raises
    ------
    UnknownNameError
        There is no such table here.
    """
    import pandas as pd

    files = {file.stem: file for file in sorted(FOLDER.glob("*_table_*.csv"))}
    name = f"{paper}_table_{table}"
    if name not in files:
        raise UnknownNameError("published table", name, files)
    return pd.read_csv(files[name], index_col=0, keep_default_na=False, na_values=[""])


def recompute(table: str) -> RecomputedTable:
    """Recompute one of the tables 3, 5, 6, 7 of the framework paper from its tables 2 and 4.

    Examples
    --------
    >>> recompute("3").max_abs_error < 5e-6
    True
    >>> [(cell.row, cell.column) for cell in recompute("3").differing]
    [('Mistral 7_2', 'Pearson Correlation'), ('Mistral 7_2', 'P Value')]
    """
    if table not in RECOMPUTED:
        raise UnknownNameError("recomputed table", table, RECOMPUTED)
    make = _table_3 if table == "3" else _table_of_4
    return RecomputedTable(table, tuple(make(table)))


def _table_3(table: str) -> list[Cell]:
    _, means = _read("2")
    reference = means[REFERENCE_ROW]
    cells = []
    for row, printed in _read(table)[1].items():
        inputs = [
            *(means[_as_in_table_2(row)][name] for name in SCALES),
            *(reference[name] for name in SCALES),
        ]
        numbers, half = [float(text) for text in inputs], [_half_digit(text) for text in inputs]
        for index, (column, text) in enumerate(printed.items()):
            compute = _r if index == 0 else _p_of_profiles
            cells.append(_cell(row, column, text, compute, numbers, half))
    return cells


def _r(values: Sequence[float]) -> float:
    """Correlate a model's six means with the reference's, which follow them."""
    scaled = [value * scale for value, scale in zip(values, [*SCALES.values()] * 2, strict=True)]
    return _known(pearson(scaled[:_METRICS], scaled[_METRICS:]).r)


def _p_of_profiles(values: Sequence[float]) -> float:
    return _known(p_of_r(_r(values), _METRICS))


def _table_of_4(table: str) -> list[Cell]:
    _, correlations = _read("4")
    cells = []
    for row, printed in _read(table)[1].items():
        for column, text in printed.items():
            inputs = [correlations[row][topic] for topic in column.split(" vs ")]
            numbers, half = [float(value) for value in inputs], [_half_digit(value) for value in inputs]
            cells.append(_cell(row, column, text, _p if table == "5" else _z, numbers, half))
    return cells


def _p(values: Sequence[float]) -> float:
    return _known(p_of_r(values[0], _METRICS))


def _z(values: Sequence[float]) -> float:
    return _known(paper_z(values[0], values[1]))


def _known(value: float | None) -> float:
    if value is None:
        raise DataFileError("framework_table_2.csv or _4.csv", "constant means, or an r outside -1 to 1")
    return value


def _cell(
    row: str,
    column: str,
    printed: str,
    compute: Callable[[Sequence[float]], float],
    inputs: list[float],
    half: list[float],
) -> Cell:
    value = compute(inputs)
    moved = sum(
        max(abs(compute([*inputs[:i], inputs[i] + step, *inputs[i + 1 :]]) - value) for step in (-h, h))
        for i, h in enumerate(half)
    )
    digit = _half_digit(printed)
    return Cell(row, column, float(printed), value, digit, moved + digit)


def _half_digit(text: str) -> float:
    """Half a unit of the last printed place: 0.00005 for '0.7017'."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def _as_in_table_2(row: str) -> str:
    """Table 2 writes 'Mistral 7 2' where the others write 'Mistral 7_2'."""
    return row.replace("_", " ")


@cache
def _read(table: str) -> tuple[list[str], dict[str, dict[str, str]]]:
    """Read a table as text, so that the number of printed places is known."""
    file = FOLDER / f"framework_table_{table}.csv"
    with file.open(encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    return header[1:], {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


def correlation_frame() -> pd.DataFrame:
    """Tables 4 and 5 as drawn: `topic, source, r, p, p_holm, n`, Holm's correction over all 45."""
    frame = _long(load_table("4"), "source", "topic", "r")
    frame["p"] = _long(load_table("5"), "source", "topic", "p")["p"]
    return frame.assign(p_holm=_adjusted(frame["p"]), n=_METRICS)


def z_frame() -> pd.DataFrame:
    """Tables 6 and 7 as drawn: `source, topic_1, topic_2, z, p, p_holm, formula`; p is z's."""
    import pandas as pd

    frame = _long(pd.concat([load_table("6"), load_table("7")], axis=1), "source", "pair", "z")
    frame[["topic_1", "topic_2"]] = frame.pop("pair").str.split(" vs ", expand=True)
    frame["p"] = frame["z"].map(two_sided)
    return frame.assign(p_holm=_adjusted(frame["p"]), formula="paper")


def profile_frame() -> pd.DataFrame:
    """Table 2's six metrics as drawn: `source, metric, mean, value` (normalised); no `n`, no interval."""
    frame = _long(load_table("2")[list(SCALES)], "source", "metric", "mean")
    frame["source"] = frame["source"].replace({REFERENCE_ROW: REFERENCE})
    value = frame["mean"] * frame["metric"].map(SCALES)
    return frame.assign(value=value, n=float("nan"), low=float("nan"), high=float("nan"))


def rating_frame(table: str) -> pd.DataFrame:
    """SuDoSys's Table 1 (judged) or 2 (by people) as drawn: `system, criterion, value` from 1 to 5."""
    return _long(load_table(table, "sudosys"), "system", "criterion", "value")


def _long(wide: pd.DataFrame, row: str, column: str, value: str) -> pd.DataFrame:
    """Turn a table into a row a cell, row by row of the table."""
    order = {name: place for place, name in enumerate(wide.index)}
    named = wide.rename_axis(index=row, columns=None).reset_index()
    cells = named.melt(id_vars=row, var_name=column, value_name=value)
    return cells.sort_values(row, key=lambda names: names.map(order), kind="stable", ignore_index=True)


def _adjusted(ps: pd.Series[float]) -> pd.Series[float]:
    import pandas as pd

    return pd.Series(holm(ps.tolist()), index=ps.index, dtype=float)


def load_contradictions() -> tuple[Contradiction, ...]:
    """Load where the papers contradict themselves, in our own words.

    Raises
    ------
    DataFileError
        An entry lacks a key; the entry is named.
    """
    file = FOLDER / "contradictions.toml"
    found: list[dict[str, Any]] = parse_toml(file.read_bytes(), file.name)["contradiction"]
    keys = ("paper", "tables", "title", "says", "found")
    for number, entry in enumerate(found, start=1):
        if missing := [key for key in keys if key not in entry]:
            reason = f"entry {number} lacks {', '.join(missing)}; each has {', '.join(keys)}"
            raise DataFileError(file.name, reason, key="contradiction")
    return tuple(
        Contradiction(entry["paper"], tuple(entry["tables"]), entry["title"], entry["says"], entry["found"])
        for entry in found
    )
