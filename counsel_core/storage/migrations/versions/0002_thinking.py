"""Calls keep what a model wrote as thinking, and whether their answer came from the cache."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the two columns; calls of before have no thinking and were made."""
    op.add_column("model_calls", sa.Column("reasoning", sa.Text, nullable=False, server_default=""))
    op.add_column("model_calls", sa.Column("cached", sa.Boolean, nullable=False, server_default=sa.false()))
