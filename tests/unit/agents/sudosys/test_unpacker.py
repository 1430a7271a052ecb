"""What models really write, and what has to come of it. Every expected value is written by hand."""

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counsel_core.agents.sudosys.unpacker import unpack
from counsel_core.errors import ReplyFormatError
from counsel_core.llm.structured import MAX_CHARACTERS

KEYS = ("problems", "feelings")


def written(name, raw, reply, status=0, **topics):
    return pytest.param(raw, topics, status, reply, id=name)


READ = [
    written(
        "a sentence in the template's brackets",
        '{"topics": {}, "status": 0, "reply": "<It\'s hard. What would help?>"}',
        "It's hard. What would help?",
    ),
    written(
        "a closing bracket missing in the middle",
        '{"topics": {"problems": "rent", "status": 1, "reply": "Go on."}',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "a closing bracket too many in the middle",
        '{"topics": {"problems": "rent"}}, "status": 1, "reply": "Go on."}',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "closing brackets too many at the end",
        '{"topics": {"problems": "rent"}, "status": 1, "reply": "Go on."}}}',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "a closing bracket of the wrong kind",
        '{"topics": {"problems": ["rent"}, "status": 1, "reply": "Go on."]',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "the opening bracket missing",
        '"topics": {"problems": "rent"}, "status": 1, "reply": "Go on."}',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "double brackets, as in a template language",
        '{{"topics": {"problems": "rent"}, "status": 1, "reply": "Go on."}}',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "every quotation mark escaped",
        '{\\"topics\\": {\\"problems\\": \\"rent\\"}, \\"status\\": 1, \\"reply\\": \\"Go on.\\"}',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "a list with its comma forgotten",
        '{"topics": {"problems": ["rent" "sleep"]}, "status": 1, "reply": "Go on."}',
        "Go on.",
        status=1,
        problems="rent; sleep",
    ),
    written(
        "an answer, then the beginning of another",
        '{"topics": {"problems": "rent"}, "status": 1, "reply": "Go on."}\n{"topics": {"problems": "cu',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "the same quotation mark at both ends, from another keyboard",
        "{“topics“: {“problems“: “rent“}, “status“: 1, “reply“: “Go on.“}",
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "strict JSON",
        '{"topics": {"problems": "rent", "feelings": "tired"}, "status": 1, "reply": "I see."}',
        "I see.",
        status=1,
        problems="rent",
        feelings="tired",
    ),
    written(
        "pretty-printed, reason given",
        (
            '{\n  "topics": {\n    "problems": "rent"\n  },\n  "status": 0,\n'
            '  "reason": "more to hear",\n  "reply": "Go on."\n}\n'
        ),
        "Go on.",
        problems="rent",
    ),
    written(
        "json fence",
        '```json\n{"topics": {"problems": "rent"}, "status": 0, "reply": "Go on."}\n```',
        "Go on.",
        problems="rent",
    ),
    written(
        "plain fence and prose around",
        (
            'Here is the answer:\n\n```\n{"topics": {}, "status": -1, "reply": "Back then."}\n'
            "```\nHope it helps {x}!"
        ),
        "Back then.",
        status=-1,
    ),
    written(
        "prose with braces and quotes before",
        (
            'The client said "it\'s {hard}". {"topics": {"feelings": "sad"}, "status": 0, '
            '"reply": "That is hard."}'
        ),
        "That is hard.",
        feelings="sad",
    ),
    written(
        "Python literal with apostrophes",
        "{'topics': {'problems': \"can't pay\"}, 'status': 0, 'reply': 'It isn\\'t easy.'}",
        "It isn't easy.",
        problems="can't pay",
    ),
    written(
        "Python literal with None, True and a trailing comma",
        ("{'topics': {'problems': None, 'feelings': 'low',}, 'status': 1, 'done': True, 'reply': 'Yes.',}"),
        "Yes.",
        status=1,
        feelings="low",
    ),
    written(
        "Python quotes, JSON null: neither language",
        "{'topics': {'problems': null}, 'status': +1, 'reply': 'Yes.'}",
        "Yes.",
        status=1,
    ),
    written(
        "single quotes, unescaped apostrophes",
        (
            "{'topics': {'problems': 'I can't sleep'}, 'status': 0, "
            "'reply': 'You can't sleep, and it's hard.'}"
        ),
        "You can't sleep, and it's hard.",
        problems="I can't sleep",
    ),
    written(
        "apostrophes in strict JSON",
        ('{"topics": {"problems": "can\'t won\'t"}, "status": 0, "reply": "Don\'t worry, it\'s \'fine\'."}'),
        "Don't worry, it's 'fine'.",
        problems="can't won't",
    ),
    written(
        "trailing commas",
        '{"topics": {"problems": "rent",}, "status": 0, "reply": "Go on.",}',
        "Go on.",
        problems="rent",
    ),
    written(
        "line comments",
        (
            '{\n"topics": {"problems": "rent"}, // updated\n"status": 0, # stay\n'
            '"reply": "See http://a.org/#x"\n}'
        ),
        "See http://a.org/#x",
        problems="rent",
    ),
    written(
        "block comment",
        '{"topics": {/* none yet */}, "status": 0, "reply": "A /* b */ c"}',
        "A /* b */ c",
    ),
    written(
        "smart quotes in the structure",
        "{“topics”: {“problems”: “rent”}, “status”: 0, “reply”: “It’s hard.”}",
        "It’s hard.",
        problems="rent",
    ),
    written(
        "smart quotes in the structure and in the text",
        "{“topics”: {}, “status”: 0, “reply”: “You said “never again”, and meant it.”}",
        "You said “never again”, and meant it.",
    ),
    written(
        "smart quotes in the text only",
        '{"topics": {}, "status": 0, "reply": "You said “no”， and “yes”."}',
        "You said “no”， and “yes”.",
    ),
    written(
        "full-width structure, Chinese text",
        "｛“topics”：｛“problems”：“房租，还有：睡眠”｝，“status”：＋１，“reply”：“好的，我们慢慢来。”｝",
        "好的，我们慢慢来。",
        status=1,
        problems="房租，还有：睡眠",
    ),
    written(
        "corner brackets as quotes",
        "{「topics」：{「problems」：「房租」}，「status」：0，「reply」：「我在听。」}",
        "我在听。",
        problems="房租",
    ),
    written(
        "Chinese text keeps its quotation marks",
        '{"topics": {"problems": "妹妹说“别来”"}, "status": 0, "reply": "她说“别来”，你很难过，对吗？"}',
        "她说“别来”，你很难过，对吗？",
        problems="妹妹说“别来”",
    ),
    written("escaped Chinese", '{"topics": {}, "status": 0, "reply": "\\u597d\\u7684"}', "好的"),
    written(
        "think-block with a draft",
        (
            '<think>Maybe {"topics": {}, "status": 1, "reply": "draft"}?</think>\n'
            '{"topics": {}, "status": 0, "reply": "final"}'
        ),
        "final",
    ),
    written(
        "think-block whose opening tag was swallowed",
        ('The client is sad. {"reply": "draft"}\n</think>\n\n{"topics": {}, "status": 0, "reply": "final"}'),
        "final",
    ),
    written(
        "a closing think tag inside the text",
        '{"topics": {}, "status": 0, "reply": "</think> {"}',
        "</think> {",
    ),
    written(
        "template echoed first, with ellipses",
        (
            '{"topics": {"problems": "...", "feelings": "..."}, "status": 0, "reply": "..."}\n'
            '\n{"topics": {"problems": "rent"}, "status": 1, "reply": "Let us go on."}'
        ),
        "Let us go on.",
        status=1,
        problems="rent",
    ),
    written(
        "template echoed first, unreadable",
        (
            '{"topics": {...}, "status": -1 | 0 | 1, "reply": "<your reply>"}\n'
            'Answer: {"topics": {"problems": "rent"}, "status": 1, "reply": "Let us go on."}'
        ),
        "Let us go on.",
        status=1,
        problems="rent",
    ),
    written(
        "template echoed last",
        (
            '{"topics": {"problems": "rent"}, "status": 1, "reply": "Let us go on."}\n'
            'The form was: {"topics": {"problems": "<text>"}, "status": 0, '
            '"reply": "<your reply to the client>"}'
        ),
        "Let us go on.",
        status=1,
        problems="rent",
    ),
    written(
        "empty template last",
        (
            '{"topics": {"problems": "rent"}, "status": 1, "reply": "Let us go on."}'
            '{"topics": {"problems": "", "feelings": ""}, "status": 0, "reply": ""}'
        ),
        "Let us go on.",
        status=1,
        problems="rent",
    ),
    written(
        "two answers: the last one",
        (
            '{"topics": {}, "status": 0, "reply": "first"}\n\nBetter:\n\n{"topics": {}, '
            '"status": 1, "reply": "second"}'
        ),
        "second",
        status=1,
    ),
    written(
        "raw line breaks in a text",
        '{"topics": {}, "status": 0, "reply": "First.\n\n\tSecond."}',
        "First.\n\n\tSecond.",
    ),
    written(
        "escaped line breaks and quotes",
        '{"topics": {}, "status": 0, "reply": "She said \\"no\\".\\nAnd {left}."}',
        'She said "no".\nAnd {left}.',
    ),
    written(
        "unescaped quotes in a text",
        (
            '{"topics": {"problems": "my "friend" left"}, "status": 0, '
            '"reply": "You said "fine", but it hurt."}'
        ),
        'You said "fine", but it hurt.',
        problems='my "friend" left',
    ),
    written(
        "missing closing bracket",
        '{"topics": {"problems": "rent"}, "status": 0, "reply": "Go on."',
        "Go on.",
        problems="rent",
    ),
    written(
        "missing closing bracket in a fence",
        '```json\n{"reply": "Go on.", "status": 0, "topics": {"problems": "rent"\n```',
        "Go on.",
        problems="rent",
    ),
    written(
        "missing comma between lines",
        '{"topics": {"problems": "rent"}\n"status": 1\n"reply": "Go on."}',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "keys without quotes",
        '{topics: {problems: "rent"}, status: 0, reply: "Well, then: go on."}',
        "Well, then: go on.",
        problems="rent",
    ),
    written(
        "list values",
        '{"topics": {"problems": ["rent", "sleep, bad", "sister"]}, "status": 0, "reply": "Go on."}',
        "Go on.",
        problems="rent; sleep, bad; sister",
    ),
    written(
        "numbers and truth values",
        '{"topics": {"problems": 1200, "feelings": false}, "status": 0, "reply": "Go on."}',
        "Go on.",
        problems="1200",
        feelings="false",
    ),
    written(
        "a nested value",
        '{"topics": {"problems": {"main": "rent", "other": "sleep"}}, "status": 0, "reply": "Go on."}',
        "Go on.",
        problems="main: rent; other: sleep",
    ),
    written(
        "keys in other case",
        '{"Topics": {"PROBLEMS": "rent", "Feelings ": "low"}, "STATUS": 1, "Reply": "Go on."}',
        "Go on.",
        status=1,
        problems="rent",
        feelings="low",
    ),
    written(
        "unknown keys",
        ('{"topics": {"weather": "rain", "problems": "rent"}, "status": 0, "mood": "x", "reply": "Go on."}'),
        "Go on.",
        problems="rent",
    ),
    written(
        "null is missing, empty prunes",
        '{"topics": {"problems": null, "feelings": ""}, "status": 0, "reply": "Go on."}',
        "Go on.",
        feelings="",
    ),
    written(
        "topics beside the reply",
        '{"problems": "rent", "status": 0, "reply": "Go on."}',
        "Go on.",
        problems="rent",
    ),
    written("topics null", '{"topics": null, "status": 0, "reply": "Go on."}', "Go on."),
    written(
        "wrapped in another key",
        '{"response": {"topics": {"problems": "rent"}, "status": 1, "reply": "Go on."}}',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "JSON written as a JSON text",
        '"{\\"topics\\": {\\"problems\\": \\"rent\\"}, \\"status\\": 1, \\"reply\\": \\"Go on.\\"}"',
        "Go on.",
        status=1,
        problems="rent",
    ),
    written(
        "byte order mark and blanks",
        '\ufeff  \n{"topics": {}, "status": 0, "reply": "Go on."}  ',
        "Go on.",
    ),
    written(
        "a note in square brackets before",
        '[Note] {"topics": {}, "status": 0, "reply": "Go on."} [end]',
        "Go on.",
    ),
    written(
        "surrogate pair escaped",
        '{"topics": {}, "status": 0, "reply": "Good \\ud83d\\ude42"}',
        "Good 🙂",
    ),
    written("lone surrogate", '{"topics": {}, "status": 0, "reply": "Good \\ud83d!"}', "Good \ufffd!"),
    written(
        "JSON markup and HTML in the reply survive",
        '{"topics": {}, "status": 0, "reply": "<b>[x](y)</b> \\\\d {\\"reply\\": 1}"}',
        '<b>[x](y)</b> \\d {"reply": 1}',
    ),
    written(
        "bad escape",
        '{"topics": {}, "status": 0, "reply": "100\\% and it\\\'s \\d"}',
        "100\\% and it's \\d",
    ),
    written(
        "channel marks of a reasoning model",
        (
            "<|channel|>analysis<|message|>We need JSON.<|end|><|start|>assistant<|channel|"
            '>final<|message|>{"topics": {}, "status": 0, "reply": "Go on."}'
        ),
        "Go on.",
    ),
    written(
        "triple quotes",
        '{"topics": {}, "status": 0, "reply": """He said "no", twice.""", }',
        'He said "no", twice.',
    ),
    written(
        "a broken choice that only json_repair mends",
        '{"topics": {"problems": "rent"}, "status": , "reply" "Go on."}',
        "Go on.",
        problems="rent",
    ),
]


