"""The audit log refuses every change and deletion, whoever asks."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add a trigger for each."""
    for event in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER audit_no_{event.lower()} BEFORE {event} ON audit "
            "BEGIN SELECT RAISE(ABORT, 'the audit log can only be added to'); END"
        )
