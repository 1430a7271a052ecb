"""What a model writes as thinking is kept, and is never a part of its text."""

import json
import threading
from pathlib import Path

import pytest

from counsel_core.conversation import take_turn
from counsel_core.errors import AgentReplyError
from counsel_core.exports import export_session
from counsel_core.llm._answer import MAX_ANSWER, split_thinking
from counsel_core.llm._base import Caller
from counsel_core.llm.openai_compatible import OPENAI_COMPATIBLE
from counsel_core.llm.structured import ask, read_object
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import Settings
from counsel_core.storage.sessions import load_attempts
from tests.fakes import openai_server as fake

KEY = "sk-marked-55e0aa-never-to-be-seen"
SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}, "required": ["score"]}
REQUEST = ModelRequest(Task("rate"), (Message("user", ("Rate it.",)),), None, schema=SCHEMA, max_tokens=100)


@pytest.fixture
def server():
    with fake.OpenAIServer() as running:
        yield running


@pytest.fixture
def model(server):
    spec = ModelSpec("m", "openai_compatible", "M", "loopback", server.base_url, "m", key_variable="K")
    return OPENAI_COMPATIBLE.open(spec, Settings(Path("unused"), "", secrets={"K": KEY}))


def complete(model):
    return model.complete(REQUEST, threading.Event())


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_what_a_server_sends_apart_stays_apart(server, model, name):
    thought = [fake.event(**{name: piece}) for piece in ("A greet", "ing.")]
    server.answers(fake.events(*thought, fake.event("Hello."), fake.event(finish="stop")))
    answer = complete(model)
    assert (answer.text, answer.reasoning) == ("Hello.", "A greeting.")
    # "Hello." has 6 characters and "A greeting." 11: four make a token, and 17 make 5.
    assert (answer.completion_tokens, answer.tokens_estimated) == (5, True)


def test_sent_under_both_names_it_is_kept_once(server, model):
    both = {"reasoning_content": "Hm.", "reasoning": "Hm."}
    server.answers(fake.events(fake.event(**both), fake.event("Yes."), fake.event(finish="stop")))
    assert complete(model).reasoning == "Hm."


def test_an_answer_that_is_not_streamed_has_its_thinking_too(server, model):
    said = {"role": "assistant", "content": "Hello.", "reasoning_content": "Hm."}
    body = {"choices": [{"index": 0, "message": said, "finish_reason": "stop"}]}
    server.answers(fake.raw(json.dumps(body).encode(), "application/json"))
    answer = complete(model)
    assert (answer.text, answer.reasoning) == ("Hello.", "Hm.")


def test_between_marks_at_the_start_of_the_text(server, model):
    server.answers(fake.text("<think>\nThe client greets me.\n</think>\n\nHello. <think>", pieces=9))
    answer = complete(model)
    assert (answer.text, answer.reasoning) == ("Hello. <think>", "The client greets me.")


@pytest.mark.parametrize(
    ("content", "text", "thought"),
    [
        ("Hello.", "Hello.", ""),
        ("", "", ""),
        ("<think></think>Hello.", "Hello.", ""),
        (" \n<think>a</think> b", "b", "a"),
        ("<think>a</think><think>b</think>c", "<think>b</think>c", "a"),
        ("<think>a", "", "a"),
        ("a\nb\n</think>\n\nc", "c", "a\nb"),
        ("</think>\nc", "c", ""),
        ('{"reply": "You wrote </think>."}', '{"reply": "You wrote </think>."}', ""),
        ("First <think>no</think>.", "First <think>no</think>.", ""),
    ],
)
def test_marks(content, text, thought):
    assert split_thinking(content) == (text, thought)


def test_a_key_that_is_repeated_in_thinking_is_taken_out(server, model):
    server.answers(fake.text("Hello.", reasoning=f"They sent {KEY}."))
    assert complete(model).reasoning == "They sent [key]."


def test_thinking_without_end_is_left(server, model):
    piece = fake.event(reasoning_content="x" * 100_000)
    server.answers(fake.events(*[piece] * (MAX_ANSWER // 100_000 + 1), fake.event(finish="stop")))
    with pytest.raises(Exception, match="does not come to an end"):
        complete(model)


@pytest.mark.parametrize(
    "cut",
    [
        fake.text("", reasoning="Let me see, this is", finish="length"),
        fake.text("<think>Let me see, this is", finish="length"),
    ],
)
class TestCutWhileThinking:
    def test_it_is_told_with_what_was_thought_and_asked_again_with_more_room(self, server, model, cut):
        server.answers(cut, fake.text('{"score": 7}', reasoning="Good."))
        calls = []
        caller = Caller(model, calls.append)
        assert ask(caller, REQUEST, lambda done: read_object(done, SCHEMA)) == {"score": 7}
        assert "while the model was still thinking" in calls[0].error
        assert [call.reasoning for call in calls] == ["Let me see, this is", "Good."]
        assert [logged.body["max_tokens"] for logged in server.log] == [100, 200]

    def test_if_it_stays_so_the_error_says_it(self, server, model, cut):
        server.answers(cut)
        with pytest.raises(AgentReplyError, match="while the model was still thinking"):
            ask(Caller(model), REQUEST, lambda done: read_object(done, SCHEMA))
        with pytest.raises(AgentReplyError, match="while the model was still thinking"):
            Caller(model).complete(REQUEST)


def test_it_is_stored_with_its_call_and_exported(server, model, db, session):
    server.answers(fake.text("I hear you.", reasoning="The client is sad, \ud83d."))
    take_turn(db, model, session.id, "I am sad.")
    ((_, call),) = load_attempts(db, session.id, 1)
    # Half of a surrogate pair cannot be stored and becomes U+FFFD.
    assert (call.text, call.reasoning, call.cached) == ("I hear you.", "The client is sad, \ufffd.", False)
    exported = json.loads(export_session(db, session.id, "json"))
    assert exported["turns"][0]["calls"][0]["reasoning"] == "The client is sad, \ufffd."
    assert "The client is sad" not in exported["turns"][0]["shown"]
