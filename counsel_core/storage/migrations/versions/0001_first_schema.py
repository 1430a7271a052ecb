"""The first schema: sessions, their turns and calls, prompts by parts, and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _session_key() -> sa.Column[str]:
    return sa.Column(
        "session_id", sa.String, sa.ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False
    )


def upgrade() -> None:
    """Make the tables and the triggers that let the audit log only grow."""
    _make_sessions()
    _make_turns()
    _make_prompts()
    _make_calls()
    _make_remarks()
    _make_audit()


def _make_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String, primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("agent", sa.String, nullable=False),
        sa.Column("model", sa.String, nullable=False),
        sa.Column("language", sa.String, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("opening", sa.Text, nullable=False),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("updated", sa.String, nullable=False),
        sa.Column("turn_count", sa.Integer, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("risk", sa.String, nullable=False),
        sa.Column("frozen", sa.Boolean, nullable=False),
        sa.Column("sample_client", sa.String),
        sa.Column("parent", sa.String),
        sa.Column("parent_turn", sa.Integer),
        sa.Column("overridden", sa.Boolean, nullable=False),
        sa.Column("material", sa.Text, nullable=False),
        sa.Column("opening_state", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
    op.create_index("sessions_by_update", "sessions", ["updated"])


def _make_turns() -> None:
    op.create_table(
        "turns",
        _session_key(),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("status", sa.String, nullable=False),
        sa.Column("author", sa.String, nullable=False),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("client", sa.Text, nullable=False),
        sa.Column("notice", sa.Text, nullable=False),
        sa.Column("reply", sa.Text, nullable=False),
        sa.Column("safety_reply", sa.Boolean, nullable=False),
        sa.Column("risk", sa.String, nullable=False),
        sa.Column("evidence", sa.Text, nullable=False),
        sa.Column("findings", sa.Text, nullable=False),
        sa.Column("trace", sa.Text, nullable=False),
        sa.Column("state_delta", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("model", sa.Text),
        sa.Column("seconds", sa.Float),
        sa.Column("prompt_tokens", sa.Integer),
        sa.Column("completion_tokens", sa.Integer),
        sa.Column("tokens_estimated", sa.Boolean, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("holder", sa.String),
        sa.Column("lease_until", sa.Float),
        sa.UniqueConstraint("session_id", "number", name="one_turn_a_number"),
    )


def _make_prompts() -> None:
    op.create_table(
        "texts",
        _session_key(),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("session_id", "hash"),
    )
    op.create_table(
        "prompt_nodes",
        _session_key(),
        sa.Column("id", sa.LargeBinary, nullable=False),
        sa.Column("parent", sa.LargeBinary),
        sa.Column("role", sa.String),
        sa.Column("text_hash", sa.LargeBinary),
        sa.PrimaryKeyConstraint("session_id", "id"),
        sqlite_with_rowid=False,
    )


def _make_calls() -> None:
    op.create_table(
        "model_calls",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("session_id", sa.String, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("task", sa.String, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("prompt", sa.LargeBinary),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("repairs", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("prompt_tokens", sa.Integer),
        sa.Column("completion_tokens", sa.Integer),
        sa.Column("tokens_estimated", sa.Boolean, nullable=False),
        sa.ForeignKeyConstraint(
            ["session_id", "turn"],
            ["turns.session_id", "turns.number"],
            ondelete="CASCADE",
            name="call_of_turn",
        ),
    )
    op.create_index("calls_by_turn", "model_calls", ["session_id", "turn"])


def _make_remarks() -> None:
    op.create_table(
        "overrides",
        sa.Column("id", sa.Integer, primary_key=True),
        _session_key(),
        sa.Column("after_turn", sa.Integer, nullable=False),
        sa.Column("kind", sa.String, nullable=False),
        sa.Column("arguments", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("state_delta", sa.Text, nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
    op.create_table(
        "notes",
        sa.Column("id", sa.Integer, primary_key=True),
        _session_key(),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
    op.create_table(
        "resumptions",
        sa.Column("id", sa.Integer, primary_key=True),
        _session_key(),
        sa.Column("after_turn", sa.Integer, nullable=False),
        sa.Column("level", sa.String, nullable=False),
        sa.Column("reviewer", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("created", sa.String, nullable=False),
    )
    for table in ("overrides", "notes", "resumptions"):
        op.create_index(f"ix_{table}_session_id", table, ["session_id"])


def _make_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("created", sa.String, nullable=False),
        sa.Column("action", sa.String, nullable=False),
        sa.Column("session", sa.String),
        sa.Column("actor_hash", sa.String),
        sa.Column("details", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    refusal = "SELECT RAISE(ABORT, 'the audit log can only be added to')"
    for verb in ("UPDATE", "DELETE"):
        op.execute(f"CREATE TRIGGER audit_refuses_{verb.lower()} BEFORE {verb} ON audit BEGIN {refusal}; END")
    # REPLACE deletes without firing the trigger of DELETE.
    taken = "EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)"
    op.execute(
        f"CREATE TRIGGER audit_refuses_replace BEFORE INSERT ON audit WHEN {taken} BEGIN {refusal}; END"
    )
