"""What a page says of itself, so that the navigation finds it, and how it is run."""

from __future__ import annotations

import runpy
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from counsel_core.settings import PROJECT
from pages._ui.dialogs import no_dialog_yet

_ENTERED = "entered_through_app"


@dataclass(frozen=True)
class Page:
    """A page of the dashboard: its file in `pages`, and how the navigation shows it."""

    file: str
    title: str
    icon: str
    order: int
    about: str


def enter() -> None:
    """Note that the visit goes through `app.py`, which sets up the page and the navigation."""
    st.session_state[_ENTERED] = True


def run(render: Callable[[], None]) -> None:
    """Draw a page.

    A fresh server that is first asked for a page's own address runs that file alone, because the folder
    is named `pages`. Then `app.py` is run from here; its `st.navigation` ends that for all later visits.
    """
    if _ENTERED in st.session_state:
        no_dialog_yet()
        render()
    else:
        runpy.run_path(str(PROJECT / "app.py"))