@pytest.mark.parametrize(("raw", "topics", "status", "reply"), READ)
def test_reads_what_models_write(raw, topics, status, reply):
    unpacked = unpack(raw, KEYS)
    assert (unpacked.topics, unpacked.status, unpacked.reply) == (topics, status, reply)


REFUSED = [
    ("nothing", "", "empty"),
    ("blanks", " \n\t", "empty"),
    ("prose", "I am sorry to hear that. How long has it been so?", "no readable JSON"),
    ("a list of texts", '["a", "b"]', "array"),
    ("a list with the answer in it", '[{"topics": {}, "status": 0, "reply": "Go on."}]', "array"),
    ("a list in a fence", '```json\n[{"topics": {}, "status": 0, "reply": "Go on."}]\n```', "array"),
    ("a number", "42", "no readable JSON"),
    ("null", "null", "no readable JSON"),
    ("empty object", "{}", '"reply" is missing'),
    ("no reply", '{"topics": {"problems": "rent"}, "status": 1}', '"reply" is missing'),
    ("null reply", '{"topics": {}, "status": 1, "reply": null}', '"reply" is missing'),
    ("empty reply", '{"topics": {}, "status": 1, "reply": ""}', '"reply" is empty'),
    ("blank reply", '{"topics": {}, "status": 1, "reply": " \\n\\u3000"}', '"reply" is empty'),
    ("dots for a reply", '{"topics": {}, "status": 1, "reply": "..."}', '"reply" is empty'),
    ("template for a reply", '{"topics": {}, "status": 1, "reply": "[your reply]"}', "template"),
    ("dotted template for a reply", '{"topics": {}, "status": 1, "reply": "<your reply...>"}', "template"),
    ("Chinese template for a reply", '{"topics": {}, "status": 1, "reply": "【你的回复】"}', "template"),
    ("a type for a reply", '{"topics": {}, "status": 1, "reply": "string"}', "template"),
    ("object for a reply", '{"topics": {}, "status": 1, "reply": {"text": "Go on."}}', "has to be a text"),
    ("number for a reply", '{"topics": {}, "status": 1, "reply": 5}', "has to be a text"),
    ("text for topics", '{"topics": "rent", "status": 1, "reply": "Go on."}', "has to be an object"),
    ("reply cut", '{"topics": {"problems": "rent"}, "status": 0, "reply": "It sounds as', "cut off"),
    ("reply cut, with a closer", '{"topics": {}, "status": 0, "reply": "It sounds}', "cut off"),
    ("reply cut in a fence", '```json\n{"topics": {}, "status": 0, "reply": "It sounds\n```', "cut off"),
    ("reply cut after an escape", '{"topics": {}, "status": 0, "reply": "She said \\"no\\"', "cut off"),
    ("topic cut", '{"reply": "Go on.", "status": 0, "topics": {"problems": "the re', "cut off"),
    ("cut at a key", '{"topics": {"problems": "rent"}, "stat', "cut off"),
    ("Python literal cut", "{'topics': {}, 'status': 0, 'reply': 'It sounds", "cut off"),
    ("smart quotes cut", "{“topics”：{}，“status”：0，“reply”：“听起来", "cut off"),
    ("cut after a template", '{"topics": {}, "reply": "..."} {"topics": {}, "reply": "It', "cut off"),
    ("cut with an object inside", '{"topics": {}, "reply": "say {\'reply\': \'x\'} and', "cut off"),
    ("thinking that never ends", '<think>Maybe {"topics": {}, "reply": "draft"}', "no readable JSON"),
    ("HTML error page", "<!DOCTYPE html>\n<html><body>502 {\"reply\": \"x\"}</body></html>", "HTML page"),
    ("XML page", '<?xml version="1.0"?><html></html>', "HTML page"),
    ("error object", '{"error": {"message": "overloaded", "code": 503}}', '"reply" is missing'),
    ("refusal", "I can't help with that.", "no readable JSON"),
    ("only a fence", "```json\n```", "no readable JSON"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "reason"), [c[1:] for c in REFUSED], ids=[c[0] for c in REFUSED])
