import pytest

from counsel_core.branching import branch_session, rewind_session
from counsel_core.conversation import resume_session, take_turn, withdraw_turn
from counsel_core.errors import ConflictError, InputError, ProviderUnavailableError
from counsel_core.overriding import override_state
from counsel_core.storage import schema
from counsel_core.storage import sessions as stored
from tests.fakes_conversation import FakeModel, load_calls, load_turn


@pytest.fixture
def told(db, session, say):
    """Four turns; the topic set after the second and again after the third; notes on three."""
    say("One", "Two")
    override_state(db, session.id, "topic", {"value": "rent"})
    say("Three")
    override_state(db, session.id, "topic", {"value": "sister"})
    say("Four")
    for turn in (0, 2, 4):
        stored.save_note(db, session.id, turn, f"Note on {turn}")
    return stored.load_session(db, session.id)


def words(db, session_id: str) -> set[str]:
    with db.reading() as connection:
        query = schema.texts.select().where(schema.texts.c.session_id == session_id)
        return {row.text for row in connection.execute(query)}


def without_session(turns):
    return [
        (turn.number, turn.client, turn.reply, turn.trace, turn.state_delta, turn.created) for turn in turns
    ]


def test_a_branch_is_the_session_as_it_was_then(db, told):
    branch = branch_session(db, told.id, 2)
    assert branch.id != told.id
    assert (branch.parent, branch.parent_turn, branch.turn_count) == (told.id, 2, 2)
    assert branch.title == "The rent (branch after turn 2)"
    # Made after turn 2 and before the client's third line: it belongs to the branch.
    assert branch.state == {"heard": ["One", "Two"], "topic": "rent"}
    assert (branch.overridden, branch.complete) == (True, False)
    assert without_session(stored.load_turns(db, branch.id)) == without_session(
        stored.load_turns(db, told.id, 1, 2)
    )
    for turn in (1, 2):
        assert load_calls(db, branch.id, turn) == load_calls(db, told.id, turn)
    assert [note.text for note in stored.load_notes(db, branch.id)] == ["Note on 0", "Note on 2"]
    assert [made.arguments for made in stored.load_overrides(db, branch.id)] == [{"value": "rent"}]
    # What was said later is not carried along unseen.
    assert not {"Three", "Four", "You said: Three"} & words(db, branch.id)
    assert stored.load_session(db, told.id) == told


def test_a_branch_goes_its_own_way(db, told):
    branch = branch_session(db, told.id, 1)
    assert not branch.overridden
    model = FakeModel()
    take_turn(db, model, branch.id, "Another second")
    assert [message.content for message in model.requests[0].messages[1:]] == [
        "What brings you here?",
        "One",
        "You said: One",
        "Another second",
    ]
    assert stored.load_session(db, branch.id).state["heard"] == ["One", "Another second"]
    assert stored.load_session(db, told.id) == told
    assert stored.state_after(db, branch.id, 2) == stored.load_session(db, branch.id).state


@pytest.mark.parametrize("turn", range(5))
def test_a_branch_of_a_branch_agrees_with_the_first_session(db, told, turn):
    branch = branch_session(db, branch_session(db, told.id, 4).id, turn)
    assert branch.state == stored.state_after(db, told.id, turn)
    for number in range(1, turn + 1):
        assert load_calls(db, branch.id, number) == load_calls(db, told.id, number)


def test_a_branch_outlives_its_source(db, told):
    branch = branch_session(db, told.id, 3)
    calls = load_calls(db, told.id, 3)
    stored.delete_session(db, told.id)
    assert load_calls(db, branch.id, 3) == calls
    assert stored.load_session(db, branch.id).state["heard"] == ["One", "Two", "Three"]


def test_rewinding_keeps_what_is_cut_in_a_copy_of_the_whole(db, told):
    before = without_session(stored.load_turns(db, told.id))
    short, copy = rewind_session(db, told.id, 1)
    assert (short.id, short.turn_count, short.overridden, short.complete) == (told.id, 1, False, False)
    assert short.state == {"heard": ["One"], "topic": ""}
    assert [turn.client for turn in stored.load_turns(db, told.id)] == ["One"]
    assert [note.turn for note in stored.load_notes(db, told.id)] == [0]
    assert stored.load_overrides(db, told.id) == []
    assert not {"Two", "Three", "You said: Three"} & words(db, told.id)
    assert copy.title == "The rent (before rewinding to turn 1)"
    assert without_session(stored.load_turns(db, copy.id)) == before
    assert (copy.state, copy.complete) == (told.state, True)
    assert len(stored.load_notes(db, copy.id)) == 3
    take_turn(db, FakeModel(), told.id, "Two anew")
    assert stored.load_session(db, told.id).state["heard"] == ["One", "Two anew"]


def test_rewinding_to_the_end_cuts_nothing(db, told):
    assert rewind_session(db, told.id, 4) == (told, None)
    assert stored.count_sessions(db) == 1


@pytest.mark.parametrize("move", [branch_session, rewind_session])
@pytest.mark.parametrize("turn", [-1, 5])
def test_a_turn_that_is_not_there_is_refused(db, told, move, turn):
    with pytest.raises(InputError, match="turns 0 to 4"):
        move(db, told.id, turn)
    assert stored.count_sessions(db) == 1


def test_a_failed_line_is_copied_with_its_error_and_can_be_retried_there(db, told):
    def fail(request):
        raise ProviderUnavailableError("It broke off.")

    with pytest.raises(ProviderUnavailableError):
        take_turn(db, FakeModel(fail), told.id, "Five")
    branch = branch_session(db, told.id, 5)
    assert load_turn(db, branch.id, 5).error == "It broke off."
    assert withdraw_turn(db, branch.id) == "Five"
    with pytest.raises(ConflictError, match="Retry it"):
        take_turn(db, FakeModel(), told.id, "Six")


def test_who_resumed_stays_on_record_when_turns_are_cut(db, told):
    take_turn(db, FakeModel(), told.id, "I have the pills here and I am going to kill myself tonight.")
    resume_session(db, told.id, "Ada Lind", "She is with her sister.")
    short, copy = rewind_session(db, told.id, 2)
    assert [made.after_turn for made in stored.load_resumptions(db, short.id)] == [2]
    assert [made.after_turn for made in stored.load_resumptions(db, copy.id)] == [5]
    assert not short.frozen


def test_a_long_title_makes_room_for_where_the_branch_began(db, told):
    stored.rename_session(db, told.id, "x" * 200)
    title = branch_session(db, told.id, 2).title
    assert len(title) == 200
    assert title.endswith("xxx (branch after turn 2)")
