import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import update

from counsel_core.conversation import retry_turn, take_turn, withdraw_turn
from counsel_core.errors import (
    AgentReplyError,
    ConflictError,
    ProviderUnavailableError,
    StoppedError,
    StorageError,
)
from counsel_core.overriding import override_state
from counsel_core.storage import schema
from counsel_core.storage import sessions as stored
from counsel_core.storage.database import open_database
from tests.fakes_conversation import FakeModel, load_calls, load_turn

ROOT = Path(__file__).parents[2]


def fail(request):
    raise ProviderUnavailableError("The server at 127.0.0.1:8080 broke off. Try again.")


def test_a_failure_keeps_the_line_and_its_calls_and_leaves_the_state(db, session, say):
    say("One")
    before = stored.load_session(db, session.id)
    with pytest.raises(ProviderUnavailableError, match="broke off"):
        take_turn(db, FakeModel(fail), session.id, "Two")
    turn = load_turn(db, session.id, 2)
    assert (turn.client, turn.status, turn.reply) == ("Two", "failed", "")
    assert turn.error == "The server at 127.0.0.1:8080 broke off. Try again."
    assert stored.load_session(db, session.id).state == before.state
    (call,) = load_calls(db, session.id, 2)
    assert call.error == turn.error
    assert call.messages[-1].content == "Two"


def test_a_retry_answers_the_same_line_and_keeps_the_calls_of_both_attempts(db, session, say):
    say("One")
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, "Two", author="sample client")
    with pytest.raises(ProviderUnavailableError):
        retry_turn(db, FakeModel(fail), session.id)
    turn = retry_turn(db, FakeModel(), session.id)
    assert (turn.number, turn.client, turn.status, turn.error) == (2, "Two", "answered", None)
    assert (turn.reply, turn.author) == ("You said: Two", "sample client")
    attempts = stored.load_attempts(db, session.id, 2)
    assert [(number, call.error is None) for number, call in attempts] == [(1, False), (2, False), (3, True)]
    assert stored.load_session(db, session.id).state["heard"] == ["One", "Two"]
    assert stored.load_session(db, session.id).turn_count == 2


def test_there_is_nothing_to_retry_or_take_back_once_answered(db, session, say):
    for attempt in (lambda: retry_turn(db, FakeModel(), session.id), lambda: withdraw_turn(db, session.id)):
        with pytest.raises(ConflictError, match="Nothing was said yet"):
            attempt()
    say("One")
    for attempt in (lambda: retry_turn(db, FakeModel(), session.id), lambda: withdraw_turn(db, session.id)):
        with pytest.raises(ConflictError, match="Turn 1 has its answer"):
            attempt()


def test_a_new_line_waits_for_the_failed_one(db, session):
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, "One")
    with pytest.raises(ConflictError, match="Retry it, or take it back"):
        take_turn(db, FakeModel(), session.id, "Two")
    assert [turn.client for turn in stored.load_turns(db, session.id)] == ["One"]


def test_a_line_taken_back_leaves_no_word(db, session, say):
    say("One")
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, "Quarzfels")
    stored.save_note(db, session.id, 2, "Quarzfels note")
    assert withdraw_turn(db, session.id) == "Quarzfels"
    assert stored.load_session(db, session.id).turn_count == 1
    assert stored.load_notes(db, session.id) == []
    db.forget()
    assert b"Quarzfels" not in db.file.read_bytes()
    say("Quartz")
    assert [turn.client for turn in stored.load_turns(db, session.id)] == ["One", "Quartz"]


def test_an_override_after_a_failed_line_comes_before_its_answer(db, session, say):
    say("One")
    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, "Two")
    override_state(db, session.id, "topic", {"value": "rent"})
    retry_turn(db, FakeModel(), session.id)
    assert [override.after_turn for override in stored.load_overrides(db, session.id)] == [1]
    assert stored.state_after(db, session.id, 2) == {"heard": ["One", "Two"], "topic": "rent"}
    assert stored.state_after(db, session.id, 2) == stored.load_session(db, session.id).state


def test_an_empty_reply_is_a_failure(db, session):
    with pytest.raises(AgentReplyError, match="empty reply"):
        take_turn(db, FakeModel(lambda request: " \n"), session.id, "One")
    assert load_turn(db, session.id, 1).status == "failed"
    assert load_calls(db, session.id, 1)[0].text == " \n"


