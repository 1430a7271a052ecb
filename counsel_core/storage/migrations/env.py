"""Alembic's environment: runs migrations on the connection that `database.upgrade` hands over."""

from alembic import context

from counsel_core.storage.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
