"""What the guided rules share: the tone of a line, kinds of questions, small talk, and taking up."""

from __future__ import annotations

import pytest

from counsel_core.agents._listening import is_small_talk, question_kind, take_up, tone_of
from counsel_core.agents._phrases import Said, ranked, said_in, shared
from counsel_core.agents._utterance import read_line
from counsel_core.language.embeddings import minilm


@pytest.mark.parametrize(
    ("text", "tone"),
    [
        ("I could ask him for more time", "plan"),
        ("I'll set a timer if I'm too tired", "plan"),
        ("I can stop shouting", "plan"),
        # What could happen to somebody is no plan, and is never congratulated on.
        ("I could lose the flat", "distress"),
        ("I'm going to lose my scholarship", "distress"),
        ("I tell myself I'll go out and then I don't", "distress"),
        ("I might lose my nerve", "doubt"),
        ("I don't think that's a good idea", "doubt"),
        ("I feel a bit lighter", "hopeful"),
        ("I feel lighter but I'm still afraid", "distress"),
        ("I'm not alone with it", "plain"),
        ("What I want is some peace", "wish"),
        ("The rent went up in spring", "plain"),
    ],
)
def test_tells_the_tone(text: str, tone: str) -> None:
    assert tone_of(text) == tone


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Are you human?", "human"),
        ("Should I leave him?", "advice"),
        ("Am I the only one who feels that way?", "normal"),
        ("Is what I write here private?", "privacy"),
        ("Do I have an anxiety disorder?", "diagnosis"),
        ("Who won the football match?", "off_topic"),
        ("Where were we?", "recall"),
        ("Zzyx qwv?", "other"),
    ],
)
def test_tells_kinds_of_questions(question: str, kind: str) -> None:
    assert question_kind(question, minilm()) == kind


def test_small_talk_is_what_has_nothing_to_do_with_the_session() -> None:
    assert is_small_talk(["Bitcoin is at a new high again."], [], minilm())
    assert not is_small_talk(
        ["Bitcoin is at a new high again."], ["I lost our savings with Bitcoin."], minilm()
    )
    assert not is_small_talk(["I used to play chess at the community centre."], [], minilm())
    assert not is_small_talk(["Friday."], [], minilm())


@pytest.mark.parametrize(
    ("line", "family"),
    [
        ("This is fucking bullshit and I have had enough of it", "anger"),
        ("My father died in May.", "heavy"),
        ("You are not listening", "complaint"),
        ("我睡不好觉。", "foreign"),
    ],
)
def test_some_lines_are_answered_and_never_said_back(line: str, family: str) -> None:
    assert take_up(read_line(line), (), Said(), turn=1) in shared("acknowledgement", family)


def test_a_long_telling_is_taken_up_by_one_felt_thread() -> None:
    line = read_line(
        "There is the garden, and the neighbours have a new fence, green of all things, "
        "and the bus stops earlier now, and I feel so lonely in the evenings, and the shop has closed, "
        "and my cousin moved away last year, to Spain, with a man who sells candles."
    )
    assert line.long
    taken_up = take_up(line, (), Said(), turn=1)
    assert "you feel so lonely in the evenings" in taken_up
    assert len(taken_up.split()) < 30


def test_the_phrase_said_least_recently_comes_first() -> None:
    said = said_in(["All right.", "Good.", "All right. Go on."])
    assert ranked(["All right.", "Good.", "Never said."], said) == ["Never said.", "Good.", "All right."]
    assert said.has_replied("Good.")
    assert not said.has_replied("Go on.")
