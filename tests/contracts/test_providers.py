"""What every provider keeps to, scripted and with a tiny real model: answers, schema, stop, cut, end."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from counsel_core.agents.sudosys.unpacker import unpack
from counsel_core.errors import AgentReplyError, ContextOverflowError, StoppedError, UnsupportedTaskError
from counsel_core.llm._base import Caller, ChatModel
from counsel_core.llm.catalogue import providers
from counsel_core.llm.engines import release_all
from counsel_core.llm.gguf import GGUF
from counsel_core.llm.guided import GUIDED, SPEC
from counsel_core.llm.openai_compatible import OPENAI_COMPATIBLE
from counsel_core.llm.structured import ask, read_object
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import PROJECT, Settings
from tests.fakes import openai_server as fake
from tests.smollm2 import smollm2_file, smollm2_server

SCHEMA = {
    "type": "object",
    "properties": {
        "reply": {"type": "string", "maxLength": 60},
        "status": {"type": "integer", "enum": [-1, 0, 1]},
    },
    "required": ["reply", "status"],
    "additionalProperties": False,
}
GOOD = '{"reply": "I hear you.", "status": 0}'
NOWHERE = Settings(data_dir=Path("unused"), database_url="")

# One process loads the tiny model, whichever of these tests it runs.
pytestmark = pytest.mark.xdist_group("smollm2")


@dataclass(frozen=True)
class Case:
    """A language model behind one provider; `script` tells a scripted server what to answer next."""

    model: ChatModel
    script: Callable[..., None] = lambda *answers: None


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    with smollm2_server() as base_url:
        yield base_url


@pytest.fixture(params=["scripted server", "SmolLM2 behind a server", "SmolLM2 in this process"])
def case(request: pytest.FixtureRequest) -> Iterator[Case]:
    if request.param == "SmolLM2 in this process":
        spec = ModelSpec("tiny", "gguf", "Tiny", "process", model=str(smollm2_file()), context_length=2048)
        yield Case(GGUF.open(spec, NOWHERE))
    elif request.param == "SmolLM2 behind a server":
        url = request.getfixturevalue("served")
        yield Case(
            OPENAI_COMPATIBLE.open(ModelSpec("t", "openai_compatible", "Tiny", "loopback", url, "m"), NOWHERE)
        )
    else:
        with fake.OpenAIServer() as server:
            spec = ModelSpec("s", "openai_compatible", "Tiny", "loopback", server.base_url, "m")
            yield Case(OPENAI_COMPATIBLE.open(spec, NOWHERE), server.answers)


def asked(text: str, *, schema: dict[str, object] | None = None, max_tokens: int = 40) -> ModelRequest:
    return ModelRequest(
        Task("trial", lambda inputs: f"You said: {inputs}"),
        (Message("system", ("Be ", "kind.")), Message("user", (text,))),
        text,
        schema=schema,
        max_tokens=max_tokens,
        temperature=0.0,
    )


def answer(model: ChatModel, request: ModelRequest) -> object:
    return model.complete(request, threading.Event())


def test_every_provider_is_in_this_suite() -> None:
    assert set(providers()) == {GGUF.name, GUIDED.name, OPENAI_COMPATIBLE.name}


def test_a_plain_answer_has_text_seconds_and_counted_tokens(case: Case) -> None:
    case.script(fake.text("Hello.", tokens=(9, 3)))
    done = case.model.complete(asked("Say hello."), threading.Event())
    assert done.text.strip()
    assert done.seconds > 0
    assert done.prompt_tokens > 0
    assert 0 < done.completion_tokens <= 40
    assert not done.tokens_estimated
    assert not done.cached


def test_a_schema_gives_an_object_of_its_kind(case: Case) -> None:
    case.script(fake.text(GOOD))
    calls: list[object] = []
    request = asked("Answer kindly, in a word.", schema=SCHEMA, max_tokens=200)
    value = ask(Caller(case.model, calls.append), request, lambda done: read_object(done, SCHEMA))
    assert set(value) == {"reply", "status"}
    assert value["status"] in (-1, 0, 1)


def test_a_turn_is_unpacked_or_fails_with_the_raw_answer_kept(case: Case) -> None:
    turn = '{"topics": {"problems": "rent"}, "status": 0, "reply": "I hear you."}'
    case.script(fake.text(turn))
    calls: list[object] = []
    form = f"Answer with one JSON object and nothing else, such as {turn}. The client says: my rent went up."

    def read(done):
        unpacked = unpack(done.text, ["problems"], done.finish)
        return unpacked, unpacked.repairs

    try:
        unpacked = ask(Caller(case.model, calls.append), asked(form, max_tokens=120), read)
    except AgentReplyError as error:
        unpacked, raw = None, error.raw
    if unpacked is None:
        assert (raw, len(calls)) == (calls[-1].text, 3)
        return
    assert unpacked.reply.strip()
    assert set(unpacked.topics) <= {"problems"}


def test_an_answer_cut_at_its_limit_is_marked(case: Case) -> None:
    case.script(fake.text("One two three", finish="length"))
    done = case.model.complete(asked("Tell a story of a fox.", max_tokens=5), threading.Event())
    assert done.finish == "length"


def test_stop_ends_an_answer_midway_and_frees_the_model(case: Case) -> None:
    case.script(fake.text("word " * 500, pieces=400, pause=0.05), fake.text("Hello."))
    cancel = threading.Event()
    threading.Timer(0.5, cancel.set).start()
    started = time.monotonic()
    with pytest.raises(StoppedError):
        case.model.complete(asked("Tell a very long story, never end.", max_tokens=1900), cancel)
    assert answer(case.model, asked("Say hello.", max_tokens=5))
    assert time.monotonic() - started < 20  # the whole story would take longer


def test_stop_while_a_prompt_is_read_frees_the_model() -> None:
    spec = ModelSpec("tiny", "gguf", "Tiny", "process", model=str(smollm2_file()), context_length=8192)
    model, cancel = GGUF.open(spec, NOWHERE), threading.Event()
    answer(model, asked("Hi", max_tokens=1))  # loaded
    started = time.monotonic()
    answer(model, asked("word " * 1000, max_tokens=1))
    reading = time.monotonic() - started
    threading.Timer(0.2, cancel.set).start()
    started = time.monotonic()
    with pytest.raises(StoppedError):
        model.complete(asked("other " * 7500, max_tokens=1), cancel)
    answer(model, asked("Say hello.", max_tokens=1))
    # 7500 tokens take more than seven times as long to read as 1000: most of them were not.
    assert time.monotonic() - started < 4 * reading + 2


def test_what_is_stopped_before_it_begins_asks_nothing(case: Case) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(StoppedError):
        case.model.complete(asked("Hello."), cancel)


def test_an_overlong_prompt_is_named(case: Case) -> None:
    case.script(fake.status(400, "This model's maximum context length is 2048 tokens."))
    with pytest.raises(ContextOverflowError, match="Tiny"):
        answer(case.model, asked("word " * 5000, max_tokens=5))


def test_four_at_once_are_all_answered(case: Case) -> None:
    case.script(fake.text("Hello.", pause=0.02))
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(
                lambda n: case.model.complete(asked(f"Say {n}.", max_tokens=8), threading.Event()), range(4)
            )
        )
    assert all(done.text.strip() for done in found)


PROGRAM = """
import sys, threading
from contextlib import suppress
from pathlib import Path
from counsel_core.errors import StoppedError
from counsel_core.llm.catalogue import providers
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import Settings
spec = ModelSpec("t", sys.argv[1], "Tiny", "loopback", sys.argv[2], sys.argv[3])
model = providers()[spec.provider].open(spec, Settings(data_dir=Path("unused"), database_url=""))
told, most = Message("user", ("Tell a long story.",)), int(sys.argv[4])
request = ModelRequest(Task("trial"), (told,), None, max_tokens=most)
if most > 100:  # left while it writes
    def left() -> None:
        with suppress(StoppedError):  # the end of the program stops it
            model.complete(request, threading.Event())
    threading.Thread(target=left, daemon=True).start()
    threading.Event().wait(1.5)
