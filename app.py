"""The dashboard's entry point: page settings, and navigation over the modules of `pages`."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import streamlit as st

import pages
from pages._ui.page import Page, enter

FOLDER = Path(__file__).parent / "pages"


def find_pages() -> list[Page]:
    """Return the PAGE of every module in the folder, in their order."""
    names = [info.name for info in pkgutil.iter_modules([str(FOLDER)]) if not info.name.startswith("_")]
    found = [importlib.import_module(f"{pages.__name__}.{name}").PAGE for name in names]
    return sorted(found, key=lambda page: page.order)


enter()
# A picture of our own: Streamlit fetches the icons of browser tabs that it knows by name from a host.
st.set_page_config(page_icon=FOLDER / "_ui" / "icon.svg", layout="wide", initial_sidebar_state=250)
st.navigation(
    [
        st.Page(
            FOLDER / page.file, title=page.title, icon=page.icon, help=page.about, default=page.order == 0
        )
        for page in find_pages()
    ]
).run()
