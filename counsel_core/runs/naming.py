"""What sources are called where people read of them; in files they keep the names that programs read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from counsel_core.agents import agents
from counsel_core.records import OTHER_THERAPISTS, REFERENCE

if TYPE_CHECKING:
    import pandas as pd

NAMED_SOURCES = {REFERENCE: "Reference", OTHER_THERAPISTS: "Other therapists"}
SOURCE_COLUMNS = ("source", "source_1", "source_2", "runner_up")
COLUMN_LABELS = {
    "ci_low": "95 % from",
    "ci_high": "to",
    "r_low": "r from",
    "r_high": "r to",
    "p_holm": "p after Holm",
    "source_1": "first source",
    "source_2": "second source",
    "topic_1": "first topic",
    "topic_2": "second topic",
    "r_difference_low": "from",
    "r_difference_high": "to",
    "closest_metrics": "closest metrics",
    "topics_above_critical": "topics above critical r",
    "context_length": "context length",
    "seconds_an_answer": "seconds an answer",
    "mean_first": "mean by the first",
    "mean_second": "mean by the second",
    "n_overlap": "n of the overlap",
    "critical_r": "critical r",
    "r_rank": "rank by r",
    "distance_rank": "rank by distance",
    "r_difference": "difference of r",
    "distance_difference": "difference of distance",
    "distance_low": "distance from",
    "distance_high": "distance to",
}
"""How columns are named where people read them; in files they keep the names that programs read."""
_NUMBER = re.compile(r"\d+")


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


def together(reasons: Sequence[str]) -> list[str]:
    """Return reasons with their first number left out where they differ in that alone.

    Examples
    --------
    >>> together(["it has 92 words", "it has 9 words", "there is no question"])
    ['it has … words', 'it has … words', 'there is no question']
    """
    without = [_NUMBER.sub("…", reason, count=1) for reason in reasons]
    kinds: dict[str, set[str]] = {}
    for reason, kind in zip(reasons, without, strict=True):
        kinds.setdefault(kind, set()).add(reason)
    return [kind if len(kinds[kind]) > 1 else reason for reason, kind in zip(reasons, without, strict=True)]
