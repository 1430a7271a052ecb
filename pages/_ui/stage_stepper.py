"""The stages of a protocol in a row: done, present, to come."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from counsel_core.agents.sudosys.protocol import Protocol
from pages._ui.plain_text import as_text


def stage_stepper(names: Sequence[str], present: int, *, complete: bool = False) -> None:
    """Show the stages; the present one carries its name and a mark, so colour is not all that tells."""
    with st.container(horizontal=True, gap=4, vertical_alignment="center"):
        for number, name in enumerate(names, start=1):
            if number == present and not complete:
                st.badge(f"{number} {as_text(name)}", icon=":material/my_location:", color="blue")
            elif number < present or complete:
                st.badge(str(number), icon=":material/check:", color="gray", help=f"Done: {as_text(name)}")
            else:
                st.badge(str(number), color="gray", help=f"To come: {as_text(name)}")


def stage_sentence(names: Sequence[str], present: int, *, complete: bool = False) -> str:
    """Say where the session is, as a text alternative to the stepper."""
    if complete:
        return f"All {len(names)} stages are done; the client may go on."
    return f"Stage {present} of {len(names)}"


def stage_timeline(protocol: Protocol, present: int, *, complete: bool = False) -> None:
    """Show the stages one below the other; each opens to its purpose."""
    with st.container(gap=None):
        for stage in protocol.stages:
            done = stage.number < present or complete
            here = stage.number == present and not complete
            icon = ":material/check_circle:" if done else ":material/my_location:" if here else None
            name = as_text(stage.name)
            with st.expander(f"**{name}**" if here else name, type="step", icon=icon):
                st.caption(as_text(stage.purpose))
