"""Asking for an object: what is read, what is said back. Expected values are written by hand."""

import threading
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counsel_core.errors import AgentReplyError, ProviderUnavailableError, ReplyFormatError
from counsel_core.llm._base import A_TRY, Caller
from counsel_core.llm.answer_objects import find_objects
from counsel_core.llm.fitting import fit
from counsel_core.llm.guided import SPEC
from counsel_core.llm.loose_json import UnreadableError, read_value
from counsel_core.llm.structured import MAX_TOKENS, ask, read_object
from counsel_core.records import Completion, Message, ModelRequest, Task

SCHEMA = {
    "type": "object",
    "properties": {
        "type": {"type": ["string", "null"], "enum": ["Labeling", "Mind Reading", None]},
        "severity": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
        "notes": {"type": "array", "items": {"type": "string"}},
        "example": {"type": "string", "minLength": 1},
    },
    "required": ["type", "severity"],
    "additionalProperties": False,
}
REQUEST = ModelRequest(
    Task("detect"), (Message("user", ("Is it so?",)),), None, schema=SCHEMA, max_tokens=100
)


def completion(text, finish="stop"):
    return Completion(text=text, seconds=0.1, finish=finish)


class ScriptedModel:
    """Answers in turn; keeps what it was asked."""

    spec = replace(SPEC, label="Scripted")

    def __init__(self, *answers):
        self.answers, self.requests = list(answers), []

    def complete(self, request, cancel):
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Completion) else completion(answer)


def asked(*answers, request=REQUEST, tries=3):
    model, calls = ScriptedModel(*answers), []
    value = ask(Caller(model, calls.append), request, lambda done: read_object(done, SCHEMA), tries)
    return value, model, calls


GOOD = '{"type": "Labeling", "severity": 3}'


class TestReadObject:
    def test_a_plain_object_needs_no_repairs(self):
        assert read_object(completion(GOOD), SCHEMA) == ({"type": "Labeling", "severity": 3}, ())

    @pytest.mark.parametrize(
        ("text", "value", "repair"),
        [
            ('{"type": "labeling", "severity": 3}', {"type": "Labeling", "severity": 3}, "type: 'labeling'"),
            (
                '{"type": "mind-reading", "severity": 2}',
                {"type": "Mind Reading", "severity": 2},
                "Mind Reading",
            ),
            ('{"Type": "Labeling", "Severity": "4"}', {"type": "Labeling", "severity": 4}, "'Severity'"),
            (
                '{"type": "Labeling", "severity": 4.0}',
                {"type": "Labeling", "severity": 4},
                "4.0 was read as 4",
            ),
            (
                '{"type": "None", "severity": "null"}',
                {"type": None, "severity": None},
                "'None' was read as None",
            ),
            ("{'type': None, 'severity': None}", {"type": None, "severity": None}, "Python"),
            (
                '{"result": {"type": "Labeling", "severity": 1}}',
                {"type": "Labeling", "severity": 1},
                "'result'",
            ),
            (GOOD[:-1] + ', "mood": "x"}', {"type": "Labeling", "severity": 3}, "'mood'"),
            (f"Sure! {GOOD} Done.", {"type": "Labeling", "severity": 3}, "Text around"),
            (
                '{"type": null, "severity": null, "notes": [1, "b"]}',
                {"type": None, "severity": None, "notes": ["1", "b"]},
                "1 was read as '1'",
            ),
        ],
    )
    def test_notation_is_repaired_and_noted(self, text, value, repair):
        found, repairs = read_object(completion(text), SCHEMA)
        assert found == value
        assert any(repair in one for one in repairs)

    @pytest.mark.parametrize(
        ("text", "told", "told_in_chinese"),
        [
            ('{"type": "Labeling"}', "missing: severity", "缺少：severity"),
            (
                '{"type": "Gloom", "severity": 3}',
                "type is 'Gloom'; it has to be one of: Labeling",
                "必须是下列之一",
            ),
            (
                '{"type": "Labeling", "severity": "high"}',
                "severity is 'high'; it has to be of type",
                "类型必须是",
            ),
            (
                '{"type": "Labeling", "severity": 9}',
                "severity: 9 is greater than the maximum of 5",
                "不符合要求",
            ),
            ('{"type": null, "severity": 1, "example": ""}', "example", "不符合要求"),
            ('{"type": null, "severity": 1, "notes": "x"}', "notes is 'x'", "类型必须是"),
            (f"[{GOOD}]", "array", "数组"),
            ('{"type": "Labeling", "severity": 3, "example": "I am', "cut off", "中断"),
            ("No distortion.", "no readable JSON object", "没有可以读取的JSON对象"),
            ("", "empty", "空的"),
            ("<html>500</html>", "HTML page", "HTML页面"),
        ],
    )
    def test_what_does_not_fit_is_told(self, text, told, told_in_chinese):
        with pytest.raises(ReplyFormatError, match=told) as caught:
            read_object(completion(text), SCHEMA)
        assert told_in_chinese in caught.value.chinese

    def test_the_last_object_that_fits_wins(self):
        text = f'{{"type": "..."}} {GOOD} then {{"type": "Mind Reading", "severity": 1}} or {{"severity": 2}}'
        assert read_object(completion(text), SCHEMA)[0] == {"type": "Mind Reading", "severity": 1}

    def test_an_object_cut_by_the_limit_is_refused_a_whole_one_is_not(self):
        assert read_object(completion(f"{GOOD} and further", "length"), SCHEMA)[0]["severity"] == 3
        for text in (GOOD[:-1], "First I will think about", ""):
            with pytest.raises(ReplyFormatError, match="at the limit of its length"):
                read_object(completion(text, "length"), SCHEMA)