def test_refuses_what_is_no_answer(raw, reason):
    with pytest.raises(ReplyFormatError, match=reason) as caught:
        unpack(raw, KEYS)
    assert caught.value.chinese  # a model asked in Chinese is told in Chinese


@pytest.mark.parametrize(
    ("written", "status"),
    [
        ("1", 1), ("-1", -1), ("0", 0), ("1.0", 1), ("-1.0", -1), ('"1"', 1), ('"+1"', 1), ('"-1"', -1),
        ('" 1 "', 1), ('"−1"', -1), ("2", 0), ("-2", 0), ("0.5", 0), ('"next"', 0), ("null", 0), ("true", 0),
        ("[1]", 0), ('"1 or 0"', 0), ("11", 0),
    ],
)  # fmt: skip
def test_status_is_one_of_three(written, status):
    assert unpack(f'{{"topics": {{}}, "status": {written}, "reply": "Go on."}}', KEYS).status == status


def test_a_status_that_is_none_is_noted():
    repairs = unpack('{"topics": {}, "status": "onwards", "reply": "Go on."}', KEYS).repairs
    assert repairs == ("The status 'onwards' is none of -1, 0 and 1; it counts as 0.",)


def test_strict_json_needs_no_repairs():
    raw = '{"topics": {"problems": "rent", "feelings": "low"}, "status": 0, "reply": "Go on.", "reason": "r"}'
    unpacked = unpack(raw, KEYS)
    assert (unpacked.repairs, unpacked.missing, unpacked.dropped, unpacked.pruned) == ((), (), (), ())
    assert unpacked.reason == "r"


