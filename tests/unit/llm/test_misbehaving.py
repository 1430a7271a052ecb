"""Every fault of a server, one after another: its named error or success, its calls, and its time."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from counsel_core.errors import (
    ContextOverflowError,
    CounselError,
    ProviderError,
    ProviderUnavailableError,
    RequestRefusedError,
)
from counsel_core.llm.model_file import check_model
from counsel_core.llm.openai_compatible import OPENAI_COMPATIBLE
from counsel_core.records import Message, ModelRequest, Task
from counsel_core.settings import Settings
from tests.fakes import openai_server as fake

REQUEST = ModelRequest(Task("t"), (Message("user", ("Hello.",)),), None, max_tokens=50)
GOOD = fake.text("Here I am.")
LIMITS = {"stall_seconds": 3.0, "total_seconds": 8.0, "connect_seconds": 3.0}


@dataclass(frozen=True)
class Fault:
    """What a server does, and how that ends: the text of an answer or the kind of an error, and the calls."""

    answers: tuple[fake.Answer, ...]
    ends: str | type[CounselError]
    calls: int
    told: str = ""


def sse(*lines: str) -> fake.Answer:
    return fake.raw("".join(f"data: {line}\n\n" for line in lines).encode())


TWICE = [fake.event("Here "), fake.event("I am."), fake.event(finish="stop"), fake.event(finish="stop")]
USED = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
GONE, REFUSED = ProviderUnavailableError, RequestRefusedError

FAULTS = {
    "slow, but not silent": Fault((fake.text("Here I am.", pieces=8, pause=0.1),), "Here I am.", 1),
    "slow beyond its time": Fault(
        (fake.text("Here I am." * 50, pieces=100, pause=0.2),), GONE, 1, "did not finish in the time"
    ),
    "hangs before the first word": Fault((fake.hang(),), GONE, 1, "sent nothing"),
    "hangs in mid-answer": Fault((fake.hang(after="Here"),), GONE, 1, "sent nothing"),
    "429 with Retry-After": Fault((fake.status(429, retry_after=1), GOOD), "Here I am.", 2),
    "429 without it": Fault((fake.status(429), GOOD), "Here I am.", 2),
    "429 for good": Fault((fake.status(429),), GONE, 3, "too many requests"),
    "429 with far too long a wait": Fault((fake.status(429, retry_after=3600),), GONE, 1, "3600 s"),
    "429 with nonsense": Fault((fake.status(429, retry_after="soon"), GOOD), "Here I am.", 2),
    "429 as the quota is used up": Fault(
        (fake.status(429, "exceeded your current quota"),), REFUSED, 1, "billing"
    ),
    "500 once": Fault((fake.status(500), GOOD), "Here I am.", 2),
    "500 for good": Fault((fake.status(500),), GONE, 3, "500"),
    "503 twice": Fault((fake.status(503), fake.status(503), GOOD), "Here I am.", 3),
    "503 with Retry-After": Fault((fake.status(503, retry_after=1), GOOD), "Here I am.", 2),
    "reset before the answer": Fault((fake.drop(after=""), GOOD), "Here I am.", 2),
    "reset in mid-stream": Fault((fake.drop(),), GONE, 1, "before its answer was complete"),
    "ends in mid-stream": Fault((fake.events(fake.event("Here"), done=False),), GONE, 1, "complete"),
    "invalid JSON in an event": Fault((sse('{"choices": ['),), GONE, 1, "no valid JSON"),
    "invalid JSON as a whole": Fault((fake.raw(b"{oops", "application/json"),), GONE, 1, "no valid JSON"),
    "HTML": Fault((fake.page(),), REFUSED, 1, "text/html"),
    "HTML with 502": Fault((fake.page(502), GOOD), "Here I am.", 2),
    "empty choices": Fault((fake.events({"choices": []}),), GONE, 1, "no `choices`"),
    "no events at all": Fault((fake.events(),), GONE, 1, "complete"),
    "the wrong content type": Fault((fake.raw(b"Here I am.", "text/plain"),), REFUSED, 1, "text/plain"),
    "the last chunks twice": Fault((fake.events(*TWICE, USED, USED),), "Here I am.", 1),
    "10 MB of answer": Fault(
        (fake.events(*[fake.event("x" * 100_000)] * 100, fake.event(finish="stop")),),
        ProviderError,
        1,
        "too long",
    ),
    "10 MB of thinking": Fault(
        (fake.events(*[fake.event(reasoning="x" * 100_000)] * 100, fake.event(finish="stop")),),
        ProviderError,
        1,
        "too long",
    ),
    "context overflow": Fault(
        (fake.status(400, "maximum context length is 8192 tokens"),), ContextOverflowError, 1, "longer"
    ),
    "context overflow told in the stream": Fault(
        (fake.events({"error": {"code": 400, "message": "exceeds the available context size"}}),),
        ContextOverflowError,
        1,
        "longer",
    ),
    "400": Fault((fake.status(400, "no messages"),), REFUSED, 1, "no messages"),
    "401": Fault((fake.status(401),), REFUSED, 1, "key was not accepted"),
    "404": Fault((fake.status(404),), REFUSED, 1, "knows no such address"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_has_its_end_its_calls_and_its_time(fault):
    with fake.OpenAIServer() as server:
        server.answers(*fault.answers)
        entry = {"name": "m", "label": "The model", "base_url": server.base_url, "model": "m-1"}
        model = OPENAI_COMPATIBLE.open(check_model({**entry, "options": LIMITS}), Settings(Path("x"), ""))
        started = time.monotonic()
        try:
            ended = model.complete(REQUEST, threading.Event()).text
        except CounselError as error:
            ended = error
        seconds = time.monotonic() - started
        if isinstance(fault.ends, str):
            assert ended == fault.ends
        else:
            assert type(ended) is fault.ends
            for named in (fault.told, "The model", f"127.0.0.1:{server.port}"):
                assert named in str(ended)
        assert len(server.log) == fault.calls
        assert seconds < LIMITS["total_seconds"] + 10
