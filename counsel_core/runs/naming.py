"""What sources are called where people read of them; in files they keep the names that programs read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counsel_core.agents import agents
from counsel_core.records import OTHER_THERAPISTS, REFERENCE

if TYPE_CHECKING:
    import pandas as pd

NAMED_SOURCES = {REFERENCE: "Reference", OTHER_THERAPISTS: "Other therapists"}
SOURCE_COLUMNS = ("source", "source_1", "source_2", "runner_up")


def agent_label(source: str) -> str:
    """Return an agent that answered by rules as such, and any other source as it is.

    Examples
    --------
    >>> agent_label("cocoa"), agent_label("gpt")
    ('CoCoA (rules)', 'gpt')
    """
    known = agents()
    return f"{known[source].label} (rules)" if source in known else source


def source_label(source: str) -> str:
    """Return a source as it is shown.

    Examples
    --------
    >>> source_label("other_therapists")
    'Other therapists'
    """
    return NAMED_SOURCES.get(source) or agent_label(source)


def name_agents(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which agents that answered by rules are named as such."""
    columns = [name for name in SOURCE_COLUMNS if name in frame]
    return frame.assign(**{name: frame[name].astype(str).map(agent_label) for name in columns})