def test_repairs_are_sentences():
    unpacked = unpack(
        "Sure: {'topics': {'Mood': 'x', 'PROBLEMS': ['a']}, 'status': '1', 'reply': 'Yes.'}", KEYS
    )
    assert unpacked.repairs == (
        "Text around the JSON was left out.",
        "Python notation was read as JSON.",
        "The status '1' was read as a number.",
        "The unknown topic 'Mood' was left out.",
        "The topic 'PROBLEMS' was read as 'problems'.",
        "The value of 'problems' was made a text.",
    )
    assert unpacked.dropped == ("Mood",)
    assert unpacked.missing == ("feelings",)


def test_missing_and_pruned_are_told_apart():
    unpacked = unpack('{"topics": {"problems": null, "feelings": " "}, "status": 0, "reply": "Go on."}', KEYS)
    assert (unpacked.missing, unpacked.pruned) == (("problems",), ("feelings",))


def test_a_placeholder_never_overwrites_a_topic():
    raw = '{"topics": {"problems": "<what it is>", "feelings": "..."}, "status": 0, "reply": "Go on."}'
    assert unpack(raw, KEYS).topics == {}


def test_the_instructions_own_example_is_no_answer():
    raw = '{"topics": {}, "status": 0, "reply": "What you say to the client."}'
    with pytest.raises(ReplyFormatError, match="template"):
        unpack(raw, KEYS, echoes=["What you say to the client."])
    raw = '{"topics": {"problems": "what troubles the client"}, "status": 0, "reply": "Go on."}'
    assert unpack(raw, KEYS, echoes=["what troubles the client"]).topics == {}


