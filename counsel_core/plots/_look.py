"""What all figures share: colours, symbols, and how values and marks are written in cells."""

from __future__ import annotations

import math
import textwrap
from typing import Any

DIVERGING = ("#4c9bd0", "#a9d0ea", "#f7f7f7", "#f6b8a4", "#e8735a")
"""Blue below 0, red above: kept apart by every common colour blindness, and light enough for dark text."""
NEAR_TO_FAR = ("#4c9bd0", "#9ccbc9", "#fbf3d0")
"""From what is near to what is far; dark text is readable on each (4.5 : 1)."""
FAR_TO_NEAR = tuple(reversed(NEAR_TO_FAR))
CELL_TEXT = "#101719"
OUTLINE = "#111111"
REFERENCE_COLOUR = "#808080"
# Told apart without colour: twelve sources may stand in one chart.
SYMBOLS = (
    "circle",
    "square",
    "diamond",
    "triangle-up",
    "triangle-down",
    "cross",
    "x",
    "star",
    "pentagon",
    "hexagon",
    "bowtie",
    "hourglass",
)
DASHES = ("solid", "dash", "dot", "dashdot")
MARKERS = ("o", "s", "D", "^", "v", "P", "X", "*", "p", "h", "<", ">")

LONGEST_LABEL = 28
LEGEND_ROWS = 24
"""Sources in one column of a printed legend."""
LEGEND_ABOVE: dict[str, Any] = {"orientation": "h", "x": 0, "y": 1.04, "yanchor": "bottom", "title": None}


def short(label: object, longest: int = LONGEST_LABEL) -> str:
    """Return a label that fits beside an axis; a longer one is cut and says so.

    Examples
    --------
    >>> short("family-conflict-and-separation", 12)
    'family-conf…'
    """
    text = str(label)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def plain(label: str) -> str:
    """Return a label that plotly shows as it is: it would read tags and entities in it.

    Examples
    --------
    >>> plain("<b>A & B</b>")
    '&lt;b&gt;A &amp; B&lt;/b&gt;'
    """
    return label.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def shorts(labels: list[Any], longest: int = LONGEST_LABEL) -> list[str]:
    """Return short labels that still differ, as an axis would draw two equal ones at one place.

    Examples
    --------
    >>> shorts(["a long name, first", "a long name, second"], 9)
    ['a long n…', 'a long… 2']
    """
    made: list[str] = []
    for label in labels:
        name, number = short(label, longest), 2
        while name in made:
            name = f"{short(label, longest - 2)} {number}"
            number += 1
        made.append(name)
    return made


def signs(texts: list[list[str]]) -> list[list[str]]:
    """Return the marks of cells without their values, for cells too narrow for both.

    Examples
    --------
    >>> signs([["0.84∗", "–"]])
    [['∗', '']]
    """
    return [["".join(sign for sign in text if sign in "∗•°") for text in line] for line in texts]


def slant(labels: list[str], *, narrow: bool = False) -> tuple[int, int]:
    """Return the angle of labels over a grid, and the room in pixels that they take beyond the usual.

    Examples
    --------
    >>> slant(["GPT4", "Llama"]), slant(["a name of some length"] * 5), slant(["anxiety"] * 30)
    ((0, 0), (-40, 34), (-90, 0))
    """
    longest = max(map(len, labels), default=0)
    if len(labels) <= 5 and longest * len(labels) <= (20 if narrow else 66):
        return 0, 0
    angle, height = (-40, 4.5) if len(labels) <= 16 else (-90, 6.5)
    return angle, max(0, int(longest * height) - 60)


def outline(row: int, column: int) -> dict[str, Any]:
    """Return the shape that outlines a cell of a heatmap."""
    corners = {"x0": column - 0.49, "x1": column + 0.49, "y0": row - 0.46, "y1": row + 0.46}
    return {"type": "rect", "line": {"width": 2, "color": OUTLINE}, **corners}


def wrapped(label: str, width: int = 14) -> str:
    """Return a label broken into lines, so that it stands upright under an axis.

    Examples
    --------
    >>> wrapped("Intra-response sentiment")
    'Intra-response<br>sentiment'
    """
    return "<br>".join(textwrap.wrap(label, width))


def number(value: float | None, digits: int = 2) -> str:
    """Return a value as it is written in a cell; a missing one is a dash.

    Examples
    --------
    >>> number(-0.0361), number(None), number(float("nan"))
    ('−0.04', '–', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    return f"{value:.{digits}f}".replace("-", "−")


def chance(p: float | None) -> str:
    """Return a p value as papers write it.

    Examples
    --------
    >>> chance(0.0004), chance(0.0412), chance(None)
    ('p < 0.001', 'p = 0.041', 'p missing')
    """
    if p is None or math.isnan(p):
        return "p missing"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def mark(p: float | None, p_holm: float | None, alpha: float = 0.05) -> str:
    """Return `∗` where a raw p is below alpha, `∗∗` where it still is after Holm's correction."""
    if p_holm is not None and p_holm < alpha:
        return "∗∗"
    return "∗" if p is not None and p < alpha else ""
