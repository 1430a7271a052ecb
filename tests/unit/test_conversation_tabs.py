import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from counsel_core.branching import branch_session, rewind_session
from counsel_core.conversation import resume_session, retry_turn, take_turn, withdraw_turn
from counsel_core.errors import ConflictError
from counsel_core.overriding import override_state
from counsel_core.storage import sessions as stored
from tests.fakes_conversation import FakeModel, load_turn

ROOT = Path(__file__).parents[2]


@pytest.fixture
def answering(db, session):
    """A line that is being answered in another window until the test lets it go."""
    begun, go_on = threading.Event(), threading.Event()

    def answer(request):
        begun.set()
        assert go_on.wait(10)
        return "Yes?"

    thread = threading.Thread(target=take_turn, args=(db, FakeModel(answer), session.id, "One"))
    thread.start()
    assert begun.wait(10)
    yield
    go_on.set()
    thread.join()
    assert [turn.reply for turn in stored.load_turns(db, session.id)] == ["Yes?"]


@pytest.mark.parametrize(
    "action",
    [
        lambda db, session: take_turn(db, FakeModel(), session, "Two"),
        lambda db, session: take_turn(db, FakeModel(), session, "One", expected_turn=1),
        lambda db, session: retry_turn(db, FakeModel(), session),
        withdraw_turn,
        lambda db, session: override_state(db, session, "topic", {"value": "rent"}),
        lambda db, session: resume_session(db, session, "Ada Lind", "She is safe."),
        lambda db, session: rewind_session(db, session, 0),
        lambda db, session: branch_session(db, session, 1),
    ],
)
def test_while_a_line_is_answered_nothing_else_changes_the_session(db, session, answering, action):
    with pytest.raises(ConflictError, match="has no answer yet: it is being answered"):
        action(db, session.id)


def test_what_does_not_change_the_session_is_possible_meanwhile(db, session, answering):
    assert load_turn(db, session.id, 1).status == "pending"
    assert branch_session(db, session.id, 0).turn_count == 0
    stored.save_note(db, session.id, 1, "A long pause.")
    assert stored.rename_session(db, session.id, "Other").title == "Other"


def test_a_session_deleted_meanwhile_is_not_brought_back(db, session):
    def delete(request):
        stored.delete_session(db, session.id)
        return "Yes?"

    with pytest.raises(ConflictError, match="deleted"):
        take_turn(db, FakeModel(delete), session.id, "One")
    assert stored.count_sessions(db) == 0


def test_a_tab_that_fell_behind_is_told_so(db, session, say):
    say("One", "Two")
    with pytest.raises(ConflictError, match=r"this would be turn 3, not 2.*Read what was said"):
        take_turn(db, FakeModel(), session.id, "Late", expected_turn=2)
    assert take_turn(db, FakeModel(), session.id, "Three", expected_turn=3).number == 3


def test_eight_tabs_at_once_lose_and_double_nothing(db, session):
    barrier = threading.Barrier(8)

    def send(tab: int) -> str:
        barrier.wait()
        try:
            return take_turn(db, FakeModel(), session.id, f"Tab {tab}", expected_turn=1).client
        except ConflictError:
            return ""

    with ThreadPoolExecutor(8) as tabs:
        taken = [line for line in tabs.map(send, range(8)) if line]
    assert len(taken) == 1
    assert [turn.client for turn in stored.load_turns(db, session.id)] == taken
    assert stored.load_session(db, session.id).state["heard"] == taken


SENDER = """
import sys
from tests import fakes_conversation as fakes
fakes.install()
from counsel_core.conversation import take_turn
from counsel_core.errors import ConflictError
from counsel_core.storage.database import open_database
db = open_database(sys.argv[1])
sent = 0
while sent < 20:
    try:
        take_turn(db, fakes.FakeModel(), sys.argv[2], f"{sys.argv[3]} {sent}")
    except ConflictError:
        continue
    sent += 1
"""


def test_two_processes_take_turns_and_neither_loses_a_line(db, session):
    command = [sys.executable, "-c", SENDER, f"sqlite:///{db.file}", session.id]
    children = [subprocess.Popen([*command, name], cwd=ROOT) for name in ("left", "right")]
    assert [child.wait(120) for child in children] == [0, 0]
    turns = stored.load_turns(db, session.id)
    assert [turn.number for turn in turns] == list(range(1, 41))
    lines = [turn.client for turn in turns]
    for name in ("left", "right"):
        assert [line for line in lines if line.startswith(name)] == [f"{name} {at}" for at in range(20)]
    now = stored.load_session(db, session.id)
    assert now.state["heard"] == lines
    assert stored.state_after(db, session.id, 40) == now.state
