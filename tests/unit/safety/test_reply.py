"""The reply check: each rule finds its examples and leaves a counsellor's ordinary lines alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import DataFileError
from counsel_core.records import LANGUAGES, Finding
from counsel_core.safety.reply import ReplyRule, check_reply, load_reply_rules, read_reply_rules

RULES = [
    pytest.param(rule, id=f"{language}-{rule.name}")
    for language in LANGUAGES
    for rule in load_reply_rules(language)
]

ORDINARY = """
It sounds as if the rent has been weighing on you for weeks.
What would be one small step you could take before Friday?
I'm not able to diagnose, but a doctor could look at this with you.
Many people feel this way after a loss.
You said you have been feeling depressed since the move. What was the hardest part?
Would you be willing to tell your sister how you feel?
I hear how painful it was when your mother said that.
Please don't stop your medication without speaking to the person who prescribed it.
You don't have to go through this alone.
Let's look at the thought "I always fail" together.
You told me: “My brother is the clever one. My parents never praised me.” What was that like?
Could a friend or your GP support you with this plan?
You mentioned you've been diagnosed with ADHD; how does it show up at work?
If you think you might have depression, talking to a doctor is a good next step.
I am a computer program, so I can't call anyone, but you can.
Who could you contact tonight if the feeling gets stronger?
You could write down three options and weigh them.
Are you thinking about killing yourself?
Have you thought about how you would do it?
Could someone keep the pills for you?
Your doctor may suggest a different medication.
A therapist can help you work through this.
You might feel that nobody understands you.
It makes sense that you feel like a failure as a father after that evening.
你最近睡得怎么样？
听起来房租的事让你压力很大。
我不能做诊断，不过医生可以帮你看看。
很多人失去亲人之后都会这样。
你愿意把这些告诉姐姐吗？
你提到你被诊断为抑郁症，现在怎么样？
请不要擅自停药，先问问医生。
你不需要一个人面对这些。
你有没有想过自杀？
如果你觉得自己可能有抑郁症，可以找医生聊聊。
我是一个程序，不能替你打电话。
你说“我的妻子不理解我”，那一刻是什么感觉？
""".strip().splitlines()


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_finds_its_examples(rule: ReplyRule) -> None:
    for example in rule.examples:
        assert rule.name in {finding.rule for finding in check_reply(example)}, example


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_leaves_its_counterexamples_alone(rule: ReplyRule) -> None:
    for example in rule.counterexamples:
        assert check_reply(example) == (), example


@pytest.mark.parametrize("line", ORDINARY)
def test_ordinary_lines_of_a_counsellor_pass(line: str) -> None:
    assert check_reply(line) == ()


def test_both_languages_have_the_same_rules() -> None:
    english, chinese = ({rule.name for rule in load_reply_rules(language)} for language in LANGUAGES)
    assert english == chinese


def test_the_evidence_is_what_was_written_and_each_rule_is_named() -> None:
    reply = "I’m a real person. You   clearly have depression, and this stays between us."
    assert check_reply(reply) == (
        Finding("diagnosis", "You   clearly have depression"),
        Finding("secrecy", "this stays between us"),
        Finding("claims to be human", "I’m a real person"),
    )


def test_a_disguise_does_not_help() -> None:
    assert check_reply("You have d3pression.") != ()
    assert check_reply("You have depres\u200bsion.") != ()
    assert check_reply("ＹＯＵ ＨＡＶＥ ＤＥＰＲＥＳＳＩＯＮ") != ()


def test_words_in_quotation_marks_are_the_clients() -> None:
    assert check_reply('You said: "My wife left. I have been through this before."') == ()
    assert check_reply('You said "it hurts". My wife left me too.') != ()
    # What would harm is not excused by quotation marks.
    assert check_reply('As they say: "You should just kill yourself."') != ()


@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    for finding in check_reply(text):
        assert finding.rule
        assert finding.evidence in text


def test_a_wrong_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reply.toml"
    path.write_text('[[rule]]\nname = "a"\nfind = ["x"]\nunless = []\n', "utf-8")
    with pytest.raises(DataFileError, match="at least one line in 'unless'"):
        list(read_reply_rules(path))
