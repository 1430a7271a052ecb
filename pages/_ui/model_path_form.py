"""Adding and changing a GGUF file of this machine, by its path."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from counsel_core.llm.catalogue import save_model
from counsel_core.llm.gguf import USUAL_CONTEXT, read_answering
from counsel_core.records import ModelSpec
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.model_form import LONGEST, forget_result, free_name
from pages._ui.model_picker import forget_models
from pages._ui.workspace import settings

LONGEST_PATH = 1000


@dialog("A model file of this machine", width="medium", icon=":material/deployed_code:")
def model_path_dialog(spec: ModelSpec | None = None) -> None:
    """Ask for the path of a GGUF file; what it says of itself is read before it is kept."""
    of = spec.name if spec else ""
    st.text("A GGUF file is run in this process: no server, no key, nothing leaves the machine.")
    path = st.text_input(
        "Path of the file",
        spec.model if spec else "",
        placeholder="/home/me/models/qwen2.5-1.5b-instruct-q4_k_m.gguf",
        max_chars=LONGEST_PATH,
        key=f"model_path_{of}",
    )
    label = st.text_input(
        "Name shown (empty: the file's own)",
        spec.label if spec else "",
        max_chars=LONGEST,
        key=f"model_path_label_{of}",
    )
    context = st.number_input(
        "Context length in tokens (0: as the file says)",
        *(0, None, (spec.context_length or 0) if spec else 0, 1024),
        help=f"As much memory is taken as it needs; at most {USUAL_CONTEXT:,} if nothing is given.",
        key=f"model_path_context_{of}",
    )
    if st.button("Save the model", key="save_model_path"):
        with problems_shown():
            file = Path(path.strip()).expanduser()
            facts = read_answering(file)
            shown = label.strip() or f"{' '.join(facts.name.split())} ({file.name})"[:LONGEST]
            entry = {
                "name": spec.name if spec else free_name(shown),
                "label": shown,
                "provider": "gguf",
                "path": str(file),
                "context_length": context or None,
            }
            forget_result(save_model(entry, settings()).name)
            forget_models()
            st.rerun()
