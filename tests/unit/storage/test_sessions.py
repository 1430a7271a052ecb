import json
import secrets
import sqlite3

import pytest
from sqlalchemy import func, select

from counsel_core.branching import rewind_session
from counsel_core.conversation import resume_session, take_turn, withdraw_turn
from counsel_core.errors import InputError, ProviderUnavailableError, StorageError
from counsel_core.overriding import override_state
from counsel_core.storage import audit, schema
from counsel_core.storage import sessions as stored
from counsel_core.storage.database import open_database
from tests.fakes_conversation import FakeModel

UNKNOWN = "0" * 16


def test_a_session_comes_back_as_it_was_started(db, begin):
    session = begin(title="  The\nrent ", language="zh", sample_client="anna")
    assert stored.load_session(db, session.id) == session
    assert (session.title, session.language, session.sample_client) == ("The rent", "zh", "anna")
    assert session.opening == "您想谈些什么？"
    assert session.settings == {"window": 0, "region": "unknown", "second_opinion": False}
    assert len(session.id) == 16
    int(session.id, 16)


@pytest.mark.parametrize(
    "given",
    [
        "",
        "abc",
        "0" * 17,
        "0123456789ABCDEF",
        "../../etc/passwd",
        "'; DROP TABLE turns; --",
        None,
        "0" * 9999,
    ],
)
def test_what_is_no_session_id_is_refused_with_advice(db, given):
    with pytest.raises(InputError, match=r"no session id.*Archive") as caught:
        stored.load_session(db, given)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "use",
    [
        lambda db: stored.load_session(db, UNKNOWN),
        lambda db: stored.load_turns(db, UNKNOWN),
        lambda db: stored.load_attempts(db, UNKNOWN, 1),
        lambda db: stored.rename_session(db, UNKNOWN, "x"),
        lambda db: stored.delete_session(db, UNKNOWN),
        lambda db: stored.save_note(db, UNKNOWN, 0, "x"),
        lambda db: stored.load_notes(db, UNKNOWN),
        lambda db: stored.delete_note(db, UNKNOWN, 1),
        lambda db: stored.load_overrides(db, UNKNOWN),
        lambda db: stored.load_resumptions(db, UNKNOWN),
        lambda db: stored.state_after(db, UNKNOWN, 0),
        lambda db: take_turn(db, FakeModel(), UNKNOWN, "Hello"),
        lambda db: override_state(db, UNKNOWN, "topic", {}),
        lambda db: rewind_session(db, UNKNOWN, 0),
    ],
)
def test_a_session_that_is_not_there_is_said_so_everywhere(db, use):
    with pytest.raises(InputError, match=f"no session {UNKNOWN}"):
        use(db)


def test_turns_are_read_by_range(db, session, say):
    say("One", "Two", "Three", "Four")
    assert [turn.client for turn in stored.load_turns(db, session.id)] == ["One", "Two", "Three", "Four"]
    assert [turn.client for turn in stored.load_turns(db, session.id, 2, 3)] == ["Two", "Three"]
    for wrong in (-1, 5):
        with pytest.raises(InputError, match="turns 0 to 4"):
            stored.load_attempts(db, session.id, wrong)


def test_the_state_is_known_after_every_turn(db, session, say):
    say("One", "Two")
    override_state(db, session.id, "topic", {"value": "rent"})
    say("Three")
    states = [stored.state_after(db, session.id, turn) for turn in range(4)]
    assert [len(state["heard"]) for state in states] == [0, 1, 2, 3]
    # The override was made after turn 2: the line that followed met its state.
    assert [state["topic"] for state in states] == ["", "", "rent", "rent"]
    assert states[3] == stored.load_session(db, session.id).state
    with pytest.raises(InputError, match="turns 0 to 3"):
        stored.state_after(db, session.id, 4)


def test_sessions_are_listed_last_used_first_and_found_by_what_was_said(db, begin):
    rent, sister, work = begin(title="Rent 100%"), begin(title="Sister"), begin(title="Work")
    take_turn(db, FakeModel(), sister.id, "I cannot SLEEP at all.")
    take_turn(db, FakeModel(lambda request: "睡眠很重要。"), rent.id, "Hm.")

    def found(query="", **more):
        return [session.title for session in stored.list_sessions(db, query, **more)]

    assert found() == ["Rent 100%", "Sister", "Work"]
    assert found("sleep") == ["Sister"]
    assert found("睡眠") == ["Rent 100%"]
    assert found("0%") == ["Rent 100%"]
    assert found("_") == []
    assert found(limit=1, offset=1) == ["Sister"]
    assert found(agent="cocoa") == []
    assert stored.count_sessions(db) == 3
    assert stored.count_sessions(db, "sleep") == 1
    assert stored.count_sessions(db, agent="echo") == 3
    assert work.turn_count == 0


def test_a_session_is_renamed(db, session):
    assert stored.rename_session(db, session.id, "x" * 200).title == "x" * 200
    for wrong in ("", " \n", "\x00\u200b", "x" * 201):
        with pytest.raises(InputError, match="title"):
            stored.rename_session(db, session.id, wrong)


