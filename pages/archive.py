"""The Archive: every session and evaluation, to search, reopen, replay, compare, export or delete."""

from __future__ import annotations

import streamlit as st

from pages._ui.archive_address import COMPARE, REPLAY
from pages._ui.audit_log import audit_log
from pages._ui.comparison import comparison
from pages._ui.errors import problems_shown
from pages._ui.page import Page, run
from pages._ui.replay import replay
from pages._ui.retention import retention_line
from pages._ui.run_list import run_list
from pages._ui.session_list import session_list

PAGE = Page(
    file="archive.py",
    title="Archive",
    icon=":material/inventory_2:",
    order=6,
    about="Every session and evaluation: search, reopen, replay, compare, export, delete",
)


def render() -> None:
    """Show what the address asks for."""
    with problems_shown():
        if REPLAY in st.query_params:
            replay(st.query_params[REPLAY])
        elif COMPARE in st.query_params:
            comparison(st.query_params.get_all(COMPARE))
        else:
            st.title("Archive", anchor=False)
            sessions, evaluations, log = st.tabs(["Sessions", "Evaluations", "Audit log"])
            with sessions:
                retention_line()
                session_list()
            with log, problems_shown():
                audit_log()
            with evaluations, problems_shown():
                run_list()


if __name__ == "__main__":
    run(render)
