"""The commands of `python -m counsel_core`: one file each, collected by `commands()`."""

from __future__ import annotations

import sys

from counsel_core.commands._base import Command
from counsel_core.registry import discover


def commands() -> dict[str, Command]:
    """Return every command by its name."""
    return discover(sys.modules[__name__], Command)
