"""What a run was made with, and every file of its results."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from counsel_core.records import Json
from counsel_core.runs.results import result_files, zip_results
from counsel_core.runs.runs import Run
from pages._ui.plain_text import as_text
from pages._ui.run_results import run_facts, run_table
from pages._ui.table_downloads import table_downloads

_MIMES = {"html": "text/html", "json": "application/json", "parquet": "application/octet-stream"}
_ABOUT = {
    "report.html": "Report, one page with everything",
    "scores.parquet": "Every score (Parquet)",
    "run.json": "Settings and facts (JSON)",
}


def files(run: Run) -> None:
    """Show the settings of the run and offer its files."""
    settings = settings_table(run_facts(run))
    st.subheader("Files", anchor=False)
    with st.container(horizontal=True):
        for name in result_files(run):
            if name in _ABOUT:
                _button(run, name)
        st.download_button(
            "All files (ZIP)",
            lambda: zip_results(run),
            file_name=f"evaluation_{run.id}.zip",
            mime="application/zip",
            icon=":material/folder_zip:",
            key="file_zip",
            on_click="ignore",
        )
    tables = [name.removesuffix(".csv") for name in result_files(run) if name.endswith(".csv")]
    chosen = st.selectbox("Table", tables, key="file_table")
    table_downloads(run_table(run, chosen), chosen, key="file_table")
    st.subheader("Settings", anchor=False)
    st.dataframe(settings, hide_index=True, key="settings_table")
    table_downloads(settings, "settings", key="settings")
    st.caption(
        f"Run {as_text(run.id)} · plan {as_text(run.plan.digest[:16])}: equal plans give equal results."
    )


def settings_table(facts: Json) -> pd.DataFrame:
    """Return all that the results depend on, a row a setting."""
    parts = {"": facts["plan"], "data set": facts["dataset"], "judge": facts["judge"] or {}}
    rows = [
        (f"{part} {key}".strip().replace("_", " "), _said(value))
        for part, values in parts.items()
        for key, value in values.items()
    ]
    rows += [("written", facts["written"]), ("Python", facts["python"])]
    return pd.DataFrame(rows, columns=["setting", "value"])


def _said(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {one}" for key, one in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value in (None, "") else str(value)


def _button(run: Run, name: str) -> None:
    st.download_button(
        _ABOUT[name],
        (run.folder / name).read_bytes,
        file_name=name,
        mime=_MIMES[name.rpartition(".")[2]],
        icon=":material/download:",
        key=f"file_{name}",
        on_click="ignore",
    )
