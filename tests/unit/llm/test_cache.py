"""Answers that are kept: what makes requests equal, what is kept, what is forgotten, and how much."""

import sqlite3
import stat
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field, replace

import pytest

from counsel_core.errors import (
    AgentReplyError,
    ProviderUnavailableError,
    ReplyFormatError,
    StoppedError,
    StorageError,
)
from counsel_core.llm import _cache_file
from counsel_core.llm._base import Caller
from counsel_core.llm.cache import (
    CompletionCache,
    cache_file,
    cache_statistics,
    cached,
    clear_cache,
    keeping_answers,
    key_of,
)
from counsel_core.llm.guided import GuidedModel
from counsel_core.llm.structured import ask
from counsel_core.records import Completion, Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import PROJECT

SPEC = ModelSpec("m", "openai_compatible", "Model M", "loopback", "http://127.0.0.1:1/v1", "m-1")
REQUEST = ModelRequest(
    Task("rate"),
    (Message("system", ("Be kind.",)), Message("user", ("Hello.",))),
    None,
    schema={"type": "object"},
    max_tokens=50,
    temperature=0.0,
)


@dataclass
class Counting:
    """Answers with a number that grows, and counts its calls."""

    spec: ModelSpec = SPEC
    answers: list[Completion] = field(default_factory=list)
    requests: list[ModelRequest] = field(default_factory=list)
    seconds: float = 0.0

    def complete(self, request, cancel):
        self.requests.append(request)
        time.sleep(self.seconds)
        if self.answers:
            return self.answers.pop(0)
        return Completion(f"Answer {len(self.requests)}", 1.5, "stop", 7, 3, reasoning="Hm.")


@pytest.fixture
def cache(tmp_path):
    with CompletionCache(tmp_path / "cache" / "a.sqlite3") as opened:
        yield opened


def complete(model, request=REQUEST, cancel=None):
    return model.complete(request, cancel or threading.Event())


def test_an_equal_request_is_answered_without_a_call(cache):
    model = Counting()
    kept = cached(model, cache)
    assert kept.spec is model.spec
    first, second = complete(kept), complete(kept)
    assert (first.cached, first.seconds) == (False, 1.5)
    assert second == replace(first, cached=True, seconds=0.0)
    assert (second.text, second.reasoning, second.prompt_tokens, second.completion_tokens) == (
        "Answer 1", "Hm.", 7, 3,
    )  # fmt: skip
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, messages=(Message("user", ("Be kind.Hello.",)),)),
        replace(REQUEST, messages=(Message("user", ("Be kind.",)), Message("user", ("Hello.",)))),
        replace(REQUEST, schema=None),
        replace(REQUEST, schema={"type": "array"}),
        replace(REQUEST, max_tokens=51),
        replace(REQUEST, temperature=None),
        replace(REQUEST, temperature=0.1),
        replace(REQUEST, repeat=1),
        replace(REQUEST, task=Task("other")),  # its name goes out with the schema
    ],
)
def test_another_request_has_another_key(other):
    assert key_of(SPEC, other) != key_of(SPEC, REQUEST)


@pytest.mark.parametrize(
    "other",
    [
        replace(SPEC, base_url="http://127.0.0.1:2/v1"),
        replace(SPEC, model="m-2"),
        replace(SPEC, provider="gguf"),
        replace(SPEC, options={"extra_body": {"seed": 1}}),
        replace(SPEC, options={"response_format": "json"}),
    ],
)
def test_another_model_has_another_key(other):
    assert key_of(other, REQUEST) != key_of(SPEC, REQUEST)


@pytest.mark.parametrize(
    ("spec", "request_"),
    [
        (replace(SPEC, name="n", label="N", options={"retries": 1, "at_once": 2, "price_input": 1}), REQUEST),
        (SPEC, replace(REQUEST, messages=(Message("system", ("Be ", "kind.")), REQUEST.messages[1]))),
        (SPEC, replace(REQUEST, inputs=object(), task=Task("rate", rules=str))),
    ],
)
def test_what_does_not_reach_the_model_does_not_count(spec, request_):
    assert key_of(spec, request_) == key_of(SPEC, REQUEST)