def test_a_stopped_answer_can_be_retried(db, session):
    cancel = threading.Event()

    def wait_for_stop(request):
        cancel.set()
        raise StoppedError("Stopped.")

    with pytest.raises(StoppedError):
        take_turn(db, FakeModel(wait_for_stop), session.id, "One", cancel=cancel)
    assert load_turn(db, session.id, 1).status == "stopped"
    assert retry_turn(db, FakeModel(), session.id).status == "answered"


def test_a_fault_of_the_program_leaves_a_line_that_can_be_retried_at_once(db, session):
    def crash(request):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        take_turn(db, FakeModel(crash), session.id, "One")
    turn = load_turn(db, session.id, 1)
    assert turn.status == "failed"
    assert "stopped before the answer was saved" in turn.error
    assert retry_turn(db, FakeModel(), session.id).reply == "You said: One"


def test_a_disk_that_fills_up_during_the_answer_loses_nothing(db, session, say):
    say("One")
    with open_database(f"sqlite:///{db.file}") as narrow:

        def fill(request):
            with narrow.reading() as connection:
                pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
                connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
            return "word " * 10_000

        with pytest.raises(StorageError, match="disk is full"):
            take_turn(narrow, FakeModel(fill), session.id, "Two")
    turn = load_turn(db, session.id, 2)
    assert (turn.client, turn.status, turn.reply) == ("Two", "failed", "")
    assert stored.load_session(db, session.id).state["heard"] == ["One"]
    assert retry_turn(db, FakeModel(), session.id).reply == "You said: Two"


KILLED = """
import os, sys
from tests import fakes_conversation as fakes
fakes.install()
from counsel_core.conversation import take_turn
from counsel_core.storage.database import open_database
db = open_database(sys.argv[1], lease_seconds=3.0)
take_turn(db, fakes.FakeModel(lambda request: os._exit(7)), sys.argv[2], "Killed while answering")
"""


def test_a_killed_program_leaves_a_line_that_can_be_retried_after_its_lease(db, session, say):
    say("One")
    url = f"sqlite:///{db.file}"
    command = [sys.executable, "-c", KILLED, url, session.id]
    assert subprocess.run(command, cwd=ROOT, check=False).returncode == 7
    # The line is there, and looks like one that is being answered until the lease runs out.
    deadline = time.monotonic() + 30
    while load_turn(db, session.id, 2).status == "pending":
        assert time.monotonic() < deadline
        time.sleep(0.05)
    lost = load_turn(db, session.id, 2)
    assert (lost.client, lost.status) == ("Killed while answering", "failed")
    assert "retry it, or take it back" in lost.error
    with pytest.raises(ConflictError, match="Retry it"):
        take_turn(db, FakeModel(), session.id, "Two")
    assert retry_turn(db, FakeModel(), session.id).reply == "You said: Killed while answering"
    assert stored.load_session(db, session.id).turn_count == 2


def test_a_long_answer_keeps_its_turn_by_signs_of_life(db, session):
    with open_database(f"sqlite:///{db.file}", lease_seconds=3.0) as brief:

        def answer_slowly(request):
            for _ in range(9):
                time.sleep(0.5)
                assert load_turn(db, session.id, 1).status == "pending"
            return "At last."

        assert take_turn(brief, FakeModel(answer_slowly), session.id, "One").reply == "At last."


def test_an_answer_that_lost_its_turn_is_stopped_and_not_saved(db, session):
    stopped = threading.Event()
    with open_database(f"sqlite:///{db.file}", lease_seconds=0.3) as brief:
        cancel = threading.Event()

        def lose(request):
            # As if this program had been suspended: the turn counts as lost, and is answered elsewhere.
            with db.writing() as connection:
                connection.execute(update(schema.turns).values(lease_until=0.0))
            assert retry_turn(db, FakeModel(), session.id).reply == "You said: One"
            if cancel.wait(5):
                stopped.set()
            raise StoppedError("Stopped.")

        with pytest.raises(ConflictError, match="was not saved"):
            take_turn(brief, FakeModel(lose), session.id, "One", cancel=cancel)
    assert stopped.is_set()
    turn = load_turn(db, session.id, 1)
    assert (turn.status, turn.reply) == ("answered", "You said: One")
