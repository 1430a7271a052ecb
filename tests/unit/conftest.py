"""What tests of storage and conversation share: a database, a small agent, and a session with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import counsel_core.agents
from counsel_core.conversation import start_session, take_turn
from counsel_core.records import Session
from counsel_core.settings import Settings
from counsel_core.storage.database import Database, open_database
from tests.fakes_conversation import ECHO, FakeModel


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path / 'counsel.sqlite3'}", busy_seconds=2) as database:
        yield database


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent of tests/fakes_conversation.py is the one there is."""
    monkeypatch.setattr(counsel_core.agents, "agents", lambda: {"echo": ECHO})


@pytest.fixture
def begin(db: Database, settings: Settings, echo: None) -> Callable[..., Session]:
    """Starts a session with the small agent."""
    return lambda **changes: start_session(
        db, **({"agent": "echo", "model": "fake", "settings": settings} | changes)
    )


@pytest.fixture
def session(begin: Callable[..., Session]) -> Session:
    return begin(title="The rent")


@pytest.fixture
def say(db: Database, session: Session) -> Callable[..., None]:
    """Takes turns in the session, one a line, with a model that answers at once."""

    def say_lines(*lines: str, model: FakeModel | None = None) -> None:
        for line in lines:
            take_turn(db, model or FakeModel(), session.id, line)

    return say_lines