def test_notes_are_kept_in_order_and_deleted_alone(db, session, say):
    say("One")
    first = stored.save_note(db, session.id, 0, "Warm opening.\nIndeed.")
    second = stored.save_note(db, session.id, 1, "<b>too fast</b>")
    assert stored.load_notes(db, session.id) == [first, second]
    assert (first.turn, second.text) == (0, "<b>too fast</b>")
    with pytest.raises(InputError, match="no turn 2"):
        stored.save_note(db, session.id, 2, "x")
    with pytest.raises(InputError, match="note is empty"):
        stored.save_note(db, session.id, 1, " ")
    stored.delete_note(db, session.id, first.id)
    assert stored.load_notes(db, session.id) == [second]
    with pytest.raises(InputError, match="deleted already"):
        stored.delete_note(db, session.id, first.id)


def test_a_note_is_not_deleted_through_another_session(db, begin):
    mine, theirs = begin(), begin()
    note = stored.save_note(db, theirs.id, 0, "Mine.")
    with pytest.raises(InputError, match="no note"):
        stored.delete_note(db, mine.id, note.id)
    assert stored.load_notes(db, theirs.id) == [note]


def fill(db, begin, word: str) -> str:
    """Make a session in which `word` stands in every place that holds words."""
    session = begin(title=f"title {word}")
    model = FakeModel(lambda request: f"{word} reply {secrets.token_hex(40)}")
    for number in range(30):
        take_turn(db, model, session.id, f"{word} line {number} " + "and so on " * (number * 9 % 60))
    override_state(db, session.id, "topic", {"value": f"{word} topic"})
    stored.save_note(db, session.id, 3, f"{word} note")

    def fail(request):
        raise ProviderUnavailableError(f"{word} error")

    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), session.id, f"{word} failed")
    withdraw_turn(db, session.id)
    take_turn(db, model, session.id, f"{word} I have the pills here and I am going to kill myself tonight.")
    resume_session(db, session.id, f"{word} Reviewer", f"{word} called her")
    rewind_session(db, session.id, 20)
    return session.id


def test_a_deleted_session_is_gone_to_the_last_byte(db, begin):
    kept = begin(title="kept")
    fill(db, begin, "Quarzfels")
    take_turn(db, FakeModel(), kept.id, "Kieselstein")
    everything = [session.id for session in stored.list_sessions(db) if session.id != kept.id]
    assert len(everything) == 2  # the session, and the copy of what rewinding cut
    for session_id in everything:
        stored.delete_session(db, session_id)
    with db.reading() as connection:
        for table in schema.metadata.sorted_tables:
            if "session_id" in table.c:
                rows = connection.execute(select(func.count()).where(table.c.session_id != kept.id))
                assert rows.scalar_one() == 0, table.name
    for file in db.file.parent.iterdir():
        if file.name.startswith(db.file.name):
            assert b"Quarzfels" not in file.read_bytes(), file.name
    assert b"Kieselstein" in db.file.read_bytes()
    with pytest.raises(InputError, match="no session"):
        stored.load_session(db, everything[0])


def test_a_reader_that_keeps_deleted_words_in_the_log_is_told_of(db, begin):
    session = begin(title="Quarzfels")
    with open_database(f"sqlite:///{db.file}", busy_seconds=0.05) as impatient, db.reading() as reader:
        reader.execute(select(schema.sessions.c.id)).all()
        with pytest.raises(StorageError, match=r"Deleted, but .*-wal still holds"):
            stored.delete_session(impatient, session.id)
    assert stored.list_sessions(db) == []


def test_the_audit_log_tells_what_was_done_without_a_word_of_it(db, begin):
    session_id = fill(db, begin, "Quarzfels")
    stored.delete_session(db, session_id)
    entries = audit.read(db, session_id)
    actions = [entry.action for entry in entries]
    assert actions[0] == "session_started"
    assert actions[-1] == "session_deleted"
    assert {"turn_answered", "turn_failed", "turn_withdrawn", "session_frozen", "session_resumed"} < set(
        actions
    )
    assert {"state_overridden", "session_branched", "session_rewound"} < set(actions)
    answered = next(entry for entry in entries if entry.action == "turn_answered")
    assert answered.details.keys() == {"turn", "attempt", "model", "prompt"}
    resumed = next(entry for entry in entries if entry.action == "session_resumed")
    assert resumed.actor_hash == audit.digest("Quarzfels Reviewer")
    assert "Quarzfels" not in json.dumps([entry.details for entry in entries])


def test_the_audit_log_can_only_be_added_to(db, session):
    driver = sqlite3.connect(db.file)
    for statement in (
        "UPDATE audit SET action = 'x'",
        "DELETE FROM audit",
        "REPLACE INTO audit SELECT * FROM audit",
    ):
        with pytest.raises(sqlite3.IntegrityError, match="only be added to"):
            driver.execute(statement)
    driver.close()
    with pytest.raises(StorageError, match="only be added to"), db.writing() as connection:
        connection.exec_driver_sql("DELETE FROM audit")
    assert [entry.action for entry in audit.read(db)] == ["session_started"]


def test_words_are_refused_by_the_audit_log(db):
    with pytest.raises(ValueError, match="may be words"), db.writing() as connection:
        audit.record(connection, "noted", reason="she called her sister")
    assert audit.name_or_digest("qwen2:7b") == "qwen2:7b"
    assert len(audit.name_or_digest("My model")) == 32
