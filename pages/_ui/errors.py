"""The one place where a page meets an error that a user can do something about."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from counsel_core.errors import (
    BusyError,
    ConflictError,
    CounselError,
    DataFileError,
    FrozenSessionError,
    InputError,
    LocalOnlyError,
    MissingKeyError,
    ProviderError,
    StorageError,
    UnknownNameError,
)
from pages._ui.plain_text import as_text

_TITLES: tuple[tuple[type[CounselError], str], ...] = (
    (UnknownNameError, "That is not here"),
    (InputError, "This cannot be used as it is"),
    (DataFileError, "A data file is wrong"),
    (StorageError, "The database cannot be used right now"),
    (BusyError, "One moment"),
    (ConflictError, "This session has moved on"),
    (FrozenSessionError, "This session is frozen"),
    (LocalOnlyError, "Local-only mode keeps this model out"),
    (MissingKeyError, "The key of this model is missing"),
    (ProviderError, "The model could not answer"),
)


def title_of(error: CounselError) -> str:
    """Return a heading, in plain words, for the kind of an error."""
    for kind, title in _TITLES:
        if isinstance(error, kind):
            return title
    return "This could not be done"


def problem_text(error: CounselError) -> str:
    """Return what is wrong and what to do, as Markdown in which the error's words are only words."""
    return f"**{title_of(error)}.** {as_text(str(error))}"


def show_problem(error: CounselError) -> None:
    """Show what is wrong and what to do."""
    st.error(problem_text(error), icon=":material/error:")


@contextmanager
def problems_shown() -> Iterator[None]:
    """Show a `CounselError` raised inside instead of crashing; any other error crashes visibly."""
    try:
        yield
    except CounselError as error:
        show_problem(error)
