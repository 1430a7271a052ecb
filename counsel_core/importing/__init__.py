"""A session's JSON export read back: checked as a stranger's file, stored as a session of its own."""

from __future__ import annotations

from counsel_core.importing.saving import import_session

__all__ = ["import_session"]