class TestLimitReached:
    def test_a_whole_object_before_the_limit_is_read(self):
        raw = '{"topics": {}, "status": 0, "reply": "Go on."} And now I will explain why'
        assert unpack(raw, KEYS, finish="length").reply == "Go on."

    @pytest.mark.parametrize(
        "raw", ['{"topics": {}, "status": 0, "reply": "Go on."', "Let me first explain", '{"topics": {"a']
    )
    def test_an_object_without_its_end_is_refused(self, raw):
        with pytest.raises(ReplyFormatError, match="at the limit of its length"):
            unpack(raw, KEYS, finish="length")


# A word first, so that the text is neither empty nor a template's blank.
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=80).map(lambda text: f"w{text}")
topics = st.dictionaries(st.sampled_from(KEYS), texts)
prose = st.sampled_from(
    ["", "Here it is: ", "```json\n", "Sure!\n\n```\n", "<think>{'a': 1} hm</think>", "[1] "]
)


@settings(deadline=None)
@given(topics, st.sampled_from([-1, 0, 1]), texts, st.sampled_from([None, 2, "\t"]), st.booleans(), prose)
def test_json_survives_to_the_character(values, status, reply, indent, ascii_only, before):
    answer = {"topics": values, "status": status, "reply": reply}
    raw = (
        before
        + json.dumps(answer, indent=indent, ensure_ascii=ascii_only)
        + ("\n```" if "`" in before else "")
    )
    unpacked = unpack(raw, KEYS)
    assert (unpacked.topics, unpacked.status, unpacked.reply) == (values, status, reply)


