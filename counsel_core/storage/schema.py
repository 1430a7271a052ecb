"""The tables, and the three kinds of column they are made of.

A change here needs a migration in `migrations/versions` and its name at the end of `REVISIONS`; a test
compares the tables below with what the migrations make.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    false,
)

REVISIONS = ("0001", "0002")
"""Every revision of the schema, oldest first; the last is the one this version writes."""


def clean(text: str) -> str:
    r"""Return a text that UTF-8 can hold: half of a surrogate pair, as models write it, becomes U+FFFD.

    >>> clean("a\ud83d") == "a\ufffd", clean("\ud83d\ude42")
    (True, '🙂')
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def dump_json(value: Any) -> str:
    """Return a value as compact JSON; ValueError for NaN, which JSON does not know."""
    return clean(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


class Words(TypeDecorator[str]):
    """A text that a person or a model wrote."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """Make the text storable."""
        return None if value is None else clean(value)


class Document(TypeDecorator[Any]):
    """A JSON value as compact text."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """Write JSON."""
        return None if value is None else dump_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:  # noqa: ARG002 - SQLAlchemy's signature
        """Read JSON."""
        return None if value is None else json.loads(value)


class Moment(TypeDecorator[datetime]):
    """A moment in UTC as ISO 8601 text, so that it sorts and any program reads it."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        """Write ISO 8601 with microseconds."""
        return None if value is None else value.astimezone(UTC).isoformat(timespec="microseconds")

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        """Read ISO 8601."""
        return None if value is None else datetime.fromisoformat(value)


metadata = MetaData()


def _session_key(**options: Any) -> Column[str]:
    return Column("session_id", ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, **options)


sessions = Table(
    "sessions",
    metadata,
    Column("id", String, primary_key=True),
    Column("title", Words, nullable=False),
    Column("agent", String, nullable=False),
    Column("model", String, nullable=False),
    Column("language", String, nullable=False),
    Column("settings", Document, nullable=False),
    Column("opening", Words, nullable=False),
    Column("created", Moment, nullable=False),
    Column("updated", Moment, nullable=False),
    Column("turn_count", Integer, nullable=False),
    Column("complete", Boolean, nullable=False),
    Column("risk", String, nullable=False),
    Column("frozen", Boolean, nullable=False),
    Column("sample_client", String),
    Column("parent", String),
    Column("parent_turn", Integer),
    Column("overridden", Boolean, nullable=False),
    Column("material", Document, nullable=False),
    Column("opening_state", Document, nullable=False),
    Column("state", Document, nullable=False),
    Index("sessions_by_update", "updated"),
)

turns = Table(
    "turns",
    metadata,
    _session_key(),
    Column("number", Integer, nullable=False),
    Column("status", String, nullable=False),
    Column("author", String, nullable=False),
    Column("created", Moment, nullable=False),
    Column("client", Words, nullable=False),
    Column("notice", Words, nullable=False),
    Column("reply", Words, nullable=False),
    Column("safety_reply", Boolean, nullable=False),
    Column("risk", String, nullable=False),
    Column("evidence", Document, nullable=False),
    Column("findings", Document, nullable=False),
    Column("trace", Document, nullable=False),
    Column("state_delta", Document, nullable=False),
    Column("error", Words),
    Column("model", Words),
    Column("seconds", Float),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("tokens_estimated", Boolean, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("holder", String),
    Column("lease_until", Float),
    UniqueConstraint("session_id", "number", name="one_turn_a_number"),
)

texts = Table(
    "texts",
    metadata,
    _session_key(),
    Column("hash", LargeBinary, nullable=False),
    Column("text", Words, nullable=False),
    PrimaryKeyConstraint("session_id", "hash"),
)

prompt_nodes = Table(
    "prompt_nodes",
    metadata,
    _session_key(),
    Column("id", LargeBinary, nullable=False),
    Column("parent", LargeBinary),
    Column("role", String),
    Column("text_hash", LargeBinary),
    PrimaryKeyConstraint("session_id", "id"),
    sqlite_with_rowid=False,
)

model_calls = Table(
    "model_calls",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("session_id", String, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("task", String, nullable=False),
    Column("model", Words, nullable=False),
    Column("prompt", LargeBinary),
    Column("text", Words, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("repairs", Document, nullable=False),
    Column("error", Words),
    Column("prompt_tokens", Integer),
    Column("completion_tokens", Integer),
    Column("tokens_estimated", Boolean, nullable=False),
    Column("reasoning", Words, nullable=False, server_default=""),
    Column("cached", Boolean, nullable=False, server_default=false()),
    ForeignKeyConstraint(
        ["session_id", "turn"], ["turns.session_id", "turns.number"], ondelete="CASCADE", name="call_of_turn"
    ),
    Index("calls_by_turn", "session_id", "turn"),
)

overrides = Table(
    "overrides",
    metadata,
    Column("id", Integer, primary_key=True),
    _session_key(index=True),
    Column("after_turn", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("arguments", Document, nullable=False),
    Column("summary", Words, nullable=False),
    Column("state_delta", Document, nullable=False),
    Column("created", Moment, nullable=False),
)

notes = Table(
    "notes",
    metadata,
    Column("id", Integer, primary_key=True),
    _session_key(index=True),
    Column("turn", Integer, nullable=False),
    Column("text", Words, nullable=False),
    Column("created", Moment, nullable=False),
)

resumptions = Table(
    "resumptions",
    metadata,
    Column("id", Integer, primary_key=True),
    _session_key(index=True),
    Column("after_turn", Integer, nullable=False),
    Column("level", String, nullable=False),
    Column("reviewer", Words, nullable=False),
    Column("reason", Words, nullable=False),
    Column("created", Moment, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("created", Moment, nullable=False),
    Column("action", String, nullable=False),
    Column("session", String),
    Column("actor_hash", String),
    Column("details", Document, nullable=False),
    sqlite_autoincrement=True,
)
