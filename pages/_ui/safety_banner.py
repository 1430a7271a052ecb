"""The line on every chat page, and the banner of a session frozen after an imminent risk."""

from __future__ import annotations

import streamlit as st

from counsel_core.conversation import resume_session
from counsel_core.conversation.session import LONGEST_REASON
from counsel_core.errors import InputError
from counsel_core.records import Session
from counsel_core.safety.texts import NOTICE
from pages._ui.contacts import contacts_file_problem, contacts_of
from pages._ui.dialogs import dialog
from pages._ui.errors import problem_text, problems_shown
from pages._ui.plain_text import as_text
from pages._ui.workspace import database

LINE = "Research tool · not for people in crisis · AI or rules, not a person"


def notice_line() -> None:
    """Show what this tool is not; the whole notice is one hover away."""
    st.caption(f":material/info: {LINE}", help=as_text(NOTICE["en"]), width="content")


def frozen_banner(session: Session) -> None:
    """Show that the session is frozen, where help is, and the way to resume it."""
    with st.container(border=True, gap="xsmall"):
        said, resumed = st.columns([7, 3], vertical_alignment="center")
        said.error(
            "**Frozen after an imminent risk.** A fixed text answers, not the agent. The client can go on.",
            icon=":material/ac_unit:",
        )
        if resumed.button("Resume (reviewers)", icon=":material/lock_open:", key="resume", width="stretch"):
            resume_dialog(session)
        resource_list(session)


def resource_list(session: Session) -> None:
    """Show the contacts of the session's region; what nobody here has confirmed is marked."""
    with st.container(horizontal=True, gap="xxsmall"):
        if problem := contacts_file_problem():
            st.markdown(
                ":small[:orange-badge[:material/error: Contacts file is wrong; built-in ones shown]]",
                help=problem_text(problem),
                width="content",
            )
        for contact in contacts_of(session):
            mark = "" if contact.verified else " :orange-badge[:material/help: not confirmed]"
            st.markdown(
                f":small[:material/support: **{as_text(contact.name)}:** {as_text(contact.reach)}{mark}]",
                help=f"Source: {as_text(contact.source)}",
                width="content",
            )


@dialog("Resume a frozen session", width="medium", icon=":material/lock_open:")
def resume_dialog(session: Session) -> None:
    """Let a reviewer resume the session, with name and reason, after the resources were seen again."""
    st.text("The client was shown these resources:")
    with st.container(border=True):
        resource_list(session)
    seen = st.checkbox("I have read the conversation and these resources.", key=f"resume_seen_{session.id}")
    reviewer = st.text_input("Your name", max_chars=200, key=f"resume_name_{session.id}")
    reason = st.text_area(
        "Why the session may go on", max_chars=LONGEST_REASON, key=f"resume_reason_{session.id}"
    )
    st.caption("Name and reason are kept with the session and in the audit log.")
    # Never disabled: a click on it is what ends the typing in the field before.
    if st.button("Resume the session", key="confirm_resume"):
        with problems_shown():
            if not seen:
                raise InputError("Tick first that you have read the conversation and these resources.")
            resume_session(database(), session.id, reviewer, reason)
            st.rerun()