def test_another_file_under_the_same_name_is_another_model(tmp_path):
    file = tmp_path / "m.gguf"
    file.write_bytes(b"one")
    spec = ModelSpec("m", "gguf", "M", "process", model=str(file))
    before = key_of(spec, REQUEST)
    assert key_of(spec, REQUEST) == before
    file.write_bytes(b"other")
    assert key_of(spec, REQUEST) != before


def test_rules_are_never_kept(cache):
    rules = GuidedModel()
    assert cached(rules, cache) is rules


@pytest.mark.parametrize("answer", [Completion("cut", 0.1, "length"), Completion(" \n", 0.1)])
def test_what_is_no_whole_answer_is_not_kept(cache, answer):
    model = Counting(answers=[answer])
    assert [complete(cached(model, cache)).text for _ in range(3)] == [answer.text, "Answer 2", "Answer 2"]


def test_a_failure_is_not_kept(cache):
    class Failing(Counting):
        def complete(self, request, cancel):
            if not self.requests:
                self.requests.append(request)
                raise ProviderUnavailableError("away")
            return super().complete(request, cancel)

    kept = cached(Failing(), cache)
    with pytest.raises(ProviderUnavailableError):
        complete(kept)
    assert complete(kept).text == "Answer 2"


def test_any_text_comes_back_as_it_was(cache):
    text = "‘Ünï’ 你好 🙂 \x00 '); DROP TABLE answers; -- \u2028"
    kept = cached(Counting(answers=[Completion(text, 0.1), Completion("half \ud83d", 0.1)]), cache)
    complete(kept)
    assert complete(kept).text == text
    complete(kept, replace(REQUEST, repeat=1))
    assert complete(kept, replace(REQUEST, repeat=1)).text == "half \ufffd"  # which UTF-8 cannot hold


class TestUnreadableAnswers:
    """An answer of no use must not come back for ever."""

    @staticmethod
    def reader(good):
        def read(completion):
            if completion.text not in good:
                raise ReplyFormatError(f"{completion.text} is wrong")
            return completion.text, ()

        return read

    @pytest.mark.parametrize("say_why", [True, False])
    def test_the_same_words_asked_again_get_a_new_answer(self, cache, say_why):
        model = Counting()
        caller = Caller(cached(model, cache))
        assert ask(caller, REQUEST, self.reader({"Answer 3"}), say_why=say_why) == "Answer 3"
        # The whole way to a good answer is kept: a repeat makes no call.
        assert ask(caller, REQUEST, self.reader({"Answer 3"}), say_why=say_why) == "Answer 3"
        assert len(model.requests) == 3

    @pytest.mark.parametrize("say_why", [True, False])
    def test_a_way_that_led_nowhere_is_forgotten(self, cache, say_why):
        model = Counting()
        caller = Caller(cached(model, cache))
        with pytest.raises(AgentReplyError):
            ask(caller, REQUEST, self.reader(set()), say_why=say_why)
        assert cache.statistics().entries == 0
        assert ask(caller, REQUEST, self.reader({"Answer 4"}), say_why=say_why) == "Answer 4"

    def test_another_round_is_asked_anew_and_kept_apart(self, cache):
        model = Counting()
        kept = cached(model, cache)
        for _ in range(2):
            texts = [Caller(kept, round=number).complete(REQUEST).text for number in range(3)]
            assert texts == ["Answer 1", "Answer 2", "Answer 3"]
        with pytest.raises(AgentReplyError):
            ask(Caller(kept, round=2), REQUEST, self.reader(set()), tries=1)
        assert complete(kept).text == "Answer 1"
        assert Caller(kept, round=2).complete(REQUEST).text == "Answer 4"

    def test_repeats_tries_and_rounds_do_not_meet(self, cache):
        model = Counting()
        kept = cached(model, cache)
        seen = []

        def never(completion):
            seen.append(completion.text)
            raise ReplyFormatError("no")

        for turn in range(3):
            for repeat in range(3):
                with pytest.raises(AgentReplyError):
                    ask(Caller(kept, round=turn), replace(REQUEST, repeat=repeat), never, say_why=False)
        assert len(set(seen)) == 27


