"""The two baselines: what a model gets to read, what of its answers is refused, and their guided rules."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from counsel_core.agents._base import Agent
from counsel_core.agents._full_history import chat_messages, reply_reader
from counsel_core.agents.plain import PLAIN
from counsel_core.agents.stage_unaware import STAGE_UNAWARE, role_prompt
from counsel_core.clients import load_clients
from counsel_core.errors import AgentReplyError, ReplyFormatError
from counsel_core.records import Completion, FinishReason, Message, Utterance
from tests.fakes_conversation import FakeModel
from tests.playing import play

both = pytest.mark.parametrize("agent", [PLAIN, STAGE_UNAWARE], ids=lambda agent: agent.name)


def completion(text: str, finish: FinishReason = "stop") -> Completion:
    return Completion(text, 0.0, finish)


@both
def test_the_whole_history_is_sent_every_time(agent: Agent) -> None:
    model = FakeModel(answer=lambda request: f"Reply {len(request.messages)}.")
    play(agent, ["One.", "Two.", "Three."], model=model)
    roles = [message.role for message in model.requests[-1].messages if message.role != "system"]
    assert roles == ["user", "assistant", "user", "assistant", "user"]
    assert agent.window({}) is None
    assert model.requests[-1].schema is None


def test_plain_sends_nothing_but_the_history() -> None:
    model = FakeModel(answer=lambda request: "Yes.")
    play(PLAIN, ["Hello."], model=model)
    assert model.requests[0].messages == (Message("user", ("Hello.",)),)


@pytest.mark.parametrize(("language", "word"), [("en", "counsellor"), ("zh", "咨询师")])
def test_stage_unaware_says_role_and_responsibilities_once(language: str, word: str) -> None:
    model = FakeModel(answer=lambda request: f"Reply {len(request.messages)}.")
    play(STAGE_UNAWARE, ["One.", "Two."], model=model, language=language)  # type: ignore[arg-type]
    roles = [message.role for message in model.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert word in model.requests[-1].messages[0].content


def test_the_role_names_no_stage_and_keeps_nobody_from_other_help() -> None:
    text = role_prompt("en").lower()
    assert "stage" not in text
    assert "step 1" not in text
    assert "keep nobody from other help" in text
    assert "emergency number" in text


def test_lines_of_one_side_in_a_row_become_one_message() -> None:
    transcript = [Utterance("client", "a"), Utterance("client", "b"), Utterance("counsellor", "c")]
    assert chat_messages(transcript, "role") == (
        Message("system", ("role",)),
        Message("user", ("a", "\n\n", "b")),
        Message("assistant", ("c",)),
    )


@pytest.mark.parametrize(
    ("raw", "expected", "notes"),
    [
        ("  I hear you. \n", "I hear you.", 0),
        ("<think>She is sad.</think>\nI hear you.", "I hear you.", 1),
        ("Counsellor: I hear you.", "I hear you.", 1),
        ("**Assistant:** I hear you.", "I hear you.", 1),
        ("咨询师：我听到了。", "我听到了。", 1),
        ("He said: Counsellor: no", "He said: Counsellor: no", 0),
    ],
)
def test_reads_what_models_write(raw: str, expected: str, notes: int) -> None:
    (text, repairs), noted = reply_reader([])(completion(raw))
    assert (text, len(repairs)) == (expected, notes)
    assert noted == repairs


@pytest.mark.parametrize(
    ("raw", "finish", "problem"),
    [
        ("", "stop", "empty"),
        ("  \n ", "stop", "empty"),
        ("...", "stop", "empty"),
        ("<think>only thoughts</think>", "stop", "empty"),
        ("<think>never ends", "stop", "empty"),
        ("Assistant:", "stop", "empty"),
        ("I hear that you", "length", "cut off"),
        ("<!DOCTYPE html><html>502</html>", "stop", "HTML"),
    ],
)
def test_refuses_what_is_no_reply(raw: str, finish: FinishReason, problem: str) -> None:
    with pytest.raises(ReplyFormatError, match=problem):
        reply_reader([])(completion(raw, finish))


def test_a_repetition_is_refused_once_and_then_noted() -> None:
    read = reply_reader(["I hear you."])
    with pytest.raises(ReplyFormatError, match="word for word"):
        read(completion("I hear you."))
    (text, repairs), _ = read(completion("I hear you."))
    assert text == "I hear you."
    assert "word for word" in repairs[0]


@both
def test_an_unusable_reply_is_asked_for_again_in_the_same_words(agent: Agent) -> None:
    raw = iter(["", "Yes."])
    model = FakeModel(answer=lambda request: next(raw))
    play(agent, ["Hello."], model=model)
    # The next try has a number of its own, which no model sees: an answer that was kept is not taken again.
    assert replace(model.requests[1], repeat=0) == model.requests[0]
    assert model.requests[1].repeat != 0


@both
def test_a_model_that_answers_nothing_fails_the_turn(agent: Agent) -> None:
    with pytest.raises(AgentReplyError, match="empty"):
        play(agent, ["Hello."], model=FakeModel(answer=lambda request: " "))


@both
@pytest.mark.parametrize("client", [name for name, c in load_clients().items() if c.agent == "sudosys"])
def test_guided_sessions_take_up_support_and_ask(agent: Agent, client: str) -> None:
    texts = play(agent, load_clients()[client].lines).texts
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert text.endswith("?")
        assert text.count("?") == 1
        assert 2 <= len(re.findall(r"[.!?](?:\s|$)", text)) <= 6
        assert not re.search(r"\b[Yy]ou (?:I|am|was|my)\b", text)


@both
@pytest.mark.parametrize("word", ["ok", "no", "I feel awful.", "What should I do?", "bye"])
def test_sixty_times_the_same_gives_sixty_guided_replies(agent: Agent, word: str) -> None:
    assert len(set(play(agent, [word] * 60).texts)) == 60


@both
def test_guided_rules_stay_with_danger(agent: Agent) -> None:
    text = play(agent, ["My rent went up.", "I want to die."]).texts[-1]
    assert re.search(r"safe|with you now|trust|out of reach|emergency", text)
