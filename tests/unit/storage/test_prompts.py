from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, func, select

from counsel_core.conversation import take_turn
from counsel_core.records import Message
from counsel_core.storage import schema
from counsel_core.storage.prompts import chain, load_nodes, prune_prompts, read_chain, save_prompts
from tests.fakes_conversation import FakeModel, load_calls

PARTS = st.lists(st.sampled_from(["", "a", "b", "ab", "房租", "a\nb", "\ud83d"]), max_size=3).map(tuple)
PROMPTS = st.lists(st.builds(Message, st.sampled_from(["system", "user", "assistant"]), PARTS), max_size=4)


def count(db, table) -> int:
    with db.reading() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PROMPTS, min_size=1, max_size=4))
def test_every_prompt_comes_back_exactly_with_its_parts(db, session, prompts):
    with db.writing() as connection:
        ends = save_prompts(connection, session.id, prompts)
        nodes = load_nodes(connection, session.id, [end for end in ends if end])
        for prompt, end in zip(prompts, ends, strict=True):
            # Half a surrogate pair cannot be written as UTF-8; U+FFFD stands for it.
            whole = [replace(m, parts=tuple(p.replace("\ud83d", "\ufffd") for p in m.parts)) for m in prompt]
            assert read_chain(nodes, end) == tuple(whole)


def test_messages_and_parts_that_read_alike_are_told_apart():
    alike = (
        [Message("user", ("ab",))],
        [Message("user", ("a", "b"))],
        [Message("user", ("a",)), Message("user", ("b",))],
        [Message("user", ("ab", ""))],
        [Message("user", ("ab",)), Message("user", ())],
        [Message("system", ("ab",))],
    )
    assert len({chain(messages)[-1].id for messages in alike}) == len(alike)


def test_a_prompt_that_goes_on_from_another_stores_what_is_new(db, session):
    first = [Message("system", ("Listen.",)), Message("user", ("One",))]
    with db.writing() as connection:
        save_prompts(connection, session.id, [first])
        longer = [*first, Message("assistant", ("Yes?",)), Message("user", ("One",))]
        save_prompts(connection, session.id, [longer])
        save_prompts(connection, session.id, [first])
    assert count(db, schema.prompt_nodes) == 4
    assert count(db, schema.texts) == 3


def test_a_prompt_longer_than_one_look_up_finds_its_beginning(db, session):
    long = [Message("user", (f"line {number}",)) for number in range(950)]
    with db.writing() as connection:
        save_prompts(connection, session.id, [long[:300]])
        last = save_prompts(connection, session.id, [long])[0]
        assert read_chain(load_nodes(connection, session.id, [last]), last) == tuple(long)
    assert count(db, schema.prompt_nodes) == 950


def test_a_prompt_is_stored_anew_in_another_session(db, begin):
    messages = [Message("user", ("Mine.",))]
    one, other = begin(), begin()
    with db.writing() as connection:
        last = save_prompts(connection, one.id, [messages])[0]
        assert load_nodes(connection, other.id, [last]) == {}
        save_prompts(connection, other.id, [messages])
        assert read_chain(load_nodes(connection, other.id, [last]), last) == tuple(messages)


def test_pruning_leaves_what_a_call_still_needs(db, session, say):
    say("One", "Two")
    kept = load_calls(db, session.id, 1)
    with db.writing() as connection:
        connection.execute(delete(schema.turns).where(schema.turns.c.number == 2))
        prune_prompts(connection, session.id)
    assert load_calls(db, session.id, 1) == kept
    with db.reading() as connection:
        words = set(connection.execute(select(schema.texts.c.text)).scalars())
    assert "One" in words
    assert not {"Two", "You said: One"} & words


@pytest.mark.parametrize("window", [0, 4])
def test_the_size_grows_with_the_words_and_not_with_their_square(db, begin, window):
    session = begin(agent_settings={"window": window})
    model = FakeModel(lambda request: f"Reply {len(model.requests)}. " + "It sounds heavy. " * 12)

    def size_after(turns: range) -> int:
        for number in turns:
            take_turn(db, model, session.id, f"Line {number}. " + "The rent is due and I am tired. " * 6)
        db.forget()
        return db.file.stat().st_size

    empty = size_after(range(0))
    half = size_after(range(100)) - empty
    whole = size_after(range(100, 200)) - empty
    # Words that double, with the whole history in every prompt: 2 if linear, 4 if by the square.
    assert whole <= 2.3 * half
    assert load_calls(db, session.id, 200)[0].messages == model.requests[-1].messages
