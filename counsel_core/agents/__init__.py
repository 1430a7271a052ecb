"""The agents: one file or one folder each, collected by `agents()`."""

from __future__ import annotations

import sys
from functools import cache

from counsel_core.agents._base import Agent
from counsel_core.errors import UnknownNameError
from counsel_core.registry import discover


@cache
def agents() -> dict[str, Agent]:
    """Return every agent by its name."""
    return discover(sys.modules[__name__], Agent)


def find_agent(name: str) -> Agent:
    """Return the agent of that name.

    Raises
    ------
    UnknownNameError
        There is none; the message lists those there are.
    """
    if name not in agents():
        raise UnknownNameError("agent", name, agents())
    return agents()[name]
