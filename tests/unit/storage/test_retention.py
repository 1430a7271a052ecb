"""Retention: what nobody used for long is deleted with all its words; what is in danger waits."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete, update

from counsel_core.conversation import resume_session, take_turn
from counsel_core.errors import StorageError
from counsel_core.storage import audit, schema
from counsel_core.storage import sessions as stored
from counsel_core.storage.retention import list_due, purge
from tests.fakes_conversation import FakeModel

LATER = datetime.now(UTC) + timedelta(days=31)


def test_only_what_is_unused_for_long_goes(db, begin):
    old, fresh = begin(title="Old"), begin(title="Fresh")
    with db.writing() as connection:
        change = update(schema.sessions).where(schema.sessions.c.id == old.id)
        connection.execute(change.values(updated=datetime.now(UTC) - timedelta(days=10)))
    assert [one.session for one in list_due(db, 9)] == [old.id]
    assert list_due(db, 11) == ()
    assert [one.session for one in purge(db, 9)] == [old.id]
    assert [one.id for one in stored.list_sessions(db)] == [fresh.id]
    assert [entry.action for entry in audit.read(db, old.id)][-1] == "session_purged"
    assert purge(db, 9) == ()


def test_its_words_are_in_no_file_of_the_database(db, session):
    take_turn(db, FakeModel(), session.id, "A word like zwiebelkuchen.")
    purge(db, 30, LATER)
    for file in db.file.parent.iterdir():
        assert b"zwiebelkuchen" not in file.read_bytes()


def test_a_frozen_session_waits_for_a_reviewer(db, session, say):
    say("I am going to kill myself tonight.")
    (due,) = list_due(db, 30, LATER)
    assert "a reviewer has to decide" in due.held
    assert purge(db, 30, LATER) == ()
    resume_session(db, session.id, "Dr Ray", "Spoke on the phone.")
    assert len(purge(db, 30, LATER)) == 1


def test_a_line_that_is_being_answered_is_waited_for(db, session):
    def answer(request):
        (due,) = list_due(db, 30, LATER)
        assert due.held == "being answered"
        assert purge(db, 30, LATER) == ()
        return "I see."

    assert take_turn(db, FakeModel(answer), session.id, "Hello.").reply == "I see."


def test_many_go_in_several_transactions(db, begin):
    for _ in range(120):
        begin()
    assert len(purge(db, 30, LATER)) == 120
    assert stored.count_sessions(db) == 0


def test_the_audit_log_refuses_changes_and_deletions(db, session):
    count = len(audit.read(db))
    for change in (update(schema.audit).values(action="nothing"), delete(schema.audit)):
        with pytest.raises(StorageError), db.writing() as connection:
            connection.execute(change)
    assert len(audit.read(db)) == count
    assert [one.id for one in audit.read_latest(db, 1)] == [audit.read(db)[-1].id]
    assert audit.read_latest(db, 5, session="0" * 16) == ()
