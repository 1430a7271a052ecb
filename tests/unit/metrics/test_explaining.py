"""What stands behind a value: it agrees with the value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.language.emotion import embedded
from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext, ScoreInput
from counsel_core.metrics.explaining import explain
from counsel_core.records import Preset

GIVEN = ScoreInput("Your boss shouts. That is sad, and it is not good.", "My boss shouts at me. I feel sad.")
presets = st.sampled_from(["paper", "standard"])


def _explained(name: str, given_texts: ScoreInput = GIVEN, preset: Preset = "standard") -> dict:
    return explain(find_metric(name), given_texts, MetricContext(preset, emotions=embedded()))


def test_recycled_words_are_marked_where_they_stand() -> None:
    shown = _explained("recycling")
    marked = [shown["text"][start:end] for start, end, recycled in shown["spans"] if recycled]
    counted = [shown["text"][start:end] for start, end, _ in shown["spans"]]
    assert marked == ["boss", "shouts", "sad"]
    assert counted == ["boss", "shouts", "sad", "not", "good"]
    assert [shown["question"][start:end] for start, end in shown["question_spans"]] == [
        "boss",
        "shouts",
        "sad",
    ]


texts = st.text(st.sampled_from("abc ABC.,'’!?\n\u00a0İß-"), max_size=60)


@given(texts, texts, presets)
def test_the_share_of_marked_words_is_the_value(answer: str, question: str, preset: Preset) -> None:
    given_texts = ScoreInput(answer, question)
    scored = find_metric("recycling").score(given_texts, MetricContext(preset))
    spans = _explained("recycling", given_texts, preset)["spans"]
    if scored.value is not None and spans:
        assert scored.value == pytest.approx(sum(span[2] for span in spans) / len(spans))


def test_sentences_have_their_polarity() -> None:
    shown = _explained("intra_sentiment")
    assert [sentence for sentence, _ in shown["sentences"]] == [
        "Your boss shouts.",
        "That is sad, and it is not good.",
    ]
    # TextBlob: sad −0.5, not good −0.35; mean −0.425; two sentences, so the slope is their difference
    assert [polarity for _, polarity in shown["sentences"]] == [0, pytest.approx(-0.425)]
    assert shown["slope"] == pytest.approx(-0.425)


def test_the_change_shows_both_polarities() -> None:
    shown = _explained("sentiment_change")
    assert (shown["question_polarity"], shown["answer_polarity"]) == (-0.5, pytest.approx(-0.425))
    assert shown["question"] == GIVEN.question


def test_readability_shows_what_counts_as_a_sentence() -> None:
    assert len(_explained("simplicity")["sentences"]) == 2
    paper = _explained("simplicity", preset="paper")
    assert paper["sentences"] == [GIVEN.answer]
    assert paper["readability"]["sentences"] == 1


def test_emotions_are_ranked() -> None:
    shown = _explained("emotion_consistency", ScoreInput("I am so sad.", "I am afraid.", "That is sad."))
    assert set(shown["emotions"]) == {"answer", "question", "reference"}
    assert shown["emotions"]["answer"][0][0] == "sadness"
    assert len(shown["emotions"]["answer"]) == 28


@pytest.mark.parametrize("name", ["agreeability", "active_listening"])
def test_a_judge_is_not_asked_again(name: str) -> None:
    assert _explained(name) == {}
