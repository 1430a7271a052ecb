"""The provider against a scripted server: each failure has its name, its number of calls and its time."""

import json
import logging
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from counsel_core.errors import (
    ContextOverflowError,
    LocalOnlyError,
    MissingKeyError,
    ProviderError,
    ProviderUnavailableError,
    RequestRefusedError,
    StoppedError,
)
from counsel_core.llm.openai_compatible import OPENAI_COMPATIBLE, estimate_tokens
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.settings import Settings
from tests.fakes import openai_server as fake

KEY = "sk-marked-7f3a9c-never-to-be-seen"
SCHEMA = {
    "type": "object",
    "properties": {"reply": {"type": "string"}, "status": {"type": "integer", "enum": [-1, 0, 1]}},
    "required": ["reply", "status"],
    "additionalProperties": False,
}
REQUEST = ModelRequest(
    task=Task("sudosys turn"),
    messages=(Message("system", ("Be ", "kind.")), Message("user", ("Hello.",))),
    inputs=None,
    max_tokens=50,
    temperature=0.2,
)


@pytest.fixture
def server():
    with fake.OpenAIServer() as running:
        yield running


def opened(server, *, key=KEY, local_only=True, base_url=None, **options):
    spec = ModelSpec(
        name="scripted",
        provider="openai_compatible",
        label="Scripted model",
        location="loopback",
        base_url=base_url or server.base_url,
        model="scripted-1",
        key_variable="SCRIPTED_KEY" if key else "",
        options={"connect_seconds": 2.0, "stall_seconds": 5.0, "total_seconds": 20.0, **options},
    )
    secrets = {"SCRIPTED_KEY": key} if key else {}
    settings = Settings(data_dir=Path("unused"), database_url="", local_only=local_only, secrets=secrets)
    return OPENAI_COMPATIBLE.open(spec, settings)


def complete(model, request=REQUEST, cancel=None):
    return model.complete(request, cancel or threading.Event())


def failure(model, kind, request=REQUEST):
    """Ask, expect an error of exactly that kind, and return its text."""
    with pytest.raises(ProviderError) as caught:
        complete(model, request)
    assert type(caught.value) is kind
    text = str(caught.value)
    assert "Scripted model" in text
    assert KEY not in text
    return text


