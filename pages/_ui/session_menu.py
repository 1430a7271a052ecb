"""What can be done with a whole session: rename, branch, rewind, export, delete."""

from __future__ import annotations

import re

import streamlit as st

from counsel_core.exports import export_session
from counsel_core.records import Session
from counsel_core.storage.sessions import LONGEST_TITLE, delete_session, rename_session
from pages._ui.chat_address import SESSION, leave_session
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.measures import count_text
from pages._ui.turn_actions import branch, rewind_dialog
from pages._ui.workspace import database

RENAME, BRANCH, REWIND, EXPORT, DELETE = "Rename", "Branch", "Rewind", "Export", "Delete"
FORMATS = {"html": ("HTML, to print", "text/html"), "md": ("Markdown", "text/markdown")}
FORMATS |= {"json": ("JSON, everything", "application/json")}


def session_menu(session: Session) -> None:
    """Show the menu of the session in view."""
    actions = [RENAME, BRANCH, REWIND, EXPORT, DELETE]
    chosen = st.menu_button(
        "Session", actions, key="session_menu", icon=":material/more_horiz:", width="stretch"
    )
    if chosen == RENAME:
        rename_dialog(session)
    elif chosen == BRANCH:
        branch(session, session.turn_count)
    elif chosen == REWIND:
        rewind_dialog(session, max(0, session.turn_count - 1))
    elif chosen == EXPORT:
        export_dialog(session)
    elif chosen == DELETE:
        delete_dialog(session)


@dialog("Rename the session", icon=":material/edit:")
def rename_dialog(session: Session) -> None:
    """Give a session another title."""
    title = st.text_input("Title", session.title, max_chars=LONGEST_TITLE, key=f"title_{session.id}")
    if st.button("Save the title", key="save_title"):
        with problems_shown():
            rename_session(database(), session.id, title)
            st.rerun()


@dialog("Export the session", icon=":material/download:")
def export_dialog(session: Session) -> None:
    """Offer the session as a file in three formats."""
    st.text("With every turn, note, override and risk event. JSON also holds every prompt and raw output.")
    kind = st.radio("Format", list(FORMATS), format_func=lambda kind: FORMATS[kind][0], key="export_format")
    with problems_shown():
        # Made before the click: a button that makes its file afterwards is disabled meanwhile, loses the
        # keyboard's focus, and Escape does not reach the dialog.
        with st.spinner("Writing the file …"):
            content = export_session(database(), session.id, kind)
        st.download_button(
            f"Download {FORMATS[kind][0].partition(',')[0]}",
            content,
            file_name=f"{file_stem(session)}.{kind}",
            mime=FORMATS[kind][1],
            icon=":material/download:",
            on_click="ignore",
            key="export",
        )


@dialog("Delete the session?", icon=":material/delete:")
def delete_dialog(session: Session) -> None:
    """Ask before a session is deleted for good."""
    st.text(session.title)
    st.text(
        f"Its {count_text(session.turn_count, 'turn')}, notes and model calls are deleted. They cannot be "
        "brought back."
    )
    if st.button("Delete for good", key="confirm_delete"):
        with problems_shown():
            delete_session(database(), session.id)
            if st.session_state.get(SESSION) == session.id:
                leave_session()
            st.rerun()


def file_stem(session: Session) -> str:
    """Return a file name made of the title, safe on every system."""
    words = re.sub(r"[^\w-]+", "_", session.title).strip("_")[:60]
    return f"{words or 'session'}_{session.id[:8]}"
