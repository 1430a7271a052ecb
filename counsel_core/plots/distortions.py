"""How the cognitive distortions that a client has shown compare: S(cd) and what it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

OKABE_ITO = ("#0072B2", "#E69F00", "#009E73")
"""Colours that the colour-blind can tell apart (Okabe and Ito 2008)."""

COMPONENTS = ("recency", "frequency", "severity")
# A texture tells the components apart where colour cannot: in grey print, or for the colour-blind.
_TEXTURES = {"recency": "", "frequency": "/", "severity": "."}
_TARGET_MARK = "★ "
# With less height a legend of three lines, as in a narrow panel, would push the bars' names out.
LEAST_ROWS = 3
NARROW_NAME = 18  # characters of a line, marks included


def distortion_bars(
    scores: pd.DataFrame,
    target: str | None,
    colours: Sequence[str] | None = OKABE_ITO,
    *,
    narrow: bool = False,
) -> Figure:
    """Return horizontal stacked bars of S(cd) by type, the highest on top, the target starred.

    Parameters
    ----------
    scores
        One row a type; columns `type`, `recency`, `frequency`, `severity` (each already multiplied
        by its α) and `total`, their sum.
    target
        The type that is cd*, or None.
    colours
        One a component; None leaves them to the template, such as a page's theme.
    narrow
        Whether there is little room beside the bars, so that long names take two lines.

    Notes
    -----
    Source: Lee et al. 2024, section 2.2 and equation 1.
    """
    from plotly.graph_objects import Bar, Figure

    # Of types that are level the frame's first, which is the target, is drawn on top too.
    rows = scores.sort_values("total", ascending=False, kind="stable").iloc[::-1]
    names = [f"<b>{_TARGET_MARK}{name}</b>" if name == target else name for name in rows["type"]]
    if narrow:
        names = ["<br>".join(wrap(name, NARROW_NAME)) for name in names]
    bars = [
        Bar(
            y=names,
            x=rows[part],
            name=part.capitalize(),
            orientation="h",
            marker={"pattern": {"shape": _TEXTURES[part], "fillmode": "overlay", "size": 6}},
            hovertemplate=f"%{{y}}<br>{part} %{{x:.2f}}<extra></extra>",
        )
        for part in COMPONENTS
    ]
    figure = Figure(bars)
    figure.update_layout(
        colorway=list(colours) if colours else None,
        barmode="stack",
        bargap=0.35 if len(rows) >= LEAST_ROWS else 0.6,
        height=76 + 28 * max(len(rows), LEAST_ROWS),
        margin={"l": 8, "r": 8, "t": 32, "b": 8},
        # From the figure's edge, not from the bars': so the legend takes few lines in a narrow panel.
        legend={
            "orientation": "h",
            "xref": "container",
            "yref": "container",
            "x": 0,
            "y": 1,
            "yanchor": "top",
            "traceorder": "normal",
            "font": {"size": 11},
        },
        xaxis={"rangemode": "tozero", "title": None, "fixedrange": True, "nticks": 5},
        yaxis={"title": None, "automargin": True, "fixedrange": True, "dtick": 1},
    )
    return figure


def distortion_alt_text(scores: pd.DataFrame, target: str | None) -> str:
    """Say in words what `distortion_bars` shows, the highest first.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"type": "Labeling", "recency": 1, "frequency": 0.5, "severity": 1, "total": 2.5}
    >>> distortion_alt_text(pd.DataFrame([row]), "Labeling")
    'Target (cd*): Labeling. Labeling 2.50 (recency 1.00, frequency 0.50, severity 1.00).'
    """
    rows = scores.sort_values("total", ascending=False, kind="stable")
    parts = [
        f"{row['type']} {row['total']:.2f} ("
        + ", ".join(f"{part} {row[part]:.2f}" for part in COMPONENTS)
        + ")"
        for row in rows.to_dict("records")
    ]
    said = "; ".join(parts) or "No distortion has been noticed"
    return f"Target (cd*): {target or 'none'}. {said}."