class TestAnswers:
    def test_a_streamed_answer_with_its_tokens(self, server):
        server.answers(fake.text("It sounds hard. 你好 {x}", tokens=(11, 6)))
        answer = complete(opened(server))
        assert answer.text == "It sounds hard. 你好 {x}"
        assert answer.finish == "stop"
        assert (answer.prompt_tokens, answer.completion_tokens, answer.tokens_estimated) == (11, 6, False)

    @pytest.mark.parametrize("tokens", [(True, 6), (11, 10**400), (-1, 6), ("11", 6), (None, None)])
    def test_a_count_that_can_be_none_is_estimated_instead(self, server, tokens):
        usage = dict(zip(("prompt_tokens", "completion_tokens"), tokens, strict=True))
        said = (fake.event("It sounds hard."), fake.event(finish="stop"), {"choices": [], "usage": usage})
        server.answers(fake.events(*said))
        answer = complete(opened(server))
        # "Be kind." and "Hello." have 14 characters, "It sounds hard." has 15: four make a token.
        assert (answer.prompt_tokens, answer.completion_tokens, answer.tokens_estimated) == (4, 4, True)

    def test_a_key_that_the_server_repeats_does_not_get_into_the_answer(self, server):
        server.answers(fake.text(f"Your request said: Authorization: Bearer {KEY}", pieces=7))
        assert complete(opened(server)).text == "Your request said: Authorization: Bearer [key]"

    def test_what_is_sent(self, server):
        complete(opened(server))
        sent = server.log[0]
        assert sent.path == "/v1/chat/completions"
        assert sent.body == {
            "model": "scripted-1",
            "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Hello."}],
            "max_tokens": 50,
            "temperature": 0.2,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        assert sent.headers["authorization"] == f"Bearer {KEY}"

    def test_headers_tell_nothing_of_the_machine(self, server, monkeypatch):
        monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-user")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer other\nX-Secret: x")
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
        complete(opened(server))
        names = {name for name in server.log[0].headers if name not in ("host", "content-length")}
        assert names == {
            "accept",
            "accept-encoding",
            "authorization",
            "connection",
            "content-type",
            "user-agent",
        }
        assert server.log[0].headers["authorization"] == f"Bearer {KEY}"

    def test_without_a_key_none_is_sent(self, server):
        complete(opened(server, key=None))
        assert server.log[0].headers["authorization"] == "Bearer none"

    def test_tokens_are_estimated_and_marked_where_the_server_counts_none(self, server):
        server.answers(fake.text("好的，well", tokens=None))
        answer = complete(opened(server))
        # "Be kind.Hello." has 14 Latin characters: 4 tokens. "好的，" are 3, "well" is 1.
        assert (answer.prompt_tokens, answer.completion_tokens, answer.tokens_estimated) == (4, 4, True)
        assert estimate_tokens("") == 0

    def test_a_cut_answer_is_marked(self, server):
        server.answers(fake.text('{"reply": "It sou', finish="length"))
        assert complete(opened(server)).finish == "length"

    def test_thinking_is_kept_apart(self, server):
        server.answers(fake.text("Hello.", reasoning="The client greets me."))
        assert complete(opened(server)).text == "Hello."

    def test_an_empty_answer_is_an_answer(self, server):
        server.answers(fake.text("", tokens=(5, 0)))
        assert complete(opened(server)).text == ""

    def test_a_server_that_does_not_stream(self, server):
        server.answers(fake.whole("All at once.", finish="length"))
        answer = complete(opened(server))
        assert (answer.text, answer.finish, answer.prompt_tokens) == ("All at once.", "length", 5)

    def test_a_final_chunk_sent_twice_counts_once(self, server):
        end = fake.event(finish="stop")
        server.answers(fake.events(fake.event("Hello."), end, fake.event("again"), end))
        assert complete(opened(server)).text == "Hello."

    def test_other_choices_and_comments_are_passed_over(self, server):
        other = {"choices": [{"index": 1, "delta": {"content": "no"}}]}
        strange = [{"choices": [None]}, {"choices": None}, {}, {"choices": [{"delta": None}]}]
        server.answers(fake.events(*strange, other, fake.event("Yes."), fake.event(finish="stop")))
        assert complete(opened(server)).text == "Yes."

    def test_extra_body_is_sent(self, server):
        complete(opened(server, extra_body={"enable_thinking": False}))
        assert server.log[0].body["enable_thinking"] is False

    def test_one_model_serves_many_threads(self, server):
        server.answers_by(lambda body: fake.text(body["messages"][-1]["content"], pause=0.01))
        model = opened(server)
        found = {}

        def ask(number):
            request = replace(REQUEST, messages=(Message("user", (f"number {number}",)),))
            found[number] = complete(model, request).text

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == {number: f"number {number}" for number in range(12)}


