"""An agent's settings: as widgets for a new session, by what it declares; as text for an open one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from counsel_core.agents._base import Setting
from counsel_core.records import Json
from pages._ui.plain_text import as_text


def settings_form(settings: Sequence[Setting], *, key: str) -> Json:
    """Show one widget a setting, at its default; return what they stand at."""
    return {setting.key: _widget(setting, f"{key}_{setting.key}") for setting in settings}


def settings_list(settings: Sequence[Setting], values: Mapping[str, Any]) -> None:
    """Show what a session was begun with."""
    for setting in settings:
        setting_line(setting.label, _written(values.get(setting.key, setting.default)), setting.help)


def setting_line(label: str, value: str, about: str) -> None:
    """Show one setting and its value."""
    with st.container(gap=2):
        st.caption(as_text(label), help=as_text(about))
        st.text(value)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) or "—"


def _widget(setting: Setting, key: str) -> Any:
    label, about = as_text(setting.label), as_text(setting.help)
    if setting.kind == "bool":
        return st.toggle(label, setting.default, help=about, key=key)
    if setting.kind == "choice":
        return st.selectbox(
            label, setting.choices, setting.choices.index(setting.default), help=about, key=key
        )
    if setting.kind == "text":
        return st.text_input(label, setting.default, help=about, key=key)
    kind = int if setting.kind == "int" else float
    bounds = [None if bound is None else kind(bound) for bound in (setting.minimum, setting.maximum)]
    return st.number_input(label, *bounds, kind(setting.default), help=about, key=key)
