"""The provider against a real small model server: COUNSEL_TEST_SERVER=http://127.0.0.1:PORT/v1 says where."""

import os
import threading
import time
from pathlib import Path

import pytest

from counsel_core.agents.sudosys.unpacker import unpack
from counsel_core.errors import AgentReplyError, ContextOverflowError, StoppedError
from counsel_core.llm._base import Caller
from counsel_core.llm.openai_compatible import OPENAI_COMPATIBLE
from counsel_core.llm.structured import ask, read_object
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import Settings

ADDRESS = os.environ.get("COUNSEL_TEST_SERVER", "")

pytestmark = [
    pytest.mark.model_server,
    pytest.mark.skipif(not ADDRESS, reason="COUNSEL_TEST_SERVER names no base URL of a real model server"),
]

KEYS = ("problems", "feelings")
INSTRUCTION = """You are a counsellor. The client lists problems; you keep two topics:
problems (what troubles the client) and feelings (how the client feels).
Answer with one JSON object and nothing else:
{"topics": {"problems": "...", "feelings": "..."}, "status": 0, "reply": "<what you say>"}
The status is 1 to go on, 0 to stay, -1 to go back."""
SCHEMA = {
    "type": "object",
    "properties": {
        "topics": {
            "type": "object",
            "properties": {key: {"type": "string"} for key in KEYS},
            "additionalProperties": False,
        },
        "status": {"type": "integer", "enum": [-1, 0, 1]},
        "reply": {"type": "string"},
    },
    "required": ["topics", "status", "reply"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def model():
    spec = ModelSpec("real", "openai_compatible", "Real model", "loopback", ADDRESS, "local")
    return OPENAI_COMPATIBLE.open(spec, Settings(data_dir=Path("unused"), database_url=""))


def request(text, *, system="", schema=None, max_tokens=200):
    messages = (*((Message("system", (system,)),) if system else ()), Message("user", (text,)))
    return ModelRequest(Task("trial"), messages, None, schema=schema, max_tokens=max_tokens)


def test_a_plain_answer_with_its_tokens(model):
    answer = model.complete(request("Say hello.", max_tokens=30), threading.Event())
    assert answer.text.strip()
    assert answer.prompt_tokens > 0
    assert 0 < answer.completion_tokens <= 30
    assert not answer.tokens_estimated


def test_an_answer_cut_by_its_limit_is_marked(model):
    assert (
        model.complete(request("Count to one hundred.", max_tokens=5), threading.Event()).finish == "length"
    )


def test_stopping_frees_the_server(model):
    cancel = threading.Event()
    threading.Timer(1.0, cancel.set).start()
    started = time.monotonic()
    with pytest.raises(StoppedError):
        model.complete(request("Tell a very long story.", max_tokens=4000), cancel)
    assert time.monotonic() - started < 2
    model.complete(request("Say hello.", max_tokens=5), threading.Event())
    assert time.monotonic() - started < 20  # the story alone would take minutes


def test_an_overlong_prompt_is_named(model):
    with pytest.raises(ContextOverflowError, match="longer than Real model"):
        model.complete(request("word " * 100_000, max_tokens=5), threading.Event())


def test_a_schema_is_kept_or_the_failure_is_named(model):
    calls = []
    asked = request("I can't pay the rent.", system=INSTRUCTION, schema=SCHEMA, max_tokens=400)
    try:
        value = ask(Caller(model, calls.append), asked, lambda done: read_object(done, SCHEMA))
    except AgentReplyError as error:
        value, raw = None, error.raw
    if value is None:
        assert (raw, len(calls)) == (calls[-1].text, 3)
    else:
        assert set(value) == {"topics", "status", "reply"}


@pytest.mark.parametrize("max_tokens", [25, 400])
@pytest.mark.parametrize("schema", [SCHEMA, None], ids=["schema", "no schema"])
def test_a_turn_is_unpacked_or_fails_with_the_raw_answer_kept(model, schema, max_tokens):
    calls = []
    asked = request("My sister won't talk to me.", system=INSTRUCTION, schema=schema, max_tokens=max_tokens)
    read = []

    def reader(done):
        unpacked = unpack(done.text, KEYS, done.finish)
        read.append(done)
        return unpacked, unpacked.repairs

    try:
        unpacked = ask(Caller(model, calls.append), asked, reader)
    except AgentReplyError as error:
        unpacked, raw = None, error.raw
    if unpacked is None:
        assert raw == calls[-1].text
        assert all(call.error for call in calls)
        return
    assert unpacked.reply.strip()
    assert unpacked.status in (-1, 0, 1)
    assert set(unpacked.topics) <= set(KEYS)
    assert unpacked.reply in read[0].text or "\\" in read[0].text  # the words are the model's own
