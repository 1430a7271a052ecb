"""Playing a sample client: a prepared person's lines, said one by one, with pause and speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import streamlit as st

from counsel_core.clients import SampleClient, load_clients, next_line
from counsel_core.errors import UnknownNameError
from counsel_core.records import Language, Session, Turn
from counsel_core.storage.sessions import load_session, load_turns
from pages._ui.chat_address import is_playing, show_session
from pages._ui.model_picker import GUIDED
from pages._ui.plain_text import as_text
from pages._ui.play_speed import pause_seconds, speed_control
from pages._ui.sending import begin_with_client, mark_seen, send
from pages._ui.workspace import database

SHOWN_FIRST = ("sudosys_rent", "cocoa_kitchen")


def first_client(agent: str) -> SampleClient:
    """Return the client that demonstrates an agent.

    Raises
    ------
    UnknownNameError
        There is no such demonstration; the message lists those there are.
    """
    clients = sorted(
        load_clients().values(),
        key=lambda client: (client.language != "en", client.name not in SHOWN_FIRST, client.name),
    )
    for client in clients:
        if client.agent == agent:
            return client
    raise UnknownNameError("demonstration", agent, sorted({client.agent for client in clients}))


@dataclass(frozen=True)
class Wish:
    """What was pressed: start a new session with a client, or let the present one say one line."""

    start: SampleClient | None = None
    step: bool = False


def player(session: Session | None, agent: str, language: Language) -> Wish:
    """Show the controls of the sample client; return what was pressed."""
    st.markdown("**Sample client**", help="A prepared person, written for this project, speaks line by line.")
    if session is None or session.sample_client is None:
        return Wish(start=_choice(agent, language))
    client = load_clients().get(session.sample_client)
    if client is None:
        st.caption("The file of this session's sample client is no longer there.")
        return Wish()
    return Wish(step=_controls(session, client))


def start_demo(agent: str) -> None:
    """Begin a playing session with the client that demonstrates an agent."""
    begin_with_client(first_client(agent), GUIDED)


@st.fragment(run_every=1.0)
def play_along(session_id: str, model: str) -> None:
    """Say the client's next line when the pause after the last turn is over; stop when all is said."""
    session = load_session(database(), session_id)
    turns = load_turns(database(), session_id)
    line = line_to_play(session, turns)
    if line is None or session.frozen or (turns and turns[-1].status != "answered"):
        show_session(session_id)
        st.rerun()
    if _is_due(turns):
        mark_seen(session)
        send(session, model, line, "sample client")


def say_next(session: Session, model: str) -> None:
    """Say the client's next line now."""
    if line := line_to_play(session, load_turns(database(), session.id)):
        send(session, model, line, "sample client")


def line_to_play(session: Session, turns: Sequence[Turn]) -> str | None:
    """Return the sample client's next line, None when all are said."""
    client = load_clients().get(session.sample_client or "")
    return next_line(client, turns) if client else None


def _is_due(turns: Sequence[Turn]) -> bool:
    if not turns:
        return True
    return (datetime.now(UTC) - turns[-1].created).total_seconds() >= pause_seconds()


def _choice(agent: str, language: Language) -> SampleClient | None:
    clients = [client for client in load_clients().values() if client.agent == agent]
    found = {client.name: client for client in clients if client.language == language}
    if not found:
        where = "in this language" if clients else "for this agent"
        st.caption(f"There is no sample client {where}.")
        return None
    chosen = st.selectbox(
        "Client",
        list(found),
        format_func=lambda name: found[name].label,
        key=f"client_{agent}",
        label_visibility="collapsed",
    )
    st.caption(as_text(found[chosen].about))
    pressed = st.button(
        "Play", icon=":material/play_arrow:", key="play_new", width="stretch", help="Opens a new session"
    )
    return found[chosen] if pressed else None


def _controls(session: Session, client: SampleClient) -> bool:
    st.caption(as_text(client.label))
    turns = load_turns(database(), session.id)
    said = sum(turn.author == "sample client" for turn in turns)
    stopped = next_line(client, turns) is None or session.frozen
    playing = is_playing() and not stopped
    st.progress(said / len(client.lines), text=f"Line {said} of {len(client.lines)}")
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "Pause" if playing else "Play",
            icon=":material/pause:" if playing else ":material/play_arrow:",
            key="pause" if playing else "play",
            disabled=stopped,
            on_click=show_session,
            args=(session.id,),
            kwargs={"playing": not playing},
        )
        step = st.button("Step", icon=":material/skip_next:", key="step", disabled=stopped or playing)
    speed_control()
    return step
