"""What can be done with one turn: look into it, note, branch, rewind."""

from __future__ import annotations

import streamlit as st

from counsel_core.branching import branch_session, rewind_session
from counsel_core.records import Session, Turn
from counsel_core.storage.sessions import LONGEST_NOTE, save_note
from pages._ui.chat_address import go_to_session
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.inspector import inspector
from pages._ui.measures import count_text
from pages._ui.workspace import database

NOTE, BRANCH, REWIND = "Add a note", "Branch from here", "Rewind to here"


def turn_actions(session: Session, turn: Turn, measured: str) -> None:
    """Show the line under a reply, with its actions."""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.caption(measured)
        if st.button("Inspect", key=f"inspect_{turn.number}", type="tertiary", icon=":material/search:"):
            inspector(session, turn)
        chosen = st.menu_button(
            "More",
            [NOTE, BRANCH, REWIND],
            key=f"turn_{turn.number}",
            type="tertiary",
            help="Note, branch, rewind",
        )
    if chosen == NOTE:
        note_dialog(session, turn.number)
    elif chosen == BRANCH:
        branch(session, turn.number)
    elif chosen == REWIND:
        rewind_dialog(session, turn.number)


def branch(session: Session, after_turn: int) -> None:
    """Open a new session that shares everything up to a turn."""
    with problems_shown():
        made = branch_session(database(), session.id, after_turn)
        st.toast(f"A branch after turn {after_turn}; the first session stays as it was.")
        go_to_session(made.id)


@dialog("Rewind the session", icon=":material/undo:")
def rewind_dialog(session: Session, after_turn: int) -> None:
    """Ask before turns are taken out of a session."""
    cut = session.turn_count - after_turn
    if cut <= 0:
        st.text("This is the last turn: there is nothing after it to take out.")
        return
    st.text(
        f"The session goes back to where it stood after turn {after_turn}. A copy with the "
        f"{count_text(cut, 'later turn')} stays in the Archive."
    )
    if st.button("Rewind", key="confirm_rewind"):
        with problems_shown():
            rewind_session(database(), session.id, after_turn)
            st.rerun()


@dialog("A note on this turn", icon=":material/edit_note:")
def note_dialog(session: Session, turn: int) -> None:
    """Write a note; the client and the agent never see it."""
    text = st.text_area(
        "Note",
        max_chars=LONGEST_NOTE,
        help="Kept with the session and in its exports.",
        key=f"note_text_{session.id}_{turn}",
    )
    if st.button("Save the note", key="save_note"):
        with problems_shown():
            save_note(database(), session.id, turn, text)
            st.rerun()
