"""Parts of a page as tall as the window allows: a height that no native element offers."""

from __future__ import annotations

import streamlit as st

NARROW = 1180
"""Below this width of the window what stands above the containers takes more lines."""
LEAST = 240


def fill_window(taken: dict[str, int], *, more_when_narrow: int) -> None:
    """Make containers end where the window does.

    Where a browser does not understand this, the container's own height, in pixels, holds.

    Parameters
    ----------
    taken
        What stands above and below each container, in pixels, by the container's key.
    more_when_narrow
        How much more that is in a narrow window.
    """
    wide = "".join(_rule(key, pixels) for key, pixels in taken.items())
    narrow = "".join(_rule(key, pixels + more_when_narrow) for key, pixels in taken.items())
    st.html(f"<style>{wide}@media (max-width: {NARROW}px) {{{narrow}}}</style>")


def _rule(key: str, pixels: int) -> str:
    # A container with a fixed height is two elements, one in the other; the class is Streamlit's, by the key.
    inner = f".st-key-{key}"
    height = f"max({LEAST}px, 100dvh - {pixels}px)"
    return f"{inner}, :has(> {inner}) {{height: {height} !important; flex-basis: {height} !important}}"