else:
    print(len(model.complete(request, threading.Event()).text) > 0)
print("end")
"""


@pytest.mark.parametrize("tokens", [5, 1500], ids=["idle", "while it writes"])
@pytest.mark.parametrize("provider", ["gguf", "openai_compatible"])
def test_a_program_ends_without_leftovers(provider: str, tokens: int, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue("served") if provider == "openai_compatible" else ""
    model = str(smollm2_file()) if provider == "gguf" else "m"
    command = [sys.executable, "-c", PROGRAM, provider, url, model, str(tokens)]
    started = time.monotonic()
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, timeout=120, check=False)
    assert time.monotonic() - started < 40
    assert (done.returncode, done.stdout.split()[-1:]) == (0, ["end"]), done.stderr
    assert "Traceback" not in done.stderr


def test_the_guided_rules_answer_or_refuse_by_name() -> None:
    model = GUIDED.open(SPEC, NOWHERE)
    done = model.complete(asked("Hello."), threading.Event())
    # Rules have no tokens to count or to cut, no context to run over, nothing to stop midway.
    assert (done.text, done.finish, done.prompt_tokens) == ("You said: Hello.", "stop", None)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(StoppedError):
        model.complete(asked("Hello."), cancel)
    with pytest.raises(UnsupportedTaskError, match="language model is needed"):
        model.complete(ModelRequest(Task("judge"), (), None), threading.Event())


def test_memory_is_given_back() -> None:
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    spec = ModelSpec("tiny", "gguf", "Tiny", "process", model=str(smollm2_file()), context_length=1024)
    release_all()
    before = resident()
    answer(GGUF.open(spec, NOWHERE), asked("Say hello.", max_tokens=3))
    loaded = resident()
    assert release_all() == ()
    # The file alone has 91 MB; half of what came must go.
    assert loaded - before > 50e6
    assert loaded - resident() > (loaded - before) / 2
