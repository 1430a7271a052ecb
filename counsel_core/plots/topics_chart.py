"""How many questions a data set has on each topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counsel_core.plots._look import shorts

if TYPE_CHECKING:
    import pandas as pd
    from plotly.graph_objects import Figure

_ROW, _FRAME = 22, 48


def topics_chart(frame: pd.DataFrame) -> Figure:
    """Return one bar a topic, the largest on top, its number beside it.

    Parameters
    ----------
    frame
        Columns `topic`, `questions` (a count).
    """
    from plotly.graph_objects import Bar, Figure

    rows = frame.sort_values("questions", ascending=False, kind="stable")
    figure = Figure(
        Bar(
            x=rows["questions"],
            y=shorts(list(rows["topic"])),
            orientation="h",
            text=rows["questions"],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x} questions<extra></extra>",
        )
    )
    figure.update_layout(
        height=_FRAME + _ROW * max(len(rows), 2),
        margin={"l": 8, "r": 40, "t": 8, "b": 8},
        bargap=0.3,
        xaxis={"title": None, "rangemode": "tozero", "fixedrange": True, "nticks": 6},
        yaxis={"autorange": "reversed", "automargin": True, "title": None, "fixedrange": True, "dtick": 1},
    )
    return figure


def topics_alt_text(frame: pd.DataFrame) -> str:
    """Say in words how many questions each topic has.

    Examples
    --------
    >>> import pandas as pd
    >>> topics_alt_text(pd.DataFrame({"topic": ["sleep", "anxiety"], "questions": [2, 5]}))
    'Questions by topic: anxiety 5, sleep 2.'
    """
    rows = frame.sort_values("questions", ascending=False, kind="stable").to_dict("records")
    said = ", ".join(f"{row['topic']} {row['questions']}" for row in rows)
    return f"Questions by topic: {said}." if said else "No topics are given."
