"""Whom to contact in an emergency; a file of contacts that went wrong keeps nobody from the page."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from counsel_core.errors import DataFileError
from counsel_core.records import Session
from counsel_core.safety.resources import UNKNOWN_REGION, Resource, load_resources, regions
from pages._ui.errors import problem_text
from pages._ui.workspace import settings


def region_labels() -> dict[str, str]:
    """Return every region's label by its code, "unknown" first."""
    try:
        named = regions(path=settings().resources_file)
    except DataFileError:
        named = regions()
    return {UNKNOWN_REGION: "Unknown: your local emergency number", **named}


def contacts_of(session: Session) -> Sequence[Resource]:
    """Return the contacts of a session's region, as its safety texts give them."""
    region = session.settings.get("region", UNKNOWN_REGION)
    own = None if contacts_file_problem() else settings().resources_file
    known = region if region in region_labels() else UNKNOWN_REGION
    return load_resources(known, session.language, own)


def contacts_problem() -> None:
    """Say which file of contacts is wrong, if it is, and what stands in for it."""
    if error := contacts_file_problem():
        st.warning(
            f"{problem_text(error)} The built-in contacts are shown instead.",
            icon=":material/contact_support:",
        )


def contacts_file_problem() -> DataFileError | None:
    """Return what is wrong with the deployer's own file of contacts."""
    try:
        regions(path=settings().resources_file)
    except DataFileError as error:
        return error
    return None