class TestSeveralAtOnce:
    def test_two_threads_that_ask_the_same_call_the_model_once(self, tmp_path):
        model = Counting(seconds=0.2)
        found = []
        # As two jobs of one process have it: each has opened the file for itself.
        with CompletionCache(tmp_path / "a") as one, CompletionCache(tmp_path / "a") as other:
            threads = [
                threading.Thread(target=lambda cache=cache: found.append(complete(cached(model, cache))))
                for cache in (one, other) * 8
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert {answer.text for answer in found} == {"Answer 1"}
        assert (len(model.requests), sum(answer.cached for answer in found)) == (1, 15)

    def test_other_requests_do_not_wait(self, cache):
        barrier = threading.Barrier(4, timeout=10)  # passes only if four calls are open at the same time

        class Meeting(Counting):
            def complete(self, request, cancel):
                barrier.wait()
                return Completion("met", 0.1)

        kept = cached(Meeting(), cache)
        threads = [
            threading.Thread(target=complete, args=(kept, replace(REQUEST, repeat=number)))
            for number in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert cache.statistics().entries == 4

    def test_who_waits_for_another_call_can_be_stopped(self, cache):
        model = Counting(seconds=4.0)
        first = threading.Thread(target=complete, args=(cached(model, cache),))
        first.start()
        while not model.requests:
            time.sleep(0.01)
        cancel = threading.Event()
        threading.Timer(0.1, cancel.set).start()
        started = time.monotonic()
        with pytest.raises(StoppedError):
            complete(cached(model, cache), cancel=cancel)
        assert time.monotonic() - started < 3.5
        first.join()

    def test_after_a_failure_the_next_one_asks(self, cache):
        class FirstFails(Counting):
            def complete(self, request, cancel):
                self.requests.append(request)
                time.sleep(0.1)
                if len(self.requests) == 1:
                    raise ProviderUnavailableError("away")
                return Completion("good", 0.1)

        model, said = FirstFails(), []

        def run():
            try:
                said.append(complete(cached(model, cache)).text)
            except ProviderUnavailableError as error:
                said.append(str(error))

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(said) == ["away", "good", "good", "good"]
        assert len(model.requests) == 2

    def test_several_processes_may_write_at_once(self, tmp_path):
        file = tmp_path / "cache" / "a.sqlite3"
        code = (
            "import sys\nfrom pathlib import Path\nfrom counsel_core.llm.cache import CompletionCache\n"
            "from counsel_core.records import Completion\n"
            "with CompletionCache(Path(sys.argv[1])) as cache:\n"
            "    for n in range(200):\n"
            "        cache.keep(f'{sys.argv[2]}-{n}'.encode(), 'M', Completion(f'{n}', 0.1))\n"
            "        assert cache.find(f'{sys.argv[2]}-{n}'.encode()).text == f'{n}'\n"
        )
        children = [
            subprocess.Popen([sys.executable, "-c", code, str(file), name], cwd=PROJECT) for name in "abcd"
        ]
        assert [child.wait() for child in children] == [0] * 4
        with CompletionCache(file) as cache:
            assert cache.statistics().entries == 800


class TestSize:
    def test_beyond_the_limit_what_was_not_used_for_longest_goes(self, tmp_path):
        limit = 400_000
        file = tmp_path / "a.sqlite3"
        with CompletionCache(file, limit) as cache:
            for number in range(300):
                cache.keep(f"{number}".encode(), "M", Completion(f"{number} " + "x" * 3000, 0.1))
                assert cache.find(b"0") is not None  # in use all the time
                assert cache.statistics().bytes <= limit
            kept = [number for number in range(300) if cache.find(f"{number}".encode())]
        assert kept[0] == 0
        assert kept[1:] == list(range(kept[1], 300))
        # 3000 bytes each in pages of 4096: about 90 fit into the limit, and 0.9 of it is left each time.
        assert 60 < len(kept) < 100
        assert file.stat().st_size <= limit + 100_000

    def test_an_answer_larger_than_the_limit_is_not_kept_and_harms_nothing(self, tmp_path):
        with CompletionCache(tmp_path / "a.sqlite3", 100_000) as cache:
            cache.keep(b"1", "M", Completion("x" * 500_000, 0.1))
            assert cache.find(b"1") is None
            cache.keep(b"2", "M", Completion("x", 0.1))
            assert cache.find(b"2").text == "x"


class TestFile:
    def test_statistics_say_what_is_kept_of_which_model_and_how_often_it_was_used(self, settings):
        assert cache_statistics(settings).entries == 0
        assert not cache_file(settings).exists()
        before = time.time()
        with keeping_answers(settings, use=True) as kept:
            model, other = kept(Counting()), kept(Counting(replace(SPEC, label="Model N", model="n")))
            for number in range(3):
                complete(model, replace(REQUEST, repeat=number))
            complete(model)
            complete(model)
            complete(other)
        found = cache_statistics(settings)
        assert (found.entries, [(one.model, one.entries, one.hits) for one in found.models]) == (
            4,
            [("Model M", 3, 2), ("Model N", 1, 0)],
        )
        # "Answer 1" and "Hm.": 11 bytes each
        assert [one.bytes for one in found.models] == [33, 11]
        assert before - 1 <= found.oldest.timestamp() <= time.time()
        assert 0 < found.bytes < 100_000

    def test_cleared_the_words_are_gone_from_the_disk(self, settings):
        with keeping_answers(settings, use=True) as kept:
            words = [Completion(f"My secret number {number}", 0.1) for number in range(50)]
            model = kept(Counting(answers=words))
            for number in range(50):
                complete(model, replace(REQUEST, repeat=number))
            clear_cache(settings)  # while a run has it open
            assert not any(b"secret" in file.read_bytes() for file in cache_file(settings).parent.iterdir())
            assert complete(model).text == "Answer 51"
        clear_cache(settings)
        assert cache_statistics(settings).entries == 0

    def test_no_prompt_is_in_it(self, settings):
        with keeping_answers(settings, use=True) as kept:
            complete(kept(Counting()))
        data = b"".join(file.read_bytes() for file in cache_file(settings).parent.iterdir())
        assert b"Answer 1" in data
        assert b"Be kind" not in data

    def test_a_clearing_that_another_reader_holds_up_says_so(self, settings, monkeypatch):
        monkeypatch.setattr(_cache_file, "_BUSY_SECONDS", 0.2)
        with keeping_answers(settings, use=True) as kept:
            complete(kept(Counting()))
        other = sqlite3.connect(cache_file(settings), isolation_level=None)
        other.execute("BEGIN")
        other.execute("SELECT * FROM answers").fetchall()
        with pytest.raises(StorageError, match="Clear the cache once more"):
            clear_cache(settings)
        other.close()
        clear_cache(settings)

    def test_it_belongs_to_its_owner_alone(self, settings):
        with keeping_answers(settings, use=True):
            file = cache_file(settings)
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700

    def test_not_used_it_is_not_made(self, settings):
        with keeping_answers(settings, use=False) as kept:
            model = Counting()
            assert kept(model) is model
        assert not cache_file(settings).exists()

    def test_a_damaged_file_says_so_and_is_cleared_all_the_same(self, settings):
        file = cache_file(settings)
        file.parent.mkdir(parents=True)
        file.write_bytes(b"no database at all " * 100)
        with pytest.raises(StorageError, match=r"damaged; clear it on the Models page.*--no-cache"):
            cache_statistics(settings)
        clear_cache(settings)
        assert cache_statistics(settings).entries == 0
        with keeping_answers(settings, use=True) as kept:
            complete(kept(Counting()))
        assert cache_statistics(settings).entries == 1

    def test_a_place_that_cannot_be_used_says_so(self, settings):
        settings.data_dir.mkdir(parents=True)
        (settings.data_dir / "cache").write_text("a file in its place")
        with pytest.raises(StorageError, match="see that you may write there"):
            CompletionCache(cache_file(settings))
