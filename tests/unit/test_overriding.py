import pytest

from counsel_core.conversation import take_turn
from counsel_core.errors import InputError, UnknownNameError
from counsel_core.overriding import override_state
from counsel_core.storage import audit
from counsel_core.storage import sessions as stored
from tests.fakes_conversation import FakeModel


def test_an_override_changes_the_state_marks_the_session_and_is_logged(db, session, say):
    say("One")
    changed = override_state(db, session.id, "topic", {"value": "rent"})
    assert changed.state == {"heard": ["One"], "topic": "rent"}
    assert changed.overridden
    (made,) = stored.load_overrides(db, session.id)
    assert (made.after_turn, made.kind, made.arguments) == (1, "topic", {"value": "rent"})
    assert made.summary == "topic '' → 'rent'"
    entry = audit.read(db, session.id)[-1]
    assert entry.action == "state_overridden"
    assert entry.details.keys() == {"after_turn", "kind", "change"}
    assert "rent" not in str(entry.details)
    take_turn(db, FakeModel(), session.id, "Two")
    assert stored.load_session(db, session.id).state == {"heard": ["One", "Two"], "topic": "rent"}


def test_overrides_are_kept_in_the_order_they_were_made(db, session):
    for value in ("rent", "sister", "sleep"):
        override_state(db, session.id, "topic", {"value": value})
    assert [made.arguments["value"] for made in stored.load_overrides(db, session.id)] == [
        "rent",
        "sister",
        "sleep",
    ]
    assert stored.state_after(db, session.id, 0)["topic"] == "sleep"


def test_what_changes_nothing_is_not_recorded(db, session):
    assert override_state(db, session.id, "topic", {"value": ""}) == session
    assert stored.load_overrides(db, session.id) == []


def test_an_override_that_makes_no_sense_is_refused(db, session):
    with pytest.raises(UnknownNameError, match=r"no override of Echo named 'stage'.*topic"):
        override_state(db, session.id, "stage", {"number": 3})
    with pytest.raises(InputError, match="topic takes a text"):
        override_state(db, session.id, "topic", {"value": 3})
    assert stored.load_session(db, session.id) == session