class TestSchema:
    request = replace(REQUEST, schema=SCHEMA)

    def test_it_is_sent_by_name(self, server):
        server.answers(fake.by_schema())
        answer = complete(opened(server), self.request)
        assert json.loads(answer.text) == {"reply": "some reply", "status": -1}
        assert server.log[0].body["response_format"] == {
            "type": "json_schema",
            "json_schema": {"name": "sudosys_turn", "schema": SCHEMA, "strict": True},
        }

    def test_an_open_schema_is_not_called_strict(self, server):
        open_schema = {"type": "object", "properties": {"reply": {"type": "string"}}}
        complete(opened(server), replace(REQUEST, schema=open_schema))
        assert server.log[0].body["response_format"]["json_schema"]["strict"] is False

    def test_a_server_without_schemas_is_asked_in_json_mode_from_then_on(self, server):
        refused = fake.refuses(response_format="json_schema")
        server.answers_by(lambda body: refused(body) or fake.text('{"reply": "Hi.", "status": 0}'))
        model = opened(server)
        complete(model, self.request)
        complete(opened(server), self.request)  # another instance of the same model
        formats = [logged.body["response_format"]["type"] for logged in server.log]
        assert formats == ["json_schema", "json_object", "json_object"]

    def test_a_server_without_any_format_is_asked_plainly(self, server):
        refused = fake.refuses(response_format=".")
        server.answers_by(lambda body: refused(body) or fake.text("Hi."))
        assert complete(opened(server), self.request).text == "Hi."
        assert [("response_format" in logged.body) for logged in server.log] == [True, True, False]

    def test_the_entry_may_say_what_the_server_supports(self, server):
        complete(opened(server, response_format="none"), self.request)
        assert "response_format" not in server.log[0].body

    def test_what_an_entry_says_is_not_covered_by_what_was_found_out_before_it_was_changed(self, server):
        refused = fake.refuses(response_format="json_schema")
        server.answers_by(lambda body: refused(body) or fake.text("{}"))
        complete(opened(server), self.request)
        complete(opened(server, response_format="none"), self.request)
        assert [("response_format" in logged.body) for logged in server.log] == [True, True, False]

    @pytest.mark.parametrize(
        ("key", "message", "afterwards"),
        [
            ("max_tokens", "Use 'max_completion_tokens' instead.", {"max_completion_tokens": 50}),
            ("temperature", "Unsupported value: 'temperature'", {}),
            ("stream_options", "unknown field stream_options", {}),
        ],
    )
    def test_other_refusals_take_one_thing_away(self, server, key, message, afterwards):
        server.answers_by(
            lambda body: fake.status(400, message) if key in body else fake.text("Hi.", tokens=None)
        )
        model = opened(server)
        assert complete(model).text == "Hi."
        assert complete(model).text == "Hi."
        assert key not in server.log[1].body
        assert afterwards.items() <= server.log[1].body.items()
        assert len(server.log) == 3  # refused once, then never again

    def test_a_server_without_system_role_gets_it_with_the_first_line(self, server):
        def choose(body):
            roles = [message["role"] for message in body["messages"]]
            return fake.status(500, "System role not supported") if "system" in roles else fake.text("Hi.")

        server.answers_by(choose)
        messages = (*REQUEST.messages, Message("user", ("More.",)), Message("assistant", ("Yes.",)))
        complete(opened(server), replace(REQUEST, messages=messages))
        assert server.log[-1].body["messages"] == [
            {"role": "user", "content": "Be kind.\n\nHello.\n\nMore."},
            {"role": "assistant", "content": "Yes."},
        ]

    def test_a_400_for_another_reason_is_not_asked_again(self, server):
        server.answers(fake.status(400, "messages: at least one is needed"))
        text = failure(opened(server), RequestRefusedError, self.request)
        assert "400" in text
        assert "at least one is needed" in text
        assert len(server.log) == 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("code", "told"),
        [(401, "key was not accepted"), (403, "rights"), (404, "no model 'scripted-1'"), (402, "no credit")],
    )
    def test_they_are_asked_once(self, server, code, told):
        server.answers(fake.status(code, "Incorrect API key provided: sk-marked-7f3a9c*******"))
        text = failure(opened(server), RequestRefusedError)
        assert told in text
        assert "sk-marked" not in text
        assert "127.0.0.1" in text
        assert len(server.log) == 1

    def test_a_key_that_the_server_repeats_is_not_shown(self, server):
        server.answers(fake.status(400, f"bad request with {KEY} and Bearer abcdefgh"))
        text = failure(opened(server), RequestRefusedError)
        assert "[key]" in text
        assert "abcdefgh" not in text

    @pytest.mark.parametrize(
        ("code", "message", "error_code"),
        [
            (400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
            (400, "the request exceeds the available context size. try increasing it", None),
            (413, "prompt is too long: 210000 tokens > 200000 maximum", None),
            (500, "input is too large: n_ctx = 2048", None),
        ],
    )
    def test_an_overlong_prompt_is_named_and_asked_once(self, server, code, message, error_code):
        server.answers(fake.status(code, message, code=error_code))
        text = failure(opened(server), ContextOverflowError)
        assert "longer" in text
        assert len(server.log) == 1

    def test_a_used_up_quota_is_not_asked_again(self, server):
        server.answers(fake.status(429, "You exceeded your current quota", code="insufficient_quota"))
        assert "billing" in failure(opened(server), RequestRefusedError)
        assert len(server.log) == 1

    def test_a_page_instead_of_an_answer(self, server):
        server.answers(fake.page())
        text = failure(opened(server), RequestRefusedError)
        assert "text/html" in text
        assert "base URL" in text
        assert len(server.log) == 1

    def test_a_content_filter(self, server):
        server.answers(fake.text("I", finish="content_filter"))
        assert "filter" in failure(opened(server), RequestRefusedError)

    def test_a_redirect_is_not_followed(self, server):
        with fake.OpenAIServer() as other:
            server.answers(fake.redirect(f"{other.base_url}/chat/completions"))
            failure(opened(server), RequestRefusedError)
            assert other.log == []
        assert len(server.log) == 1


class TestTransientFaults:
    @pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504])
    def test_they_are_asked_again_and_may_succeed(self, server, code):
        server.answers(fake.status(code), fake.text("Now it works."))
        assert complete(opened(server)).text == "Now it works."
        assert len(server.log) == 2

    @pytest.mark.parametrize(("code", "retries", "calls"), [(429, 2, 3), (500, 1, 2), (503, 0, 1)])
    def test_the_number_of_calls_is_bounded(self, server, code, retries, calls):
        server.answers(fake.status(code, "busy"))
        text = failure(opened(server, retries=retries), ProviderUnavailableError)
        assert str(code) in text
        assert '"busy"' in text
        assert len(server.log) == calls

    def test_a_page_with_500_is_named_by_its_status(self, server):
        server.answers(fake.page(502))
        text = failure(opened(server, retries=0), ProviderUnavailableError)
        assert "502" in text
        assert "<" not in text

    @pytest.mark.parametrize("code", [501, 520, 529])
    def test_other_server_errors_are_asked_once(self, server, code):
        server.answers(fake.status(code))
        failure(opened(server), ProviderUnavailableError)
        assert len(server.log) == 1

    def test_retry_after_is_honoured(self, server):
        server.answers(fake.status(429, retry_after=0.8), fake.text("Now."))
        complete(opened(server))
        assert 0.8 <= server.log[1].at - server.log[0].at < 20

    def test_too_long_a_wait_is_told_not_waited(self, server):
        server.answers(fake.status(429, retry_after=120))
        started = time.monotonic()
        assert "wait 120 s" in failure(opened(server), ProviderUnavailableError)
        assert time.monotonic() - started < 20
        assert len(server.log) == 1

    def test_a_date_to_wait_for_that_has_passed(self, server):
        server.answers(fake.status(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), fake.text("Now."))
        assert complete(opened(server)).text == "Now."

    def test_nobody_there(self):
        with fake.OpenAIServer() as server:
            address = server.base_url
        started = time.monotonic()
        text = failure(opened(None, base_url=address, retries=1), ProviderUnavailableError)
        assert "Nothing answers" in text
        assert address.split("/")[2] in text
        assert time.monotonic() - started < 20

    def test_a_connection_that_breaks_before_the_answer_is_tried_again(self, server):
        server.answers(fake.drop(after=""), fake.text("Now."))
        assert complete(opened(server)).text == "Now."
        assert len(server.log) == 2


