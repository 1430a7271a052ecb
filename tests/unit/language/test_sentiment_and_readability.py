"""Polarity and readability: the values of the packages they are made with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from readability import getmeasures
from textblob import TextBlob

from counsel_core.language.readability import measure
from counsel_core.language.sentiment import polarity

WORDS = (
    *("not", "very", "good", "bad", "I", "don't", "you're", "really", ":)", "!", "??", "(!)", "..."),
    *("the\n", "awful.", "Never,", "hmm", "üble", "42"),
)
texts = st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join)


@given(texts)
def test_polarity_is_textblobs(text: str) -> None:
    assert polarity(text) == TextBlob(text).sentiment.polarity
    assert -1 <= polarity(text) <= 1


@given(texts | st.text(max_size=80))
def test_readability_of_a_raw_text_is_the_packages(text: str) -> None:
    found = measure(text)
    if found is None:
        with pytest.raises(ValueError, match="no words"):
            getmeasures(text)
        return
    measures = getmeasures(text)
    grades, counts = measures["readability grades"], measures["sentence info"]
    assert (found.grade, found.ease) == (grades["Kincaid"], grades["FleschReadingEase"])
    assert (found.words, found.syllables, found.sentences) == (
        counts["words"],
        counts["syllables"],
        counts["sentences"],
    )


@given(st.lists(texts.map(lambda text: text.replace("\n", " ")), min_size=1, max_size=6))
def test_readability_of_sentences_is_the_packages(sentences: list[str]) -> None:
    found = measure(sentences)
    if found is not None:
        assert found.grade == getmeasures(sentences)["readability grades"]["Kincaid"]


def test_the_formulas_by_hand() -> None:
    # 4 words, 4 syllables, 2 sentences: 206.835 − 84.6 − 1.015·2 = 120.205; 11.8 + 0.39·2 − 15.59 = −3.01
    found = measure(["cats sat.", "dogs ran."])
    assert found is not None
    assert (found.ease, found.grade) == (pytest.approx(120.205), pytest.approx(-3.01))
