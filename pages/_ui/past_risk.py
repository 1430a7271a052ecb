"""A risk that a reviewer has decided on: it no longer stands, and it stays visible."""

from __future__ import annotations

import streamlit as st

from counsel_core.records import Session
from counsel_core.storage.risk_events import PastRisk, load_past_risks
from pages._ui.measures import date_text
from pages._ui.plain_text import as_text
from pages._ui.workspace import database

# One line, two in a narrow window: what is longer is a hover away.
_NAME_SHOWN, _REASON_SHOWN = 24, 36


def past_risk_line(session: Session) -> bool:
    """Say which risk there was last, at which turn, and who resumed the session why; False if none was."""
    found = load_past_risks(database(), session.id) if session.id else []
    if not found:
        return False
    level = found[-1].resumption.level
    earlier = f" · {len(found) - 1} earlier" if len(found) > 1 else ""
    who = as_text(found[-1].resumption.reviewer, _NAME_SHOWN)
    reason = as_text(found[-1].resumption.reason, _REASON_SHOWN)
    st.markdown(
        f":orange-badge[:material/history: Past {level} risk] :small[{_place(found[-1])}, resumed by {who}: "
        f"“{reason}”{earlier}]",
        help="\n\n".join(map(_whole, found)),
    )
    return True


def _place(past: PastRisk) -> str:
    return "in a turn taken out since" if past.turn is None else f"turn {past.turn}"


def _whole(past: PastRisk) -> str:
    made = past.resumption
    return (
        f"{made.level.capitalize()} risk, {_place(past)}. Resumed by {as_text(made.reviewer)}, "
        f"{date_text(made.created)}: {as_text(made.reason)}"
    )
