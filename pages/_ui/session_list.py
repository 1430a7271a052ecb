"""The list of the Archive: search, filter, page through, and act on a session."""

from __future__ import annotations

import streamlit as st

from counsel_core.agents import agents
from counsel_core.records import Session
from counsel_core.storage.sessions import count_sessions, list_sessions
from pages._ui.archive_address import show_comparison, show_replay
from pages._ui.chat_address import go_to_session
from pages._ui.session_import import import_dialog
from pages._ui.session_menu import delete_dialog, export_dialog, rename_dialog
from pages._ui.session_row import session_marks, session_title
from pages._ui.workspace import database

PAGE_SIZE = 10
RENAME, EXPORT, DELETE = "Rename", "Export", "Delete"
_CHOSEN = "sessions_to_compare"


def session_list() -> None:
    """Show one page of the sessions that match."""
    query, agent = _filters()
    total = count_sessions(database(), query=query, agent=agent)
    if not total:
        _nothing(bool(query or agent))
        return
    _compare_bar()
    pages_count = -(-total // PAGE_SIZE)
    place = st.container()
    page = 1
    if pages_count > 1:
        with st.container(horizontal_alignment="center"):
            page = st.pagination(pages_count, key="archive_page")
    found = list_sessions(
        database(), query=query, agent=agent, limit=PAGE_SIZE, offset=(page - 1) * PAGE_SIZE
    )
    with place:
        for session in found:
            _row(session)


def _filters() -> tuple[str, str | None]:
    known = agents()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        query = st.text_input(
            "Search",
            key="archive_query",
            placeholder="A word of the title or the conversation",
            max_chars=200,
        )
        agent = st.selectbox(
            "Agent",
            [None, *known],
            format_func=lambda name: "All agents" if name is None else known[name].label,
            key="archive_agent",
            width=220,
        )
        if st.button("Import", icon=":material/upload_file:", key="import_session"):
            import_dialog()
    return query.strip(), agent


def _nothing(filtered: bool) -> None:
    if filtered:
        st.info("No session matches. Try another word, or all agents.", icon=":material/search_off:")
        return
    st.info(
        "No session yet. Begin one on the Chat page, or let a sample client play.", icon=":material/forum:"
    )
    st.page_link("pages/chat.py", label="Open Chat", icon=":material/arrow_forward:")


def _row(session: Session) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.checkbox(
            "Choose to compare",
            value=session.id in _chosen(),
            key=f"compare_{session.id}",
            label_visibility="collapsed",
            help="Choose two sessions to compare them",
            on_change=_toggle,
            args=(session.id,),
        )
        with st.container(gap="xxsmall"):
            session_title(session)
            session_marks(session)
        if st.button("Open", key=f"open_{session.id}", icon=":material/forum:"):
            go_to_session(session.id)
        st.button(
            "Replay",
            key=f"replay_{session.id}",
            icon=":material/replay:",
            on_click=show_replay,
            args=(session.id,),
        )
        chosen = st.menu_button("More", [RENAME, EXPORT, DELETE], key=f"more_{session.id}", type="tertiary")
    if chosen == RENAME:
        rename_dialog(session)
    elif chosen == EXPORT:
        export_dialog(session)
    elif chosen == DELETE:
        delete_dialog(session)


def _chosen() -> list[str]:
    return st.session_state.setdefault(_CHOSEN, [])


def _toggle(session_id: str) -> None:
    kept = [one for one in _chosen() if one != session_id]
    if st.session_state[f"compare_{session_id}"]:
        kept = [*kept, session_id][-2:]
    for dropped in set(_chosen()) - set(kept):
        st.session_state[f"compare_{dropped}"] = False
    st.session_state[_CHOSEN] = kept


def _compare_bar() -> None:
    chosen = _chosen()
    st.button(
        "Compare the two chosen sessions" if len(chosen) == 2 else "Compare (choose two sessions)",
        icon=":material/compare_arrows:",
        disabled=len(chosen) != 2,
        key="compare",
        on_click=show_comparison,
        args=(tuple(chosen),),
    )
