"""What people noted and decided in a session: notes, overrides, and a reviewer's word to go on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from counsel_core.records import Note, Override, Session
from counsel_core.storage.rows import Resumption
from counsel_core.storage.sessions import delete_note, load_notes, load_overrides, load_resumptions
from pages._ui.errors import problems_shown
from pages._ui.measures import date_text
from pages._ui.overrides import override_mark
from pages._ui.plain_text import as_text
from pages._ui.workspace import database

T = TypeVar("T", Note, Override, Resumption)


@dataclass(frozen=True)
class Remarks:
    """What people noted and decided in a session, by the turn it came after."""

    notes: Mapping[int, Sequence[Note]]
    overrides: Mapping[int, Sequence[Override]]
    resumptions: Mapping[int, Sequence[Resumption]]

    def show(self, turn: int) -> None:
        """Show what came after a turn."""
        _note_list(self.notes.get(turn, ()))
        for override in self.overrides.get(turn, ()):
            override_mark(override)
        for decision in self.resumptions.get(turn, ()):
            st.caption(
                f":material/lock_open: Resumed by {as_text(decision.reviewer)}, "
                f"{date_text(decision.created)}: {as_text(decision.reason)}"
            )


def load_remarks(session: Session) -> Remarks:
    """Load all remarks of a session."""
    return Remarks(
        _by_turn(load_notes(database(), session.id), "turn"),
        _by_turn(load_overrides(database(), session.id), "after_turn"),
        _by_turn(load_resumptions(database(), session.id), "after_turn"),
    )


def _note_list(notes: Sequence[Note]) -> None:
    """Show the notes on a turn."""
    for note in notes:
        with st.container(border=True, horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.caption(":material/edit_note: Note")
            st.text(note.text, width="stretch")
            if st.button(
                "", icon=":material/close:", type="tertiary", key=f"note_{note.id}", help="Delete this note"
            ):
                with problems_shown():
                    delete_note(database(), note.session, note.id)
                    st.rerun()


def _by_turn(remarks: Iterable[T], field: str) -> dict[int, list[T]]:
    """Return remarks by the turn they belong to."""
    found: dict[int, list[T]] = defaultdict(list)
    for remark in remarks:
        found[getattr(remark, field)].append(remark)
    return found
