"""What a hosted model does not get: words that the user names, and a preview of what would leave."""

from __future__ import annotations

import streamlit as st

from counsel_core.privacy.identifiers import read_words
from counsel_core.privacy.redaction import build_redaction
from counsel_core.privacy.words import load_words, save_words
from pages._ui.errors import problems_shown
from pages._ui.measures import count_text
from pages._ui.workspace import settings

MISSED = "Names that are not listed are not found: read what you send."
_REPLACED = "E-mail addresses, phone, card and account numbers, ids, postcodes and streets"


def private_words() -> None:
    """Let names be listed that must not leave this machine."""
    with st.expander("Words that stay on this machine", icon=":material/visibility_off:"):
        st.caption(
            f"{_REPLACED} are replaced by placeholders before anything goes to a model on another machine, "
            f"and put back in its answer. So are these words, one a line. {MISSED}"
        )
        with problems_shown():
            words = load_words(settings())
            text = st.text_area(
                "Names and other words", "\n".join(words), key="private_words", max_chars=40_000
            )
            if st.button("Save the words", key="save_private_words"):
                kept = save_words(text, settings())
                st.success(f"{count_text(len(kept), 'word')} kept.", icon=":material/check:")
            preview(text)


def preview(words: str) -> None:
    """Show how a text would leave, as it is typed in."""
    text = st.text_area(
        "Try a text", key="redaction_try", placeholder="Ann's number is 020 7946 0958.", max_chars=8000
    )
    if text.strip():
        redaction = build_redaction([text], read_words(words))
        st.text(redaction.redact(text))
        st.caption(f"{count_text(len(redaction.originals), 'thing')} replaced. {MISSED}")
