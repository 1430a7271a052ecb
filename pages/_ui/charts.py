"""Charts in the colours of the page's theme, each with its description in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from plotly.graph_objects import Figure


def show_chart(figure: Figure, *, words: str, key: str, on_click: Callable[[], None] | None = None) -> None:
    """Show a figure; `words` is what a screen reader says in its place.

    A click on a point calls `on_click`; the point is then in the session state under `key`.
    """
    # Streamlit's own grey of the axes is too faint to read easily.
    ink = {"color": st.get_option(f"theme.{_theme()}.textColor")}
    figure.update_layout(font=ink, legend={"font": ink})
    figure.update_xaxes(tickfont=ink)
    figure.update_yaxes(tickfont=ink)
    st.plotly_chart(
        figure,
        key=key,
        config={"displayModeBar": False},
        alt=words,
        on_select=on_click or "ignore",
        selection_mode="points",
    )


def _theme() -> str:
    return "dark" if st.context.theme.type == "dark" else "light"