class TestAsk:
    def test_a_good_answer_is_asked_for_once(self):
        value, model, calls = asked(GOOD)
        assert value == {"type": "Labeling", "severity": 3}
        assert model.requests == [REQUEST]
        assert [(call.text, call.error, call.repairs) for call in calls] == [(GOOD, None, ())]

    def test_a_wrong_answer_is_shown_with_what_was_wrong(self):
        value, model, calls = asked('{"type": "Gloom", "severity": 3}', GOOD)
        assert value["severity"] == 3
        said, correction = model.requests[1].messages[-2:]
        assert (said.role, said.content) == ("assistant", '{"type": "Gloom", "severity": 3}')
        assert correction.role == "user"
        assert "type is 'Gloom'; it has to be one of: Labeling, Mind Reading" in correction.content
        assert model.requests[1].messages[:-2] == REQUEST.messages
        assert model.requests[1].schema == SCHEMA
        assert [bool(call.error) for call in calls] == [True, False]

    def test_each_try_shows_the_last_answer_only(self):
        _, model, _ = asked("first", "second", GOOD)
        assert [message.content for message in model.requests[2].messages[:2]] == ["Is it so?", "second"]
        assert len(model.requests[2].messages) == 3

    def test_an_answer_that_comes_again_is_not_shown_again(self):
        _, model, _ = asked("same", "same", GOOD)
        (only,) = model.requests[2].messages
        assert only.role == "user"
        assert only.parts[0] == "Is it so?"
        assert "no readable JSON object" in only.parts[1]
        assert "same" not in only.content

    def test_in_chinese_it_is_told_in_chinese(self):
        _, model, _ = asked("没有", GOOD, request=replace(REQUEST, language="zh"))
        correction = model.requests[1].messages[-1].content
        assert "没有可以读取的JSON对象" in correction
        assert not any("a" <= character <= "z" for character in correction.lower().replace("json", ""))

    def test_an_empty_answer_leaves_no_empty_message(self):
        _, model, _ = asked(" ", GOOD)
        assert all(message.content.strip() for message in model.requests[1].messages)

    def test_after_a_cut_it_may_write_twice_as_much(self):
        cut = completion('{"type": "Lab', "length")
        _, model, _ = asked(cut, cut, GOOD)
        assert [request.max_tokens for request in model.requests] == [100, 200, 400]
        assert model.requests[1].messages[-1].content.endswith("Write less this time.")
        _, model, _ = asked(cut, GOOD, request=replace(REQUEST, max_tokens=MAX_TOKENS))
        assert model.requests[1].max_tokens == MAX_TOKENS

    def test_without_a_word_of_ours_only_the_room_changes(self):
        model = ScriptedModel(completion("", "length"), GOOD)
        caller = Caller(model, lambda call: None)
        ask(caller, REQUEST, lambda done: read_object(done, SCHEMA), say_why=False)
        # `repeat` tells a model that remembers its answers that the same words are asked anew.
        assert model.requests == [REQUEST, replace(REQUEST, max_tokens=200, repeat=A_TRY)]

    def test_after_the_last_try_the_raw_answer_is_kept(self):
        with pytest.raises(AgentReplyError) as caught:
            asked("one", "two", "three")
        assert caught.value.raw == "three"
        assert "Scripted gave no usable answer in 3 tries" in str(caught.value)
        assert "no readable JSON object" in str(caught.value)

    def test_other_errors_are_not_asked_again(self):
        with pytest.raises(ProviderUnavailableError):
            asked(ProviderUnavailableError("gone"), GOOD)

    def test_a_long_wrong_answer_is_shortened_for_the_next_try(self):
        _, model, _ = asked("x" * 50_000, GOOD)
        assert len(model.requests[1].messages[1].content) == 6_000

    def test_zero_tries_are_a_programmers_error(self):
        with pytest.raises(ValueError, match="at least once"):
            asked(tries=0)


