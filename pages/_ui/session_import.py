"""Taking in a session from its JSON export."""

from __future__ import annotations

import streamlit as st

from counsel_core.importing import import_session
from counsel_core.importing.reading import LARGEST
from pages._ui.chat_address import go_to_session
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.workspace import database


@dialog("Import a session", icon=":material/upload_file:")
def import_dialog() -> None:
    """Ask for an export; what is wrong in it is named, and nothing is stored then."""
    st.text(
        "A session that was exported as JSON, here or in another installation. It becomes a session of its "
        "own. If there is danger in it, it arrives frozen, whatever was decided elsewhere."
    )
    file = st.file_uploader(
        "JSON export", type=["json"], max_upload_size=LARGEST // 1_000_000, key="import_file"
    )
    if st.button("Import", disabled=file is None, key="confirm_import") and file is not None:
        with problems_shown():
            go_to_session(import_session(database(), file.getvalue()).id)
