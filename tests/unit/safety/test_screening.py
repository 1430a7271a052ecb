"""Second opinions raise what the rules found, and nothing they do lowers it."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.clients import load_clients
from counsel_core.errors import DataFileError
from counsel_core.records import RISK_LEVELS, Risk
from counsel_core.safety import screening
from counsel_core.safety.likeness import (
    Head,
    Thresholds,
    language_of,
    load_head,
    load_model,
    ngrams_of,
    pieces_of,
    weigh_likeness,
)
from counsel_core.safety.risk import check_risk
from counsel_core.safety.screening import Opinion, raise_by, screen
from counsel_core.settings import DATA

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


def test_damaged_weights_leave_the_rules_standing(monkeypatch, tmp_path, caplog):
    bad = tmp_path / "likeness.npz"
    bad.write_bytes(b"nothing")
    with pytest.raises(DataFileError, match="restore the file"):
        load_head(bad)
    with pytest.raises(DataFileError, match="restore the file"):
        load_head(tmp_path / "none.npz")
    with pytest.raises(DataFileError):
        load_model(tmp_path)
    monkeypatch.setattr("counsel_core.safety.likeness.load_head", lambda: load_head(bad))
    monkeypatch.setattr("counsel_core.safety.likeness.load_model", lambda: load_model(tmp_path))
    assert screen("I want to die.") == check_risk("I want to die.")
    assert screen("房租涨了。").level == "none"
    assert caplog.text.count("second opinion failed") == 2


def test_likeness_is_the_same_each_time_and_tells_its_piece():
    text = "Work is dull. They would all cope fine once I am out of the picture for good."
    found = weigh_likeness(text)
    assert found == weigh_likeness(text)
    assert found.piece in text
    assert 0 <= found.danger <= 1
    assert 0 <= found.imminent <= 1


def test_an_empty_text_is_like_nothing():
    assert weigh_likeness(" \n").level == "none"


def test_the_chinese_head_gives_probabilities():
    head, _ = load_head()
    found = head.probabilities(ngrams_of(["我很累。", "房租又涨了。"]))
    assert found.shape == (2, 2)
    assert ((found >= 0) & (found <= 1)).all()
    assert (found[:, 1] <= found[:, 0]).all()  # what is imminent is a danger


def test_a_head_without_weights_finds_all_levels_alike():
    head = Head(np.zeros((4096, 3), np.float32), np.zeros(3, np.float32))
    np.testing.assert_allclose(head.probabilities(ngrams_of(["好"])), [[2 / 3, 1 / 3]], rtol=1e-6)


def test_thresholds_by_hand():
    # 0.6 of danger reaches 0.5; 0.3 of imminence does not reach 0.4, 0.4 does; 0.49 of danger is none.
    pairs = ((0.49, 0.49), (0.6, 0.3), (0.6, 0.4))
    assert [Thresholds(0.5, 0.4).level(*pair) for pair in pairs] == [*RISK_LEVELS]


def test_ngrams_are_unit_vectors_and_the_empty_one_is_zero():
    lengths = np.linalg.norm(ngrams_of(["我很累", "", "a"]), axis=1)
    np.testing.assert_allclose(lengths, [1, 0, 1], rtol=1e-6)


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


def test_long_tales_of_plain_distress_are_not_taken_for_danger():
    """The sample's questions are harmless but for what the rules find; a net that raises all is no net."""
    with (DATA / "samples" / "sample_questions.csv").open(encoding="utf-8", newline="") as file:
        questions = [row["question"] for row in csv.DictReader(file)]
    left = [text for text in questions if check_risk(text).level == "none"]
    raised = [text for text in left if screen(text).level != "none"]
    assert len(raised) <= 0.05 * len(left)
    assert all(screen(text).level != "imminent" for text in left)


def test_the_sample_clients_say_nothing_dangerous():
    lines = [line for client in load_clients().values() for line in client.lines]
    assert {screen(line).level for line in lines} == {"none"}
