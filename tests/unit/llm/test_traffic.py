"""How many calls are open at a server at once, and what a busy one asks for holds for all of them."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from counsel_core.errors import InputError, StoppedError
from counsel_core.llm.model_file import check_model
from counsel_core.llm.openai_compatible import OPENAI_COMPATIBLE
from counsel_core.llm.traffic import AT_ONCE, Traffic, calls_at_once
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import Settings
from tests.fakes import openai_server as fake

REQUEST = ModelRequest(Task("t"), (Message("user", ("Hello.",)),), None)


class Watched:
    """Answers after a while; keeps how many requests were open at most."""

    def __init__(self, seconds=0.05):
        self.seconds, self.open, self.most, self._lock = seconds, 0, 0, threading.Lock()

    def __call__(self, handler, body):
        with self._lock:
            self.open += 1
            self.most = max(self.most, self.open)
        time.sleep(self.seconds)
        with self._lock:
            self.open -= 1
        fake.text("Hello.")(handler, body)


@pytest.fixture
def server():
    with fake.OpenAIServer() as running:
        yield running


def opened(server, model="m", **options):
    entry = {"name": "m", "base_url": server.base_url, "model": model, "options": options}
    return OPENAI_COMPATIBLE.open(check_model(entry), Settings(Path("unused"), ""))


def ask_all(models, number, cancel=None):
    with ThreadPoolExecutor(number) as pool:
        return list(
            pool.map(
                lambda n: models[n % len(models)].complete(REQUEST, cancel or threading.Event()),
                range(number),
            )
        )


@pytest.mark.parametrize(("options", "most"), [({}, AT_ONCE), ({"at_once": 3}, 3), ({"at_once": 1}, 1)])
def test_no_more_than_the_entry_says_are_open(server, options, most):
    answer = Watched()
    server.answers(answer)
    assert len(ask_all([opened(server, **options)], 16)) == 16
    assert answer.most == most


def test_models_of_one_server_share_its_room(server):
    answer = Watched()
    server.answers(answer)
    ask_all([opened(server, model=model, at_once=2) for model in ("one", "two", "two")], 12)
    assert answer.most == 2


@pytest.mark.parametrize("given", [0, 257, 1.5, True, "8"])
def test_other_numbers_are_refused(given):
    with pytest.raises(InputError, match="a whole number from 1 to 256"):
        check_model(
            {"name": "m", "base_url": "http://127.0.0.1:1/v1", "model": "m", "options": {"at_once": given}}
        )


def test_rules_and_files_have_their_own_number():
    spec = ModelSpec("m", "x", "M", "remote")
    found = [
        calls_at_once(replace(spec, location=kind)) for kind in ("remote", "loopback", "process", "rules")
    ]
    assert found == [8, 8, 1, 4]


def test_waiting_for_a_turn_takes_nothing_of_the_time_an_answer_has(server):
    server.answers(Watched(0.3))
    model = opened(server, at_once=1, total_seconds=1.0)
    # The last of five waits 1.2 s before it is sent, and then takes 0.3 s.
    answers = ask_all([model], 5)
    assert all(answer.seconds < 0.9 for answer in answers)


def test_who_waits_can_be_stopped(server):
    server.answers(fake.hang())
    model, cancel = opened(server, at_once=1), threading.Event()
    ends = threading.Event()

    def hold():
        with pytest.raises(StoppedError):
            model.complete(REQUEST, ends)

    first = threading.Thread(target=hold)
    first.start()
    while not server.log:
        time.sleep(0.01)
    threading.Timer(0.1, cancel.set).start()
    started = time.monotonic()
    with pytest.raises(StoppedError, match="waiting for its turn"):
        model.complete(REQUEST, cancel)
    assert time.monotonic() - started < 20  # of 60
    assert len(server.log) == 1
    ends.set()
    first.join()


def test_a_failed_call_makes_room(server):
    server.answers(fake.status(400))
    model = opened(server, at_once=1)
    for _ in range(3):
        with pytest.raises(Exception, match="400"):
            model.complete(REQUEST, threading.Event())


def test_a_pause_that_is_asked_for_holds_for_every_call(server):
    server.answers(fake.status(429, retry_after=2), fake.text("Hello."))
    model, other = opened(server), opened(server, model="other")
    first = threading.Thread(target=ask_all, args=([model], 1))
    first.start()
    while not server.log:
        time.sleep(0.005)
    time.sleep(1)  # the refusal is on its way
    ask_all([other], 4)
    first.join()
    refused, *later = server.log
    assert len(later) == 5
    assert all(2 <= logged.at - refused.at < 20 for logged in later)


def test_too_long_a_pause_is_not_waited_for_by_others(server):
    server.answers(fake.status(429, retry_after=120), fake.text("Hello."))
    with pytest.raises(Exception, match="wait 120 s"):
        opened(server).complete(REQUEST, threading.Event())
    started = time.monotonic()
    ask_all([opened(server)], 1)
    assert time.monotonic() - started < 20


def test_calls_that_failed_together_do_not_come_back_together(server):
    refused = []

    def choose(body):
        refused.append(body)
        return fake.status(503) if len(refused) <= 8 else fake.text("Hello.")

    server.answers_by(choose)
    ask_all([opened(server)], 8)
    back = sorted(logged.at for logged in server.log[8:])
    # Each waits 0.5 s and up to a quarter more by chance: eight of them spread over more than a
    # hundredth of a second, but for once in some 10^8 runs ((0.01 / 0.125)^7 * 8).
    assert back[-1] - back[0] > 0.01
    assert back[0] - min(logged.at for logged in server.log) >= 0.5


def test_a_pause_ends_and_room_is_given_back():
    traffic, cancel = Traffic(), threading.Event()
    traffic.pause(0.2)
    with traffic.call(1, cancel) as waited:
        assert 0.15 <= waited < 1
    with traffic.call(1, cancel) as waited:
        assert waited < 0.1
