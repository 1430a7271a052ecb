"""The database: one SQLite file, opened, migrated, read and written with errors a user can act on."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import sqlalchemy
from sqlalchemy.engine import URL, Connection, Engine, make_url

from counsel_core.errors import InputError, StorageError
from counsel_core.storage.schema import REVISIONS

MIGRATIONS = Path(__file__).parent / "migrations"

_CAUSES = {
    "SQLITE_BUSY": "it is locked by another program. Close what else is writing to it, then try again",
    "SQLITE_LOCKED": "it is locked by another program. Close what else is writing to it, then try again",
    "SQLITE_READONLY": "the file or its folder is read-only. Give yourself the right to write there, "
    "or choose another place with COUNSEL_DATABASE_URL",
    "SQLITE_CANTOPEN": "it cannot be opened. Check that the folder exists and that you may write there",
    "SQLITE_PERM": "you may not use it. Give yourself the right to write there",
    "SQLITE_FULL": "the disk is full. Free some space, then try again",
    "SQLITE_IOERR": "the disk reported an error or is full. Check it, then try again",
    "SQLITE_NOTADB": "it is not an SQLite database. Move that file away, or choose another place with "
    "COUNSEL_DATABASE_URL",
    "SQLITE_CORRUPT": "it is damaged. Move it away and put back a copy, or start with a new one",
    "SQLITE_CONSTRAINT_TRIGGER": "the audit log can only be added to",
}


@dataclass(frozen=True)
class Database:
    """An open database; safe to share between threads.

    `lease_seconds` is how long a turn that is being answered stays reserved without a sign of life.
    """

    file: Path
    engine: Engine
    lease_seconds: float = 30.0

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection that sees one state of the database throughout.

        Raises
        ------
        StorageError
            The database cannot be read; the message names cause and remedy.
        """
        with self._transaction(writes=False) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give the one connection that may write now; everything is saved at the end, or nothing.

        Raises
        ------
        StorageError
            The database cannot be written; the message names cause and remedy. Nothing was saved.
        """
        with self._transaction(writes=True) as connection:
            yield connection

    @contextmanager
    def _transaction(self, *, writes: bool) -> Iterator[Connection]:
        with told(self.file), self.engine.connect() as connection:
            connection.execution_options(writes=writes)
            with connection.begin():
                yield connection

    def forget(self) -> None:
        """Empty the write-ahead file, which may still hold what was deleted.

        Raises
        ------
        StorageError
            Another program is reading the database, so that the file cannot be emptied yet.
        """
        with told(self.file), self.engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            busy, _, _ = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StorageError(
                f"Deleted, but {self.file}-wal still holds the deleted words while another program reads "
                "the database. Close the other windows of this app; the file goes with the last of them."
            )

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def told(file: Path) -> Iterator[None]:
    """Turn errors of SQLite into `StorageError` with their cause and what to do.

    An error that only a wrong program can cause (a broken statement or rule) passes as it is.
    """
    try:
        yield
    except (sqlalchemy.exc.DBAPIError, sqlite3.Error) as error:
        original = error.orig if isinstance(error, sqlalchemy.exc.DBAPIError) else error
        name = getattr(original, "sqlite_errorname", None) or ""
        cause = next((text for code, text in _CAUSES.items() if name.startswith(code)), None)
        if cause is None:
            raise
        raise StorageError(f"The database {file} cannot be used: {cause}.") from error


def open_database(url: str, *, busy_seconds: float = 5.0, lease_seconds: float = 30.0) -> Database:
    """Open the database of a URL such as `sqlite:////home/me/counsel.sqlite3`, made or migrated if needed.

    Parameters
    ----------
    url
        An SQLAlchemy URL of an SQLite file. A missing folder is made.
    busy_seconds
        How long to wait for another writer before giving up.
    lease_seconds
        How long a turn stays reserved for a program that gives no sign of life.

    Raises
    ------
    InputError
        The URL is not one of an SQLite file.
    StorageError
        Locked, read-only, full, damaged, not a database, or of a newer version of this app.
    """
    parsed = _read_url(url)
    file = _file_of(parsed)
    _prepare(file)
    engine = sqlalchemy.create_engine(
        parsed,
        max_overflow=-1,
        connect_args={"timeout": busy_seconds, "check_same_thread": False, "isolation_level": None},
    )
    sqlalchemy.event.listen(engine, "connect", _set_pragmas)
    sqlalchemy.event.listen(engine, "begin", _begin)
    database = Database(file, engine, lease_seconds)
    try:
        _keep_a_log(database, busy_seconds)
        _migrate(database)
    except BaseException:
        engine.dispose()
        raise
    return database


def _read_url(url: str) -> URL:
    expected = (
        "It takes the URL of an SQLite file without options, such as sqlite:////home/me/counsel.sqlite3."
    )
    try:
        parsed = make_url(url)
    except (sqlalchemy.exc.ArgumentError, ValueError) as error:  # the latter for a port that is no number
        raise InputError(f"The database URL cannot be read. {expected}") from error
    if not _is_of_a_file(parsed):
        given = parsed.set(query={}).render_as_string(hide_password=True)
        raise InputError(f"The database URL is {given}. {expected}")
    return parsed


def _is_of_a_file(url: URL) -> bool:
    """Whether a URL names a file, and nothing that the driver would pass over or stumble on."""
    file, options = url.database or "", dict(url.query)
    if url.drivername not in ("sqlite", "sqlite+pysqlite") or url.host or url.username or url.port:
        return False
    if "\0" in unquote(file):
        return False
    if file.startswith("file:"):
        absolute = file.startswith("file:/") and not file.startswith("file://")
        return absolute and options in ({"uri": "true"}, {"uri": "true", "mode": "ro"})
    return not options and file not in ("", ":memory:")


def _file_of(url: URL) -> Path:
    """Return the file: a path as it stands, or that of SQLite's own kind of address, `file:/…`."""
    given = url.database or ""
    return Path(unquote(given.removeprefix("file:")) if given.startswith("file:") else given).absolute()