class TestFindObjects:
    @pytest.mark.parametrize(
        ("text", "values"),
        [
            ("", []),
            ("{}", [{}]),
            ('{"a": {"b": 1}} {"c": 2}', [{"a": {"b": 1}}, {"c": 2}]),
            ('"{\\"a\\": 1}"', [{"a": 1}]),
            ('[{"a": 1}]', [[{"a": 1}]]),
            ('{x} {"a": 1}', [{"a": 1}]),
            ('<think>{"a": 1}</think>{"b": 2}', [{"b": 2}]),
            ('<THINKING>{"a": 1}', []),
            ('{"a": "</think>"} {"b": 2}', [{"a": "</think>"}, {"b": 2}]),
        ],
    )
    def test_in_their_order(self, text, values):
        assert [found.value for found in find_objects(text)] == values

    @settings(deadline=None)
    @given(st.text())
    def test_it_never_fails(self, text):
        assert all(isinstance(found.value, dict | list) for found in find_objects(text))


class TestReadValue:
    def test_where_it_ends(self):
        assert read_value('{"a": 1} tail', 0).end == 8
        assert read_value("x {a: 1,} tail", 2).end == 9

    @pytest.mark.parametrize("text", ["{a}", "{...}", "{1: 2}", '{"a": b}', "{" * 100, "[" * 100])
    def test_what_is_no_json_at_all(self, text):
        with pytest.raises(UnreadableError):
            read_value(text, 0)

    @pytest.mark.parametrize(
        ("text", "repair"),
        [
            ('{"a": 1,}', "Python notation was read as JSON."),
            ('{"a": null,}', "A comma too many was removed."),
            ('{"a": null,, "b": 1}', "A comma too many was removed."),
            ('{"a": null "b": 1}', "A missing comma was added."),
            ('{"a": null /* x */}', "A comment was removed."),
            ('{"a": +1}', "Python notation was read as JSON."),
            ('{"a": [null, +1]}', "A number in another notation was read as one."),
            ('{a: null}', "Keys without quotes were quoted."),
            ('{"a": TRUE}', "Literals of another language were read as JSON."),
            ('{"a": , "b": 1}', "A missing value was read as null."),
            ('{“a”: null}', "Quotation marks were replaced by JSON's."),
            ('｛"a"： null｝', "Full-width or other punctuation was replaced by JSON's."),
            ('{"a": null]', "A bracket of the wrong kind was replaced."),
            ('{"a": [1, 2', "Missing closing brackets were added."),
            ('{"a": "b\tc"}', "Raw line breaks or tabs in a text were kept."),
            ('{"a": "b "c" d", "e": null}', "Unescaped quotation marks in a text were kept."),
        ],
    )  # fmt: skip
    def test_every_repair_is_a_sentence(self, text, repair):
        assert read_value(text, 0).repairs == (repair,)


def test_fitting_changes_nothing_that_fits():
    value = {"type": None, "severity": 5, "notes": ["a"], "example": "I'm “fine”"}
    assert fit(value, SCHEMA) == (value, ())


def test_a_stopped_caller_asks_nothing():
    from counsel_core.errors import StoppedError

    model, cancel = ScriptedModel(GOOD), threading.Event()
    cancel.set()
    with pytest.raises(StoppedError):
        ask(Caller(model, cancel=cancel), REQUEST, lambda done: read_object(done, SCHEMA))
    assert model.requests == []
