import threading
import time

import pytest

from counsel_core.errors import ConflictError, InputError, ProviderUnavailableError, StoppedError
from counsel_core.live import LiveTurns
from counsel_core.safety.risk import check_risk
from counsel_core.storage import sessions as stored
from tests.fakes_conversation import FakeModel, load_turn

IMMINENT = "I have the pills here and I am going to kill myself tonight."


class Gate:
    """A model that answers when it is let go, or stops when it is told to."""

    def __init__(self):
        self.begun, self.go_on = threading.Event(), threading.Event()
        self.model = FakeModel(self.answer)

    def answer(self, request):
        self.begun.set()
        assert self.go_on.wait(10)
        return "Yes?"


def join_turns():
    for thread in threading.enumerate():
        if thread.name.startswith("turn-"):
            thread.join(10)


@pytest.fixture
def live(db):
    return LiveTurns(db)


@pytest.fixture
def gate():
    gate = Gate()
    yield gate
    gate.go_on.set()
    join_turns()


def test_a_fast_answer_needs_no_polling(db, session, live):
    live.submit(session.id, FakeModel(), "One", expected_turn=1, author="sample client")
    status = live.wait(session.id, 10)
    assert (status.done, status.error, status.steps) == (True, None, ("Listening",))
    turn = load_turn(db, session.id, 1)
    assert (turn.reply, turn.author) == ("You said: One", "sample client")
    # What was read is forgotten.
    assert live.status(session.id) is None
    assert live.wait(session.id, 0) is None


def test_steps_are_seen_as_they_happen_whoever_looks(db, session, live, gate):
    before = time.time()
    live.submit(session.id, gate.model, "One")
    assert gate.begun.wait(10)
    for _ in range(2):  # a second tab, or the page after a reload
        status = live.wait(session.id, 0.01)
        assert (status.done, status.steps) == (False, ("Listening",))
        assert before <= status.started <= time.time()
    gate.go_on.set()
    assert live.wait(session.id, 10).done


def test_a_session_is_answered_once_at_a_time(db, begin, session, live, gate):
    live.submit(session.id, gate.model, "One")
    with pytest.raises(ConflictError, match="being answered right now"):
        live.submit(session.id, FakeModel(), "Two")
    with pytest.raises(ConflictError, match="being answered right now"):
        live.retry(session.id, FakeModel())
    other = begin()
    live.submit(other.id, FakeModel(), "One")
    assert live.wait(other.id, 10).done


def test_danger_overtakes_the_answer_being_written(db, session, live, gate):
    live.submit(session.id, gate.model, "One")
    assert gate.begun.wait(10)
    live.submit(session.id, FakeModel(), IMMINENT)
    status = live.wait(session.id, 10)
    assert (status.done, status.error) == (True, None)
    assert [turn.status for turn in stored.load_turns(db, session.id)] == ["stopped", "answered"]
    assert stored.load_session(db, session.id).frozen


def test_what_is_dangerous_by_the_lines_before_it_overtakes_too(db, session, live, gate):
    line = "I'll swallow every one of them tonight."
    assert check_risk(line).level != "imminent"
    live.submit(session.id, gate.model, "I have forty tablets on the shelf.")
    assert gate.begun.wait(10)
    live.submit(session.id, FakeModel(), line)
    assert live.wait(session.id, 10).done
    assert stored.load_session(db, session.id).frozen
    assert load_turn(db, session.id, 2).safety_reply


def test_failures_come_by_status_and_a_retry_answers(db, session, live):
    def fail(request):
        raise ProviderUnavailableError("It broke off.")

    live.submit(session.id, FakeModel(fail), "One")
    status = live.wait(session.id, 10)
    assert status.done
    assert isinstance(status.error, ProviderUnavailableError)
    live.retry(session.id, FakeModel())
    assert live.wait(session.id, 10).error is None
    assert load_turn(db, session.id, 1).reply == "You said: One"


def test_what_is_refused_comes_by_status_too(session, live):
    live.submit(session.id, FakeModel(), "   ")
    assert isinstance(live.wait(session.id, 10).error, InputError)


def test_an_answer_can_be_stopped(db, session, live):
    begun = threading.Event()

    class Patient(FakeModel):
        def complete(self, request, cancel):
            begun.set()
            assert cancel.wait(10)
            raise StoppedError("Stopped.")

    live.submit(session.id, Patient(), "One")
    assert begun.wait(10)
    assert live.stop(session.id)
    assert isinstance(live.wait(session.id, 10).error, StoppedError)
    assert load_turn(db, session.id, 1).status == "stopped"
    assert not live.stop(session.id)


def test_there_is_a_bound_on_answers_at_once(db, begin, session, gate):
    live = LiveTurns(db, most_at_once=1)
    live.submit(session.id, gate.model, "One")
    other = begin()
    with pytest.raises(ConflictError, match="1 answers are being written"):
        live.submit(other.id, FakeModel(), "One")
    live.submit(other.id, FakeModel(), IMMINENT)
    assert live.wait(other.id, 10).done
    assert load_turn(db, other.id, 1).safety_reply


def test_what_nobody_reads_is_not_kept_for_ever(db, begin, live, monkeypatch):
    monkeypatch.setattr("counsel_core.live.MOST_UNREAD", 2)
    ids = [begin().id for _ in range(5)]
    for session_id in ids:
        live.submit(session_id, FakeModel(), "One")
        join_turns()
    assert [live.status(session_id) is None for session_id in ids] == [True, True, True, False, False]


def test_a_fault_of_the_program_is_loud_and_leaves_a_line_to_retry(db, session, live, monkeypatch):
    told = []
    monkeypatch.setattr(threading, "excepthook", lambda args: told.append(args.exc_type))

    def crash(request):
        raise ZeroDivisionError

    live.submit(session.id, FakeModel(crash), "One")
    assert live.wait(session.id, 10).done
    join_turns()
    assert told == [ZeroDivisionError]
    assert load_turn(db, session.id, 1).status == "failed"
