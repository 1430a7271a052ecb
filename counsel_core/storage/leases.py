"""The right to answer a turn: held by one program at a time, for as long as it gives signs of life."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from types import TracebackType

from sqlalchemy import select, update
from sqlalchemy.engine import Connection
from sqlalchemy.sql.dml import Update

from counsel_core.errors import StorageError
from counsel_core.storage.database import Database
from counsel_core.storage.schema import turns


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at answering one turn; `holder` is random, so that only who holds it can save."""

    session: str
    number: int
    attempt: int
    holder: str

    def change(self) -> Update:
        """Return an update of the claimed turn, which touches no row once the claim is lost."""
        column = turns.c
        return update(turns).where(
            column.session_id == self.session,
            column.number == self.number,
            column.holder == self.holder,
            column.status == "pending",
        )


def renew(connection: Connection, claim: Claim, seconds: float) -> bool:
    """Hold a turn for so many seconds from now; False if the claim is lost."""
    change = claim.change().values(lease_until=time.time() + seconds)
    return bool(connection.execute(change).rowcount)


def seconds_left(db: Database, session_id: str, number: int) -> float | None:
    """Return for how long a pending turn is still held without a new sign of life; None if it is not."""
    column = turns.c
    query = select(column.lease_until).where(
        column.session_id == session_id, column.number == number, column.status == "pending"
    )
    with db.reading() as connection:
        until = connection.execute(query).scalar_one_or_none()
    left = until - time.time() if until is not None else 0.0
    return left if left > 0 else None


@dataclass
class Lease:
    """Keeps a claim alive while its turn is answered; when it is lost, `cancel` stops the answer.

    On leaving, a turn that is still pending (the program broke off) is free to be retried at once.
    """

    db: Database
    claim: Claim
    cancel: threading.Event
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Lease:
        self._heart = threading.Thread(target=self._beat, name="turn-lease", daemon=True)
        self._heart.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: TracebackType | BaseException | None) -> None:
        self._over.set()
        self._heart.join()
        if kind is not None:
            with self.db.writing() as connection:
                renew(connection, self.claim, -1.0)

    def _beat(self) -> None:
        while not self._over.wait(self.db.lease_seconds / 3):
            try:
                with self.db.writing() as connection:
                    held = renew(connection, self.claim, self.db.lease_seconds)
            except StorageError:
                continue  # two more beats fit into the lease; the saving at the end tells of a lasting fault
            if not held:
                self.cancel.set()
                return
