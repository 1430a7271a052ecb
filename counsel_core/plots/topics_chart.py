"""How many questions a data set has on each topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counsel_core.plots._look import shorts
from counsel_core.plots.printing import names_as_they_are

if TYPE_CHECKING:
    import matplotlib.figure
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
        # A topic called 2020 is a name, too.
        yaxis={
            "type": "category",
            "autorange": "reversed",
            "automargin": True,
            "title": None,
            "fixedrange": True,
            "dtick": 1,
        },
    )
    return figure


def topics_print(frame: pd.DataFrame) -> matplotlib.figure.Figure:
    """Return the same bars drawn by seaborn, for print."""
    import seaborn as sns
    from matplotlib.figure import Figure

    rows = frame.sort_values("questions", ascending=False, kind="stable")
    names = shorts(list(rows["topic"]))
    figure = Figure(figsize=(6.4, 0.9 + 0.24 * max(len(rows), 2)), layout="constrained")
    axes = figure.subplots()
    with names_as_they_are():
        sns.barplot(rows.assign(topic=names), x="questions", y="topic", color="#0072b2", ax=axes)
        for place, count in enumerate(rows["questions"]):
            axes.text(count, place, f" {count:,}", va="center", fontsize=7)
    axes.set(xlabel="Questions", ylabel="")
    axes.tick_params(axis="y", labelsize=8)
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
