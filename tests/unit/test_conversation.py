import statistics
import time

import pytest

from counsel_core.conversation import start_session, take_turn
from counsel_core.errors import FrozenSessionError, InputError, UnknownNameError
from counsel_core.safety import screening
from counsel_core.storage import sessions as stored
from tests.fakes_conversation import FakeModel, load_calls


def test_a_turn_is_answered_and_stored_whole(db, session):
    steps = []
    model = FakeModel()
    turn = take_turn(db, model, session.id, "The rent is due.", progress=steps.append)
    assert (turn.number, turn.status, turn.author) == (1, "answered", "person")
    assert turn.reply == turn.shown == "You said: The rent is due."
    assert (turn.model, turn.prompt_tokens, turn.completion_tokens) == ("Fake model (fake)", 7, 3)
    assert turn.trace == {"turn": 1, "read": 2}
    assert 0 < turn.seconds < 5
    assert steps == ["Listening"]
    assert stored.load_turns(db, session.id) == [turn]
    now = stored.load_session(db, session.id)
    assert (now.turn_count, now.complete, now.state["heard"]) == (1, False, ["The rent is due."])
    assert now.updated > session.updated
    (call,) = load_calls(db, session.id, 1)
    assert call.messages == model.requests[0].messages
    assert (call.task, call.text, call.error) == ("echo", turn.reply, None)


def test_the_agent_reads_as_much_of_the_transcript_as_it_asks_for(db, begin):
    def heard(window: int) -> list[str]:
        session = begin(agent_settings={"window": window})
        model = FakeModel(lambda request: f"Reply {len(model.requests)}")
        for line in ("One", "Two", "Three"):
            take_turn(db, model, session.id, line)
        return [message.content for message in model.requests[-1].messages[1:]]

    assert heard(0) == ["What brings you here?", "One", "Reply 1", "Two", "Reply 2", "Three"]
    assert heard(1) == ["Three"]
    assert heard(2) == ["Reply 2", "Three"]
    assert heard(5) == ["One", "Reply 1", "Two", "Reply 2", "Three"]


def test_a_session_is_complete_when_its_agent_says_so_and_goes_on(db, session, say):
    say("One", "Two")
    assert not stored.load_session(db, session.id).complete
    say("Three")
    assert stored.load_session(db, session.id).complete
    say("Four")
    assert stored.load_session(db, session.id).turn_count == 4


def test_the_model_of_the_last_answer_is_the_sessions_model(db, session, say):
    say("One", model=FakeModel(name="other"))
    assert stored.load_session(db, session.id).model == "other"


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  It's\x00 the \x1b[31mrent.\r\nAnd\tmore\r ", "It's the [31mrent.\nAnd\tmore"),
        ("房租太高了 🙂‍↕️", "房租太高了 🙂‍↕️"),
        ("half a pair: \ud83d", "half a pair: \ufffd"),
        ("x" * 8000, "x" * 8000),
    ],
)
def test_a_line_is_kept_as_typed_without_control_characters(db, session, typed, kept):
    assert take_turn(db, FakeModel(), session.id, typed).client == kept


@pytest.mark.parametrize("typed", ["", " \n\t ", "\x00\x07", "\u200b\u2060", "x" * 8001])
def test_what_is_no_line_is_refused_and_not_stored(db, session, typed):
    with pytest.raises(InputError, match="message"):
        take_turn(db, FakeModel(), session.id, typed)
    assert stored.load_session(db, session.id).turn_count == 0


def test_a_models_broken_characters_do_not_lose_the_turn(db, session):
    model = FakeModel(lambda request: "I hear you \ud83d\x00")
    assert take_turn(db, model, session.id, "One").reply == "I hear you \ufffd\x00"


def test_a_session_is_refused_for_what_its_agent_cannot_do(db, begin, settings):
    with pytest.raises(UnknownNameError, match=r"no agent named 'eliza'.*echo"):
        start_session(db, agent="eliza", model="fake", settings=settings)
    with pytest.raises(InputError, match=r"does not speak 'fr'\. Choose en or zh"):
        begin(language="fr")
    with pytest.raises(UnknownNameError, match=r"no setting of Echo named 'speed'.*window"):
        begin(agent_settings={"speed": "1"})
    with pytest.raises(InputError, match="Window is 'many'"):
        begin(agent_settings={"window": "many"})
    with pytest.raises(UnknownNameError, match=r"no region named 'atlantis'.*unknown"):
        begin(agent_settings={"region": "atlantis"})
    with pytest.raises(InputError, match="title"):
        begin(title=" ")
    assert stored.count_sessions(db) == 0


def test_a_title_is_found_where_none_is_given(begin):
    assert begin().title.startswith("Echo, ")


def test_a_new_session_takes_up_the_memories_of_an_earlier_one(db, begin, session, say, monkeypatch):
    say("The rent is due.")
    later = begin(continues=session.id)
    assert later.state["heard"] == ["The rent is due."]
    assert (later.parent, later.parent_turn, later.turn_count) == (session.id, None, 0)
    say("I have the pills here and I am going to kill myself tonight.")
    with pytest.raises(FrozenSessionError, match="a reviewer has to resume it"):
        begin(continues=session.id)


def test_our_own_cost_of_a_turn_is_small_and_does_not_grow(db, begin, monkeypatch):
    # The second opinion reads a text with a model: that costs by its length, whatever the session's.
    monkeypatch.setattr(screening, "STANDARD", ())
    session = begin(agent_settings={"window": 2})
    model = FakeModel(lambda request: "It sounds heavy.")
    seconds = []
    for number in range(300):
        # Processor time, which a busy machine does not stretch; benchmarks/ measures the clock's.
        started = time.process_time()
        take_turn(db, model, session.id, f"Line {number}: the rent is due and I cannot sleep.")
        seconds.append(time.process_time() - started)
    early, late = statistics.median(seconds[10:40]), statistics.median(seconds[-30:])
    assert late < 0.010
    assert late < 2 * early
