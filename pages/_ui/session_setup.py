"""Which agent, model, language, protocol and settings: of the session in view, or of the next one."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from counsel_core.agents import agents, find_agent
from counsel_core.agents._base import Agent
from counsel_core.conversation.session import SECOND_OPINION
from counsel_core.records import Json, Language, Session
from counsel_core.safety.resources import UNKNOWN_REGION
from counsel_core.storage.sessions import list_sessions
from pages._ui.agent_settings import setting_line, settings_form, settings_list
from pages._ui.chat_address import leave_session
from pages._ui.contacts import contacts_problem, region_labels
from pages._ui.model_picker import GUIDED, model_picker
from pages._ui.plain_text import as_text, shorten
from pages._ui.protocol_picker import protocol_picker
from pages._ui.workspace import database

LANGUAGES: dict[Language, str] = {"en": "English", "zh": "中文 (Chinese)"}
FIRST_AGENT = "sudosys"
PROTOCOL, REGION = "protocol", "region"
_FIXED = "Fixed once a session has begun. A change opens a new session; this one stays in the Archive."
_REGION_LABEL = "Region of the safety texts"
_REGION_ABOUT = "Whose emergency numbers are given when a line shows an imminent risk."
_AGENT, _LANGUAGE, _MODEL, _PROTOCOL = "setup_agent", "setup_language", "setup_model", "setup_protocol"
_OF = "setup_of"
EARLIER_OFFERED = 50


@dataclass(frozen=True)
class Setup:
    """What a new session would be made of; the model also answers the next turn of an open one."""

    agent: Agent
    model: str
    language: Language
    settings: Json
    continues: str | None = None

    @property
    def needs_language_model(self) -> bool:
        """Whether the chosen model cannot speak the chosen language."""
        return self.model == GUIDED and self.language != "en"


def session_setup(session: Session | None) -> Setup:
    """Show the choices, standing at those of the session in view."""
    _stand_at(session)
    known = agents()
    chosen = st.selectbox(
        "Agent",
        list(known),
        format_func=lambda name: known[name].label,
        key=_AGENT,
        help=_FIXED,
        on_change=leave_session,
        persist_state="session",
    )
    agent = find_agent(chosen)
    model = model_picker(key=_MODEL)
    if st.session_state.get(_LANGUAGE) not in agent.languages:
        st.session_state[_LANGUAGE] = agent.languages[0]
    language = st.selectbox(
        "Language",
        agent.languages,
        format_func=LANGUAGES.__getitem__,
        key=_LANGUAGE,
        help=_FIXED,
        on_change=leave_session,
        persist_state="session",
    )
    return Setup(agent, model, language, _settings(agent, language, session), _continues(agent, session))


def _stand_at(session: Session | None) -> None:
    """Move the choices to another session's when it comes into view."""
    standing = session.id if session else None
    st.session_state.setdefault(_AGENT, FIRST_AGENT)
    if st.session_state.get(_OF) == standing:
        return
    st.session_state[_OF] = standing
    if session:
        st.session_state[_AGENT] = session.agent
        st.session_state[_LANGUAGE] = session.language
        st.session_state[_PROTOCOL] = session.settings.get(PROTOCOL)
        st.session_state[_MODEL] = session.model


def _settings(agent: Agent, language: Language, session: Session | None) -> Json:
    values = session.settings if session else {}
    others = [setting for setting in agent.settings if setting.key != PROTOCOL]
    chosen = dict(values)
    if len(others) < len(agent.settings):
        standing = str(values.get(PROTOCOL, ""))
        chosen[PROTOCOL] = protocol_picker(language, standing, key=_PROTOCOL, help_text=_FIXED)
    contacts_problem()
    with st.expander("Settings", icon=":material/tune:"):
        st.caption(as_text(f"{agent.about} Source: {agent.source}"))
        if session:
            st.caption("Chosen when this session began:")
            settings_list(others, values)
            region = values.get(REGION, UNKNOWN_REGION)
            setting_line(_REGION_LABEL, region_labels().get(region, region), _REGION_ABOUT)
            asked = "on" if values.get(SECOND_OPINION.key) else "off"
            setting_line(SECOND_OPINION.label, asked, SECOND_OPINION.help)
        else:
            chosen |= settings_form(others, key=f"setting_{agent.name}")
            labels = region_labels()
            chosen[REGION] = st.selectbox(
                _REGION_LABEL,
                list(labels),
                format_func=labels.__getitem__,
                help=_REGION_ABOUT,
                key="setup_region",
            )
            chosen[SECOND_OPINION.key] = st.toggle(
                SECOND_OPINION.label, help=SECOND_OPINION.help, key="setup_second_opinion"
            )
    return chosen


def _continues(agent: Agent, session: Session | None) -> str | None:
    """Offer to carry an earlier session's memories into a new one, where the agent has memories."""
    if agent.continue_from is None or session is not None:
        return None
    earlier = {one.id: one for one in list_sessions(database(), agent=agent.name, limit=EARLIER_OFFERED)}
    if not earlier:
        return None
    return st.selectbox(
        "Continue the memories of",
        [None, *earlier],
        format_func=lambda one: "No one: start empty" if one is None else shorten(earlier[one].title, 60),
        key="setup_continues",
        help="The new session begins with what was remembered in an earlier one with the same client.",
    )
