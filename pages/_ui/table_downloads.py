"""Every table and chart to take away: CSV and LaTeX of the numbers, PNG, SVG and PDF of the picture."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from counsel_core.plots.printing import PrintFormat, print_bytes
from pages._ui.downloads import csv_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MIMES: dict[PrintFormat, str] = {
    "png": "image/png",
    "svg": "image/svg+xml",
    "pdf": "application/pdf",
}


def table_downloads(
    frame: pd.DataFrame, name: str, *, key: str, figure: Callable[[], Figure] | None = None
) -> None:
    """Offer a table as CSV and LaTeX and, where it is drawn too, the figure for print.

    Files are made when they are asked for.
    """
    with st.container(horizontal=True, gap="small"):
        _button("CSV", lambda: csv_bytes(frame), f"{name}.csv", "text/csv", f"{key}_csv")
        _button("LaTeX", lambda: latex_bytes(frame), f"{name}.tex", "text/plain", f"{key}_tex")
        if figure is not None:
            _print_buttons(figure, name, key)


def print_downloads(figure: Callable[[], Figure], name: str, *, key: str) -> None:
    """Offer a figure for print: PNG at 300 dots an inch, SVG, PDF."""
    with st.container(horizontal=True, gap="small"):
        _print_buttons(figure, name, key)


def latex_bytes(frame: pd.DataFrame) -> bytes:
    r"""Return a LaTeX table with every special character escaped.

    Examples
    --------
    >>> latex_bytes(pd.DataFrame({"source": ["a_b"], "n": [3]})).decode().splitlines()[3]
    'a\\_b & 3 \\\\'
    """
    numbers = len(frame.select_dtypes("number").columns)
    columns = "l" * (len(frame.columns) - numbers) + "r" * numbers
    head = " & ".join(_escaped(column) for column in frame.columns)
    lines = [" & ".join(_escaped(cell) for cell in row) for row in frame.itertuples(index=False)]
    rows = [f"{line} \\\\" for line in (head, *lines)]
    text = "\n".join([f"\\begin{{tabular}}{{{columns}}}", rows[0], "\\hline", *rows[1:], "\\end{tabular}"])
    return f"{text}\n".encode()


def _escaped(cell: object) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "--"
    text = f"{cell:.6g}" if isinstance(cell, float) else str(cell)
    return "".join(_LATEX.get(character, character) for character in text)


_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\n": " ",
}


def _print_buttons(figure: Callable[[], Figure], name: str, key: str) -> None:
    for form, mime in _MIMES.items():
        _button(
            form.upper(),
            lambda form=form: print_bytes(figure(), form),
            f"{name}.{form}",
            mime,
            f"{key}_{form}",
        )


def _button(label: str, data: Callable[[], bytes], file_name: str, mime: str, key: str) -> None:
    st.download_button(
        label,
        data,
        file_name=file_name,
        mime=mime,
        key=key,
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
    )
