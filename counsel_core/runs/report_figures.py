"""The figures of a report, drawn for print from the same tables as those of the pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from counsel_core.plots.distances import distance_alt_text, distance_print
from counsel_core.plots.grids import MARKS, correlation_grid, z_grid
from counsel_core.plots.heatmaps import grid_alt_text, heatmap_print
from counsel_core.plots.printing import print_bytes
from counsel_core.plots.profile import profile_alt_text, profile_print
from counsel_core.plots.significance import significance_alt_text, significance_print
from counsel_core.runs.plan import Plan
from counsel_core.runs.profiles import profile_rows

if TYPE_CHECKING:
    import matplotlib.figure
    import pandas as pd

MOST_PAIRS = 15
"""Pairs of topics in one grid: those of six topics; the rest are in the table."""


@dataclass(frozen=True, slots=True)
class ReportFigure:
    """A figure as SVG, what it says in words, and the table it stands before."""

    before: str
    caption: str
    words: str
    svg: bytes


def report_figures(plan: Plan, tables: Mapping[str, pd.DataFrame]) -> list[ReportFigure]:
    """Draw what the tables hold enough for; a table without values has no figure."""
    makers: tuple[Callable[[], ReportFigure | None], ...] = (
        lambda: _distances(tables["distances"]),
        lambda: _profile(plan, tables["summary"]),
        lambda: _topics(tables["topics"]),
        lambda: _significance(tables["topics"]),
        lambda: _z(tables["z_scores"]),
    )
    return [figure for make in makers if (figure := make()) is not None]


def _distances(frame: pd.DataFrame) -> ReportFigure | None:
    known = frame.dropna(subset=["distance"])
    if not len(known):
        return None
    caption = "Distance of each source's profile to the reference; bars: 95 % intervals. Nearer is left."
    return _figure("distances", caption, distance_alt_text(known), distance_print(known))


def _profile(plan: Plan, summary: pd.DataFrame) -> ReportFigure | None:
    frame = profile_rows(summary, plan.metrics).dropna(subset=["value"])
    if not len(frame):
        return None
    caption = "Normalised means by metric; the broad grey line is the reference."
    return _figure("summary", caption, profile_alt_text(frame), profile_print(frame))


def _topics(frame: pd.DataFrame) -> ReportFigure | None:
    if not frame["r"].notna().any():
        return None
    grid = correlation_grid(frame)
    return _figure("topics", MARKS, grid_alt_text(grid), heatmap_print(grid))


def _significance(frame: pd.DataFrame) -> ReportFigure | None:
    known = frame.dropna(subset=["p"])
    if not len(known):
        return None
    caption = "p of each correlation by topic, before Holm's correction."
    return _figure("topics", caption, significance_alt_text(known), significance_print(known))


def _z(frame: pd.DataFrame) -> ReportFigure | None:
    paper = frame[frame["formula"] == "paper"].dropna(subset=["z"])
    pairs = paper[["topic_1", "topic_2"]].drop_duplicates()
    if not 0 < len(pairs) <= MOST_PAIRS:
        return None
    grid = z_grid(paper)
    caption = f"Z between topics by the paper's formula. {MARKS}"
    return _figure("z_scores", caption, grid_alt_text(grid), heatmap_print(grid))


def _figure(before: str, caption: str, words: str, drawn: matplotlib.figure.Figure) -> ReportFigure:
    return ReportFigure(before, caption, words, print_bytes(drawn, "svg"))