class TestBrokenAnswers:
    """What had begun is not asked for again unbidden: it may be paid for, and the user decides."""

    @pytest.mark.parametrize(
        ("answer", "told"),
        [
            (fake.drop(), "closed the connection before its answer was complete"),
            (fake.events(fake.event("Hel"), done=False), "before its answer was complete"),
            (fake.events(fake.event("Hel"), done=True), "before its answer was complete"),
            (fake.events(done=True), "before its answer was complete"),
            (fake.events(fake.event("Hel"), '{"choices": [{'), "no valid JSON"),
            (fake.events(fake.event("Hel"), "[1, 2]"), "no valid JSON"),
            (fake.raw(b'data: {"choices": "\xff\xfe"}\n\n'), "no valid JSON"),
            (fake.raw(b"{oops", "application/json"), "no valid JSON"),
            (fake.raw(b"[" * 100_000, "application/json"), "no valid JSON"),
            (fake.raw(b"data: " + b"[" * 100_000 + b"\n\n"), "no valid JSON"),
            (fake.events({"choices": []}, {"choices": [], "usage": {}}), "without any text to choose"),
            (fake.raw(b'{"choices": []}', "application/json"), "without any text to choose"),
            (fake.events(fake.event("Hel"), {"error": {"message": "out of memory"}}), '"out of memory"'),
            (fake.raw(b'{"error": {"message": "out of memory"}}', "application/json"), '"out of memory"'),
        ],
    )
    def test_they_are_named_and_asked_once(self, server, answer, told):
        server.answers(answer)
        assert told in failure(opened(server), ProviderUnavailableError)
        assert len(server.log) == 1

    @pytest.mark.parametrize("kind", ["text/plain", "application/xml", "text/html"])
    def test_the_wrong_kind_of_content(self, server, kind):
        server.answers(fake.raw(b"nothing here", kind))
        assert kind in failure(opened(server), RequestRefusedError)

    def test_an_overlong_prompt_told_in_the_stream(self, server):
        server.answers(fake.events({"error": {"code": 400, "message": "exceeds the available context size"}}))
        failure(opened(server), ContextOverflowError)

    def test_an_answer_of_ten_megabytes_is_left(self, server):
        server.answers(fake.events(*[fake.event("x" * 100_000)] * 100, fake.event(finish="stop")))
        started = time.monotonic()
        assert "too long" in failure(opened(server), ProviderError)
        assert time.monotonic() - started < 10

    def test_a_line_without_end_is_left(self, server):
        server.answers(fake.raw(b"data: " + b"x" * 25_000_000))
        assert "too long" in failure(opened(server), ProviderError)

    def test_a_server_that_hangs(self, server):
        server.answers(fake.hang())
        started = time.monotonic()
        text = failure(opened(server, stall_seconds=0.5), ProviderUnavailableError)
        assert "sent nothing for longer" in text
        assert time.monotonic() - started < 20  # the server would be silent for 60
        assert server.log[0].left.wait(20)

    def test_a_server_that_stalls_in_mid_answer(self, server):
        server.answers(fake.hang(after="Once"))
        started = time.monotonic()
        assert "sent nothing for longer" in failure(
            opened(server, stall_seconds=0.5), ProviderUnavailableError
        )
        assert time.monotonic() - started < 20
        assert len(server.log) == 1

    def test_a_slow_answer_is_no_stall_but_has_its_time(self, server):
        server.answers(fake.text("abcdef", pieces=6, pause=0.6))
        assert complete(opened(server, stall_seconds=2.5)).text == "abcdef"
        text = failure(opened(server, total_seconds=0.5), ProviderUnavailableError)
        assert "did not finish in the time" in text