@settings(deadline=None)
@given(topics, texts)
def test_python_notation_survives_to_the_character(values, reply):
    unpacked = unpack(repr({"topics": values, "status": 0, "reply": reply}), KEYS)
    assert (unpacked.topics, unpacked.reply) == (values, reply)


sentences = st.text(st.sampled_from("abc '’.!?{}[]\n我好，。“”"), max_size=40).map(lambda text: f"w{text}w")


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(KEYS), sentences), sentences)
def test_loose_structure_leaves_the_words_alone(values, reply):
    # json.dumps, then a trailing comma, a comment and a plus sign: no strict reader takes it
    inner = ", ".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in values.items())
    said = json.dumps(reply, ensure_ascii=False)
    raw = f'{{"topics": {{{inner}}}, // so far\n"status": +1, "reply": {said},}}'
    unpacked = unpack(raw, KEYS)
    assert (unpacked.topics, unpacked.status, unpacked.reply) == (values, 1, reply)


@settings(deadline=None)
@given(topics, texts, st.data())
def test_a_cut_answer_is_never_accepted(values, reply, data):
    raw = json.dumps({"topics": values, "status": 0, "reply": reply})
    reply_starts = raw.index('"reply"')
    cut = raw[: data.draw(st.integers(reply_starts + len('"reply": "'), len(raw) - 3))]
    with pytest.raises(ReplyFormatError):
        unpack(cut, KEYS)


fragments = st.sampled_from(
    ["{", "}", "[", "]", '"', "'", "“", "”", ":", ",", "：", "，", "reply", "topics", "status", "1", "+",
     "\\", "\n", " ", "```", "//", "/*", "*/", "#", "null", "None", "<think>", "</think>",
     '"reply": "', '{"', '"""', "\\u", "(", "\x00"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.text(), st.lists(fragments, max_size=60).map("".join)), st.sampled_from(["stop", "length"])
)
def test_nothing_else_is_ever_raised(raw, finish):
    try:
        unpacked = unpack(raw, KEYS, finish=finish)
    except ReplyFormatError:
        return
    assert unpacked.reply.strip()
    assert set(unpacked.topics) <= set(KEYS)


@pytest.mark.parametrize(
    "unit",
    ["{", "[{", '{"', '{"a":', "{'a':{", '"', "\\", '{"a": "b" ', '{"a":1,', '{"a": "x", ', "<think>", "{a",
     "]}", " ", "}{", '{"reply": "', '{"a":"b"},', "//", "/*", "{{}", '{"a":[', "((", "{“a”：", "'''"],
)  # fmt: skip
def test_hostile_answers_take_bounded_time(unit):
    started = time.perf_counter()
    with pytest.raises(ReplyFormatError):
        unpack('{"a": ' + unit * (MAX_CHARACTERS // len(unit) - 10), KEYS)
    # Generous for a busy machine: each takes well under a second alone; a quadratic reader takes minutes.
    assert time.perf_counter() - started < 10


def test_ten_megabytes_are_refused_unread():
    raw = '{"topics": {}, "status": 0, "reply": "' + "a" * 10_000_000 + '"}'
    started = time.perf_counter()
    with pytest.raises(ReplyFormatError, match="10,000,040 characters; at most 200,000"):
        unpack(raw, KEYS)
    assert time.perf_counter() - started < 5


@pytest.mark.parametrize(
    "copy", ["<what is known, or empty>", "What is known, or empty", "‹what is known, or empty›."]
)
def test_a_topic_that_copies_the_placeholder_keeps_its_value(copy: str) -> None:
    # SmolLM2 wrote the second form behind a schema.
    raw = json.dumps({"topics": {"problems": copy}, "status": 0, "reply": "Tell me more."})
    found = unpack(raw, ["problems"], echoes=("<what is known, or empty>",))
    assert found.topics == {}
    assert found.missing == ("problems",)
