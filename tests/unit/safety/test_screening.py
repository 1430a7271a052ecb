"""Second opinions raise what the rules found, and nothing they do lowers it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import DataFileError
from counsel_core.records import RISK_LEVELS, Risk
from counsel_core.safety import screening
from counsel_core.safety.likeness import (
    Head,
    language_of,
    level_of,
    load_heads,
    pieces_of,
    vectors_of,
    weigh_likeness,
)
from counsel_core.safety.risk import check_risk
from counsel_core.safety.screening import Opinion, raise_by, screen

RANK = RISK_LEVELS.index


def saying(level):
    return lambda text, previous: Opinion(level, "the phrase", "a test")


@given(st.sampled_from(RISK_LEVELS), st.sampled_from(RISK_LEVELS))
def test_an_opinion_only_raises(stands, said):
    risk = Risk(stands, ("old",) if stands != "none" else ())
    found = raise_by(risk, Opinion(said, "new", "a test"))
    assert RANK(found.level) == max(RANK(stands), RANK(said))
    raised = RANK(said) > RANK(stands)
    assert found.opinions == ((f"{said} by a test",) if raised else ())
    assert ("new" in found.evidence) == raised
    assert set(risk.evidence) <= set(found.evidence)


@given(st.text(max_size=200))
def test_screening_is_never_below_the_rules(text):
    assert RANK(screen(text).level) >= RANK(check_risk(text).level)


def test_every_opinion_is_asked_until_danger_is_imminent():
    asked = []

    def note(text, previous):
        asked.append((text, tuple(previous)))
        return Opinion("imminent", "x", "a test")

    found = screen("The rent.", previous=("Hello.",), opinions=(saying("concern"), note, note))
    assert found == Risk("imminent", ("the phrase", "x"), ("concern by a test", "imminent by a test"))
    assert asked == [("The rent.", ("Hello.",))]


def test_a_failing_opinion_leaves_the_rules_standing(caplog):
    def fails(text, previous):
        raise DataFileError("likeness.npz", "it is damaged")

    assert screen("I want to die.", opinions=(fails,)) == check_risk("I want to die.")
    assert screen("The rent.", opinions=(fails, saying("concern"))).level == "concern"
    assert "it is damaged" in caplog.text
    assert "want to die" not in caplog.text


def test_damaged_weights_leave_the_rules_standing(monkeypatch, tmp_path):
    bad = tmp_path / "likeness.npz"
    bad.write_bytes(b"nothing")
    with pytest.raises(DataFileError, match="restore the file"):
        load_heads(bad)
    with pytest.raises(DataFileError, match="restore the file"):
        load_heads(tmp_path / "none.npz")
    heads = load_heads

    def broken():
        return heads(bad)

    monkeypatch.setattr("counsel_core.safety.likeness.load_heads", broken)
    assert screen("I am going to kill myself.").level == "imminent"
    assert screen("The rent.").level == "none"


def test_likeness_is_the_same_each_time_and_tells_its_piece():
    text = "Work is dull. They would all cope fine once I am out of the picture for good."
    found = weigh_likeness(text)
    assert found == weigh_likeness(text)
    assert found.piece in text
    assert 0 <= found.concern <= 1
    assert 0 <= found.imminent <= 1


def test_an_empty_text_is_like_nothing():
    assert weigh_likeness(" \n").level == "none"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_probabilities_are_probabilities(language):
    texts = ["I am tired.", "我很累。"] if language == "zh" else ["I am tired.", "So are we."]
    found = load_heads()[language].probabilities(vectors_of(texts, language))
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_a_head_speaks_from_its_thresholds_on():
    # By hand: 0.6 of danger reaches 0.5; 0.3 of imminence does not reach 0.4, 0.4 does.
    head = Head(np.zeros((1, 3), np.float32), np.zeros(3, np.float32), 0.5, 0.4)
    assert [level_of(*pair, head) for pair in ((0.49, 0.49), (0.6, 0.3), (0.6, 0.4))] == [*RISK_LEVELS]


@given(st.text(max_size=400))
def test_pieces_are_of_the_text(text):
    pieces = pieces_of(text, language_of(text))
    assert bool(pieces) == bool(text.strip())
    assert len(pieces) == len(set(pieces))


def test_of_a_long_message_the_end_is_weighed():
    text = " ".join(f"This is sentence number {n} of many." for n in range(500))
    pieces = pieces_of(text, "en")
    assert len(pieces) == 40
    assert pieces[-1] == "This is sentence number 499 of many."


def test_the_standard_opinions_are_read_at_the_call(monkeypatch):
    monkeypatch.setattr(screening, "STANDARD", (saying("concern"),))
    assert screen("The rent.").opinions == ("concern by a test",)
