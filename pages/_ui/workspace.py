"""What all users of this process share: settings, the database, and the turns being answered."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from counsel_core.errors import CounselError
from counsel_core.live import LiveTurns
from counsel_core.settings import Settings, read_settings
from counsel_core.storage.database import Database, open_database


def settings() -> Settings:
    """Read the settings; keys of hosted models may also be in Streamlit's secrets."""
    secrets = st.secrets if st.secrets.load_if_toml_exists() else {}
    return read_settings(secrets={key: value for key, value in secrets.items() if isinstance(value, str)})


def database() -> Database:
    """Return the database that the settings name, opened once for all users."""
    return _open(settings().database_url, _edition())


def live_turns() -> LiveTurns:
    """Return the turns that this process is answering, for all users."""
    here = settings()
    return _start(here.database_url, here.resources_file, _edition())


@st.cache_resource(show_spinner=False)
def _open(url: str, edition: int) -> Database:  # noqa: ARG001 - the edition is the cache's key
    return open_database(url)


@st.cache_resource(show_spinner=False)
def _start(url: str, resources_file: Path, edition: int) -> LiveTurns:
    return LiveTurns(_open(url, edition), resources_file=resources_file)


def _edition() -> int:
    # After an edit Streamlit loads the code anew: an object of the old code would raise the old
    # code's errors, which the new code does not recognise.
    return id(CounselError)