class TestStopping:
    def stop(self, server):
        cancel = threading.Event()
        threading.Timer(0.3, cancel.set).start()
        started = time.monotonic()
        with pytest.raises(StoppedError):
            complete(opened(server), cancel=cancel)
        assert time.monotonic() - started < 8  # of 10 or more that it would take

    @pytest.mark.parametrize(
        "answer", [fake.hang(), fake.hang(after="Once"), fake.text("slow " * 200, pieces=200, pause=0.1)]
    )
    def test_it_stops_at_once_and_the_server_notices(self, server, answer):
        server.answers(answer)
        self.stop(server)
        assert server.log[0].left.wait(20)

    def test_it_stops_while_waiting_to_ask_again(self, server):
        server.answers(fake.status(429, retry_after=10))
        self.stop(server)
        assert len(server.log) == 1

    def test_no_thread_is_left_behind(self, server):
        server.answers(fake.hang(after="Once"))
        self.stop(server)
        until = time.monotonic() + 20
        while _reading() and time.monotonic() < until:
            time.sleep(0.02)
        assert _reading() == []


def _reading():
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("model answer")]


class TestLocalOnly:
    def test_another_host_is_not_even_looked_up(self):
        model = opened(None, base_url="http://localhost.evil.com/v1")
        with pytest.raises(LocalOnlyError, match=r"localhost\.evil\.com"):
            complete(model)

    def test_a_name_that_stands_for_another_machine_gets_nothing(self, server, monkeypatch):
        # "localhost" resolved to another address: the connection is made, its peer is not loopback
        from httpcore2._backends.sync import SyncStream

        genuine = SyncStream.get_extra_info
        monkeypatch.setattr(
            SyncStream,
            "get_extra_info",
            lambda stream, info: ("192.0.2.1", 80) if info == "server_addr" else genuine(stream, info),
        )
        with pytest.raises(LocalOnlyError):
            complete(opened(server))
        assert server.log == []

    def test_no_proxy_stands_between_this_machine_and_itself(self, server, monkeypatch):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, "http://127.0.0.1:9")
        complete(opened(server, local_only=False))
        assert len(server.log) == 1


class TestKeys:
    def test_a_missing_key_names_its_variable(self, server):
        settings = Settings(data_dir=Path("unused"), database_url="", secrets={"SCRIPTED_KEY": " "})
        with pytest.raises(MissingKeyError, match="SCRIPTED_KEY"):
            OPENAI_COMPATIBLE.open(opened(server).spec, settings)

    @pytest.mark.parametrize("key", ["sk-1\nX-Evil: 1", "clé", "two words"])
    def test_a_key_that_is_none_is_refused_without_showing_it(self, server, key):
        with pytest.raises(MissingKeyError) as caught:
            opened(server, key=key)
        assert key not in str(caught.value)

    def test_it_is_in_no_log_and_no_error(self, server, caplog):
        caplog.set_level(logging.DEBUG)
        answers = [fake.status(code, f"echo {KEY}") for code in (400, 401, 404, 429, 500)]
        for answer in [*answers, fake.text("Hi."), fake.drop(), fake.page()]:
            server.answers(answer)
            try:
                complete(opened(server, retries=0))
            except ProviderError as error:
                seen = [error]
                while seen[-1].__cause__ or seen[-1].__context__:
                    seen.append(seen[-1].__cause__ or seen[-1].__context__)
                assert KEY not in repr([(str(one), one.args) for one in seen])
        assert KEY not in caplog.text
