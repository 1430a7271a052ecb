"""The four text metrics: expected values are derived by hand in the comments."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import DataFileError
from counsel_core.language.sentiment import polarity
from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext, Scored, ScoreInput
from counsel_core.metrics.intra_sentiment import slope
from counsel_core.metrics.recycling import FLUFF_FILE, fluff_words
from counsel_core.metrics.sentiment_change import change
from counsel_core.records import Preset

PAPER, STANDARD = MetricContext("paper"), MetricContext("standard")


def _score(name: str, answer: str, question: str | None, context: MetricContext) -> Scored:
    return find_metric(name).score(ScoreInput(answer, question), context)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def test_sentiment_change_is_the_sigmoid_of_the_relative_change() -> None:
    # polarities by TextBlob: sad −0.5, good 0.7; (0.7 + 0.5)/0.5 = 2.4
    scored = _score("sentiment_change", "Good.", "Sad.", PAPER)
    assert scored.value == pytest.approx(_sigmoid(2.4))
    assert scored.detail == {"question": -0.5, "answer": 0.7, "difference": pytest.approx(0.6)}


def test_from_a_neutral_question_the_sign_of_the_answer_decides() -> None:
    assert _score("sentiment_change", "Good.", "A chair.", PAPER).value == 1
    assert _score("sentiment_change", "Sad.", "A chair.", PAPER).value == 0
    missing = _score("sentiment_change", "A table.", "A chair.", PAPER)
    assert missing.value is None
    assert "polarity 0" in missing.reason


polarities = st.floats(-1, 1)


@given(polarities, polarities)
def test_change_stays_in_its_bounds_and_turns_with_the_signs(question: float, answer: float) -> None:
    value = change(question, answer)
    if value is None:
        assert question == answer == 0
        return
    assert 0 <= value <= 1
    opposite = change(-question, -answer)
    assert opposite is not None
    assert value + opposite == pytest.approx(1)


def test_within_the_answer_paper_keeps_the_empty_piece_after_the_last_stop() -> None:
    # pieces "Sad", " Good", "": polarities −0.5, 0.7, 0; slope = (0 − (−0.5))/2 = 0.25
    scored = _score("intra_sentiment", "Sad. Good.", None, PAPER)
    assert scored.value == pytest.approx(_sigmoid(0.25))
    assert scored.detail == {"sentences": 3, "slope": pytest.approx(0.25)}


def test_within_the_answer_standard_takes_sentences() -> None:
    # sentences "Sad." −0.5, "Good." 0.7: slope 1.2; the space between them is lost and put back
    for answer in ("That is sad. That is good.", "That is sad.That is good."):
        scored = _score("intra_sentiment", answer, None, STANDARD)
        assert scored.detail == {"sentences": 2, "slope": pytest.approx(1.2)}
        assert scored.value == pytest.approx(_sigmoid(1.2))


def test_a_single_piece_is_half_in_paper_and_missing_in_standard() -> None:
    assert _score("intra_sentiment", "That is sad", None, PAPER).value == 0.5
    missing = _score("intra_sentiment", "That is sad", None, STANDARD)
    assert missing.value is None
    assert "one sentence" in missing.reason


@given(st.lists(polarities, min_size=2, max_size=30))
def test_slope_is_that_of_numpys_least_squares(values: list[float]) -> None:
    assert slope(values) == pytest.approx(np.polyfit(range(len(values)), values, 1)[0], abs=1e-9)


@given(st.lists(polarities, min_size=2, max_size=30))
def test_slope_turns_round_with_the_order(values: list[float]) -> None:
    forwards, backwards = slope(values), slope(values[::-1])
    assert forwards is not None
    assert backwards is not None
    assert forwards == pytest.approx(-backwards, abs=1e-12)


def test_simplicity_needs_more_than_a_hundred_words() -> None:
    for context in (PAPER, STANDARD):
        missing = _score("simplicity", " ".join(["cat"] * 100), None, context)
        assert missing.value is None
        assert missing.reason == "it has 100 words; more than 100 are needed"
        assert _score("simplicity", " ".join(["cat"] * 101), None, context).value is not None


def test_simplicity_is_the_grade_in_paper_and_the_ease_in_standard() -> None:
    text = " ".join(["But cats sat on a mat."] * 20)  # 120 words of one syllable
    # one sentence of 120 words: 11.8·1 + 0.39·120 − 15.59 = 43.01
    scored = _score("simplicity", text, None, PAPER)
    assert scored.value == pytest.approx(43.01)
    assert scored.detail["sentences"] == 1
    # twenty sentences of 6 words: 206.835 − 84.6·1 − 1.015·6 = 116.145; 11.8 + 0.39·6 − 15.59 = −1.45
    scored = _score("simplicity", text, None, STANDARD)
    assert scored.value == pytest.approx(116.145)
    assert scored.detail["grade"] == pytest.approx(-1.45)
    assert (scored.detail["words"], scored.detail["sentences"]) == (120, 20)


QUESTION = "My boss shouts at me, and I feel sad."


@pytest.mark.parametrize(
    ("context", "counted", "recycled", "words"),
    [
        # counted: "boss," "shouts" "—" "sad?"; the question has "boss" and "sad." instead
        (PAPER, 4, 1, ["shouts"]),
        # counted: boss, shouts, sad; your, are and you are fluff
        (STANDARD, 3, 3, ["boss", "sad", "shouts"]),
    ],
)
def test_recycling_counts_the_words_that_come_back(
    context: MetricContext, counted: int, recycled: int, words: list[str]
) -> None:
    scored = _score("recycling", "Your Boss, shouts — are you sad?", QUESTION, context)
    assert scored.detail == {"counted": counted, "recycled": recycled, "words": words}
    assert scored.value == pytest.approx(recycled / counted)


def test_recycling_counts_a_word_as_often_as_the_answer_says_it() -> None:
    # boss, boss, chair: 2 of 3
    assert _score("recycling", "boss boss chair", QUESTION, PAPER).value == pytest.approx(2 / 3)


def test_fluff_words_alone_are_0_in_paper_and_missing_in_standard() -> None:
    assert _score("recycling", "that is it", QUESTION, PAPER).value == 0
    assert _score("recycling", "that is it", QUESTION, STANDARD).value is None


def test_curly_apostrophes_are_the_same_words_in_standard() -> None:
    assert _score("recycling", "can’t sleep", "I can't sleep", STANDARD).value == 1
    assert _score("recycling", "can’t sleep", "I can't sleep", PAPER).value == 0.5


def test_a_run_may_bring_its_own_fluff_words() -> None:
    own = MetricContext("paper", {"fluff": ["Boss"]})
    assert _score("recycling", "boss sad.", QUESTION, own).value == 1  # only "sad." is counted
    assert _score("recycling", "the boss", QUESTION, MetricContext("paper", {"fluff": []})).value == 0.5


def test_the_fluff_file_holds_the_papers_93_words_and_its_origin() -> None:
    assert len(fluff_words()) == 93
    assert {"i", "yourselves", "once"} <= fluff_words()
    assert "Origin: " in FLUFF_FILE.read_text(encoding="utf-8")


def test_a_wrong_fluff_file_is_refused_with_its_line(tmp_path) -> None:
    file = tmp_path / "fluff.txt"
    file.write_text("# remark\nThe\n\ntwo words\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"line 4: 'two words' is more than a word"):
        fluff_words(file)
    file.write_text("The # article\n", encoding="utf-8")
    fluff_words.cache_clear()
    assert fluff_words(file) == {"the"}
    with pytest.raises(DataFileError, match="cannot be read"):
        fluff_words(tmp_path / "none.txt")


@pytest.mark.parametrize("preset", ["paper", "standard"])
def test_standard_reads_the_mended_text_and_paper_the_given_one(preset: Preset) -> None:
    answer = "<p class='good'>A table</p>"
    scored = _score("sentiment_change", answer, "Sad.", MetricContext(preset))
    assert scored.detail["answer"] == (polarity(answer) if preset == "paper" else 0)
    assert polarity(answer) != 0