def _prepare(file: Path) -> None:
    """Make folder and file, both for their owner alone: they will hold clients' words."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise StorageError(
            f"The database {file} cannot be made: {reason}. Choose a place where you may write, with "
            "COUNSEL_DATA_DIR or COUNSEL_DATABASE_URL."
        ) from error


def _set_pragmas(connection: sqlite3.Connection, _: object) -> None:
    for pragma in ("foreign_keys = ON", "secure_delete = ON", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin(connection: Connection) -> None:
    # A writer takes the lock at once, so that what it read cannot change before it writes.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _keep_a_log(database: Database, busy_seconds: float) -> None:
    """Set the write-ahead log. SQLite does not wait for a program that is doing the same: so we do."""
    until = time.monotonic() + busy_seconds
    with told(database.file), database.engine.connect() as connection:
        driver: Any = connection.connection.driver_connection
        while driver.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            try:
                driver.execute("PRAGMA journal_mode = WAL").close()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.05)


def _migrate(database: Database) -> None:
    with database.reading() as connection:
        due = _revision(database.file, connection) != REVISIONS[-1]
    if due:
        with database.writing() as connection:
            if _revision(database.file, connection) != REVISIONS[-1]:
                upgrade(connection)


def _revision(file: Path, connection: Connection) -> str | None:
    """Return the revision a database is of; None for an empty one."""
    names = set(connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    if not names:
        return None
    if "alembic_version" not in names:
        raise StorageError(
            f"{file} is a database of another program. Choose another file with COUNSEL_DATABASE_URL."
        )
    revision: str | None = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    if revision not in REVISIONS:
        raise StorageError(
            f"The database {file} was made by a newer version of this app (schema {revision}; this one "
            f"knows up to {REVISIONS[-1]}). Update the app, or choose another file with COUNSEL_DATABASE_URL."
        )
    return revision


def upgrade(connection: Connection, *, scripts: Path = MIGRATIONS, to: str = "head") -> None:
    """Run the migrations that are due, within the connection's transaction: all of them or none."""
    from alembic import command
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    command.upgrade(config, to)
