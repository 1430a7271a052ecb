"""The file of the cache of completions: one SQLite table, bounded in size, that forgets for good."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from counsel_core.errors import StorageError

Row = tuple[str, str, int | None, int | None, bool]
"""Text, thinking, tokens of prompt and answer, and whether these are estimated."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answers (
    key BLOB PRIMARY KEY,
    model TEXT NOT NULL,
    text TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    prompt_tokens INTEGER,
    completion_tokens INTEGER,
    tokens_estimated INTEGER NOT NULL,
    made REAL NOT NULL,
    used REAL NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS answers_by_use ON answers (used);
"""
_VALUES = "text, reasoning, prompt_tokens, completion_tokens, tokens_estimated"
_FULL = 0.9
"""What is left of the limit once too much was kept: then it is not full again at once."""

_PIECES = 16
_BUSY_SECONDS = 5.0
_BROKEN = ("SQLITE_NOTADB", "SQLITE_CORRUPT")


class CacheFile:
    """The file, through one connection that threads take in turn; other processes may have it open too."""

    def __init__(self, file: Path, limit: int) -> None:
        self._file, self._limit = file, limit
        self._lock = threading.Lock()
        self._unmeasured = self._step = limit // 100
        with self._told():
            self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        """Make folder and file for their owner alone, and open it."""
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(self._file, os.O_CREAT | os.O_RDWR, 0o600))
        connection = sqlite3.connect(
            self._file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            for pragma in ("secure_delete = ON", "synchronous = NORMAL"):
                connection.execute(f"PRAGMA {pragma}").close()
            _write_ahead(connection)
            connection.executescript(_SCHEMA).close()
        except BaseException:
            connection.close()
            raise
        return connection

    def take(self, key: bytes) -> Row | None:
        """Return what is kept under a key, and count the use."""
        use = f"UPDATE answers SET used = ?, hits = hits + 1 WHERE key = ? RETURNING {_VALUES}"  # noqa: S608 - constants
        found = self._rows("SELECT 1 FROM answers WHERE key = ?", key) and self._rows(use, time.time(), key)
        return found[0] if found else None

    def put(self, key: bytes, model: str, row: Row) -> None:
        """Keep a row; the first answer to come stays. Then let go what is too much."""
        now = time.time()
        values = (key, _clean(model), _clean(row[0]), _clean(row[1]), *row[2:], now, now)
        self._rows(
            f"INSERT OR IGNORE INTO answers (key, model, {_VALUES}, made, used) "  # noqa: S608 - constants
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *values,
        )
        self._unmeasured += len(row[0]) + len(row[1])
        if self._unmeasured >= self._step:  # to measure it each time takes longer than to write
            self._unmeasured = 0
            if self.size() > self._limit - self._step:
                self._let_go()

    def drop(self, key: bytes) -> None:
        """Delete a row."""
        self._rows("DELETE FROM answers WHERE key = ?", key)

    def totals(self) -> tuple[int, float | None]:
        """Return the number of rows and when the oldest was made."""
        ((number, oldest),) = self._rows("SELECT count(*), min(made) FROM answers")
        return number, oldest

    def by_model(self) -> list[tuple[str, int, int, int]]:
        """Return of each model its name, rows, bytes and hits."""
        return self._rows(
            "SELECT model, count(*), sum(length(CAST(text || reasoning AS BLOB))), sum(hits) FROM answers "
            "GROUP BY model ORDER BY 3 DESC, model"
        )

    def size(self) -> int:
        """Return the bytes that rows take in the file; pages that are free are used before it grows."""
        ((used,),) = self._rows(
            "SELECT (pages.page_count - free.freelist_count) * page.page_size "
            "FROM pragma_page_count pages, pragma_freelist_count free, pragma_page_size page"
        )
        return int(used)

    def clear(self) -> None:
        """Delete every row and give the file's room back: nothing of them is on the disk afterwards."""
        with self._told(), self._lock:
            for statement in ("DELETE FROM answers", "VACUUM"):
                self._connection.execute(statement).close()
            busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StorageError(
                f"Cleared, but {self._file}-wal still holds answers while another program reads it. Clear "
                "the cache once more when no run is at work."
            )

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    def _let_go(self) -> None:
        """Delete the rows that were not used for longest, a share at a time, until there is room again."""
        while self.size() > self._limit * _FULL and (number := self.totals()[0]):
            self._rows(
                "DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY used LIMIT ?)",
                max(1, number // _PIECES),
            )

    def _rows(self, statement: str, *values: Any) -> list[Any]:
        with self._told(), self._lock, closing(self._connection.execute(statement, values)) as cursor:
            return cursor.fetchall()

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what went wrong with the file into a StorageError that says what to do."""
        try:
            yield
        except (sqlite3.DatabaseError, OSError) as error:
            if isinstance(error, sqlite3.ProgrammingError):  # a defect of this program
                raise
            reason = str(getattr(error, "strerror", None) or error).lower()
            advice = f"{reason}; see that you may write there and that the disk has room"
            if _is_damage(error):
                advice = "it is damaged; clear it on the Models page"
            raise StorageError(
                f"The cache of answers, {self._file}, cannot be used: {advice}, or go without it "
                "(--no-cache)."
            ) from error


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and a writer not wait for each other. SQLite does not wait by itself to switch to it."""
    until = time.monotonic() + _BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > until:
                raise
            time.sleep(0.02)
        else:
            return


def clear_file(file: Path) -> None:
    """Clear a cache's file; one that is damaged is removed.

    Raises
    ------
    StorageError
        Another program is reading it, or it cannot be written.
    """
    try:
        with closing(CacheFile(file, 0)) as opened:
            opened.clear()
    except StorageError as error:
        if not _is_damage(error.__cause__):
            raise
        for end in ("", "-wal", "-shm"):
            file.with_name(f"{file.name}{end}").unlink(missing_ok=True)


def _is_damage(error: BaseException | None) -> bool:
    return (getattr(error, "sqlite_errorname", None) or "").startswith(_BROKEN)


def _clean(text: str) -> str:
    """Return a text that UTF-8 can hold; half of a surrogate pair, as models write it, becomes U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
