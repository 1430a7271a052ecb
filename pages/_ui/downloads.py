"""Tables as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.datasets.formulas import spreadsheet_safe


def csv_bytes(frame: pd.DataFrame) -> bytes:
    r"""Return a CSV file in which no text can act as a formula: an apostrophe goes before it.

    Examples
    --------
    >>> csv_bytes(pd.DataFrame({"said": ["=1+1", "fine"], "n": [-1, 2]}))
    b"\xef\xbb\xbfsaid,n\n'=1+1,-1\nfine,2\n"
    """
    text = frame.map(_defused).rename(columns=_defused).to_csv(index=False, lineterminator="\n")
    return text.encode("utf-8-sig")


def csv_button(frame: pd.DataFrame, file_name: str, *, key: str) -> None:
    """Offer a table for download."""
    st.download_button(
        "Download CSV",
        csv_bytes(frame),
        file_name=file_name,
        mime="text/csv",
        key=key,
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
    )


def _defused(value: object) -> object:
    return spreadsheet_safe(value) if isinstance(value, str) else value
