"""Judged metrics: every raw answer is kept, a failing server ends the asking, nothing is invented."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from counsel_core.errors import AgentReplyError, ProviderUnavailableError, StoppedError
from counsel_core.llm.model_file import check_model
from counsel_core.llm.openai_compatible import OPENAI_COMPATIBLE
from counsel_core.metrics._base import MetricContext, Scored, ScoreInput
from counsel_core.records import Message, ModelRequest, Task
from counsel_core.runs.calling import FAILURES_IN_A_ROW, land_each
from counsel_core.runs.judging import score_by_judge
from counsel_core.settings import Settings
from tests.fakes import openai_server as fake
from tests.fakes_conversation import FakeModel
from tests.fakes_runs import length_metric


def ask_judge(given: ScoreInput, context: MetricContext) -> Scored:
    request = ModelRequest(Task("judge"), (Message("user", (given.answer,)),), None)
    answer = context.judge.complete(request).text
    if answer == "?":
        raise AgentReplyError("no usable answer", answer)
    return Scored(float(answer), detail={"answer": answer})


JUDGED = length_metric("judged", work="judge", score=ask_judge)


def judge_all(answers, model, cancel=None):
    entries = []
    inputs = [ScoreInput(answer) for answer in answers]
    tasks = [(unit, "judged") for unit in range(len(inputs))]
    stopped = score_by_judge(
        tasks,
        inputs,
        MetricContext("paper"),
        model,
        deliver=entries.extend,
        cancel=cancel or threading.Event(),
        at_once=1,
    )
    return stopped, entries


def test_a_value_keeps_the_raw_answer_and_a_hash_of_the_prompt(use_metrics):
    use_metrics(JUDGED)
    stopped, (one, other) = judge_all(["a", "b"], FakeModel(lambda request: "7"))
    assert (stopped, one.value, one.detail["answer"]) == ("", 7.0, "7")
    (call,) = one.detail["calls"]
    assert (call["text"], call["model"], call["prompt_tokens"]) == ("7", "Fake model (fake)", 7)
    assert call["prompt"] != other.detail["calls"][0]["prompt"]  # "a" and "b" are different prompts


def test_an_answer_that_cannot_be_read_is_missing_and_a_failed_call_is_a_failed_item(use_metrics):
    use_metrics(JUDGED)

    def answer(request: ModelRequest) -> str:
        if request.messages[0].content == "down":
            raise ProviderUnavailableError("the server is away.")
        return "?"

    _, (unread, failed) = judge_all(["odd", "down"], FakeModel(answer))
    assert (unread.value, unread.reason, unread.error) == (None, "no usable answer", "")
    assert unread.detail["calls"][0]["text"] == "?"
    assert (failed.value, failed.error) == (None, "the server is away.")
    assert failed.detail["calls"][0]["error"] == "the server is away."


def test_after_failures_in_a_row_nothing_more_is_asked(use_metrics):
    use_metrics(JUDGED)

    def refuse(request: ModelRequest) -> str:
        raise ProviderUnavailableError("the server is away.")

    model = FakeModel(refuse)
    stopped, entries = judge_all(["x"] * 50, model)
    assert stopped.startswith("Stopped after 5 failures in a row; the last one: the server is away.")
    assert len(entries) == len(model.requests) == FAILURES_IN_A_ROW


def test_failures_with_successes_between_them_do_not_end_it(use_metrics):
    use_metrics(JUDGED)

    def every_other(request: ModelRequest) -> str:
        if int(request.messages[0].content) % 2:
            raise ProviderUnavailableError("away")
        return "1"

    stopped, entries = judge_all([str(n) for n in range(20)], FakeModel(every_other))
    assert (stopped, sum(bool(entry.error) for entry in entries), len(entries)) == ("", 10, 20)


def test_cancelled_while_asking_keeps_what_had_landed(use_metrics):
    use_metrics(JUDGED)
    cancel = threading.Event()

    def third_cancels(request: ModelRequest) -> str:
        if request.messages[0].content == "2":
            cancel.set()
            raise StoppedError("stopped")
        return "1"

    stopped, entries = judge_all([str(n) for n in range(20)], FakeModel(third_cancels), cancel)
    assert (stopped, [entry.unit for entry in entries]) == ("", [0, 1])


def test_several_are_asked_at_once_and_each_lands_by_itself():
    barrier = threading.Barrier(4, timeout=30)  # passes only if four tasks run at the same time
    landed = []

    def work(number: int) -> int:
        if number < 4:
            barrier.wait()
        return number

    land_each(
        range(10),
        work,
        error_of=lambda number: "",
        deliver=landed.extend,
        cancel=threading.Event(),
        at_once=4,
    )
    assert sorted(landed) == list(range(10))


def test_a_defect_is_not_swallowed_and_does_not_hang():
    cancel = threading.Event()

    def work(number: int) -> int:
        if number == 3:
            raise ZeroDivisionError
        time.sleep(0.01)
        return number

    with pytest.raises(ZeroDivisionError):
        land_each(range(100), work, error_of=lambda n: "", deliver=lambda n: None, cancel=cancel, at_once=2)
    assert cancel.is_set()


class TestThirtyTwoInFlight:
    """A server that refuses or is down is not asked for every item, however many calls are open."""

    @staticmethod
    def judge_at(server, **options):
        entry = {
            "name": "j",
            "base_url": server.base_url,
            "model": "m",
            "options": {"at_once": 32, **options},
        }
        return OPENAI_COMPATIBLE.open(check_model(entry), Settings(Path("unused"), ""))

    @staticmethod
    def run(judge, number=400):
        entries = []
        inputs = [ScoreInput(f"Answer {unit}", "A question?") for unit in range(number)]
        tasks = [(unit, "agreeability") for unit in range(number)]
        stopped = score_by_judge(
            tasks,
            inputs,
            MetricContext("paper"),
            judge,
            deliver=entries.extend,
            cancel=threading.Event(),
        )
        return stopped, entries

    @pytest.mark.parametrize("code", [400, 401, 403, 404])
    def test_a_refusal_is_asked_once_an_item_and_stops_after_the_first_few(self, code):
        with fake.OpenAIServer() as server:
            server.answers(fake.status(code, "no"))
            stopped, entries = self.run(self.judge_at(server))
            assert str(code) in stopped
            assert stopped.startswith("Stopped after 5 failures in a row")
            # those that were at work when the fifth failure landed (32 open, 8 waiting), and no more
            assert len(server.log) == len(entries) < 32 + 8 + FAILURES_IN_A_ROW
            assert all(entry.error for entry in entries)

    def test_a_server_that_is_down_costs_each_open_item_its_retries_and_no_more(self):
        with fake.OpenAIServer() as server:
            server.answers(fake.status(503, "down"))
            stopped, entries = self.run(self.judge_at(server, retries=1))
            assert "503" in stopped
            assert len(entries) < 32 + 8 + FAILURES_IN_A_ROW
            assert len(server.log) == 2 * len(entries)

    def test_as_many_are_open_as_the_entry_says(self):
        barrier = threading.Barrier(32, timeout=60)  # passes only if 32 calls are open at the same time

        def answer(handler, body):
            barrier.wait()
            fake.text('{"score": 5}')(handler, body)

        with fake.OpenAIServer() as server:
            server.answers(answer)
            stopped, entries = self.run(self.judge_at(server), 64)
        assert (stopped, len(entries), {entry.value for entry in entries}) == ("", 64, {5.0})
