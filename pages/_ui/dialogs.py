"""Dialogs that stay open: nothing that goes on behind them draws the page anew."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Literal, ParamSpec

import streamlit as st

from pages._ui.chat_address import pause

P = ParamSpec("P")
_OPEN = "dialog_open"


def dialog(
    title: str,
    *,
    icon: str,
    width: Literal["small", "medium", "large"] = "small",
    position: Literal["center", "right"] = "center",
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Make a function a dialog. While it is open no sample client plays, and an answer waits to be shown.

    A dialog closes whenever the whole page is drawn anew without a call to it.
    """

    def decorate(body: Callable[P, None]) -> Callable[P, None]:
        shown = st.dialog(title, icon=icon, width=width, position=position, on_dismiss="rerun")(body)

        @wraps(body)
        def opened(*arguments: P.args, **options: P.kwargs) -> None:
            st.session_state[_OPEN] = True
            pause()
            shown(*arguments, **options)

        return opened

    return decorate


def no_dialog_yet() -> None:
    """Note that the page is drawn anew: what was open is closed."""
    st.session_state[_OPEN] = False


def dialog_is_open() -> bool:
    """Whether a dialog stands before the page."""
    return bool(st.session_state.get(_OPEN))
