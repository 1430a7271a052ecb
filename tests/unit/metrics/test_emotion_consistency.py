"""Emotion consistency: rank-biased overlap against Webber et al. (2010), and what is kept of it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rbo import RankingSimilarity

from counsel_core.errors import InputError
from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext, ScoreInput
from counsel_core.metrics.emotion_consistency import PERSISTENCE, rank_overlap, shared_overlap

# The worked example of Webber et al. 2010 (figure 5): two lists to depth 7, the agreement at each depth
# and the average overlap to each depth, as printed.
FIRST, SECOND = list("abcdefg"), list("zcavwxy")
AGREEMENT = [0, 0, Fraction(2, 3), Fraction(1, 2), Fraction(2, 5), Fraction(1, 3), Fraction(2, 7)]
AVERAGE_OVERLAP = [0, 0, 0.222, 0.292, 0.313, 0.317, 0.312]

METRIC = find_metric("emotion_consistency")
LABELS = tuple(f"emotion {number}" for number in range(28))
rankings = st.permutations(LABELS)
persistences = st.floats(0.05, 0.99)


class Words:
    """Ranks three labels by how often a text says them."""

    name, labels, weights = "words", ("joy", "fear", "grief"), "none"

    def rank(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        counts = [{label: text.split().count(label) / 10 for label in self.labels} for text in texts]
        return [sorted(count.items(), key=lambda pair: -pair[1]) for count in counts]


@pytest.mark.parametrize("depth", range(1, 8))
def test_the_package_gives_the_worked_examples_average_overlap(depth: int) -> None:
    found = RankingSimilarity(FIRST, SECOND).rbo(k=depth, p=1.0)
    assert found == pytest.approx(AVERAGE_OVERLAP[depth - 1], abs=5e-4)


@pytest.mark.parametrize("p", [0.5, 0.8, 0.9, 0.98])
@pytest.mark.parametrize("depth", range(1, 8))
def test_rank_overlap_extrapolates_the_worked_example_by_equation_23(p: float, depth: int) -> None:
    # RBO_ext = A_k·p^k + (1 − p)/p · Σ A_d·p^d, with the agreements of the figure
    total = sum(float(agreement) * p**d for d, agreement in enumerate(AGREEMENT[:depth], start=1))
    expected = float(AGREEMENT[depth - 1]) * p**depth + (1 - p) / p * total
    assert rank_overlap(FIRST[:depth], SECOND[:depth], p) == pytest.approx(expected, abs=1e-12)


def test_at_the_default_the_first_ten_ranks_carry_86_percent_of_the_weight() -> None:
    # Webber et al. 2010, equation 21 and the example under it: p = 0.9, d = 10 is 86 %
    p, d = PERSISTENCE, 10
    rest = math.log(1 / (1 - p)) - sum(p**i / i for i in range(1, d))
    assert 1 - p ** (d - 1) + (1 - p) / p * d * rest == pytest.approx(0.86, abs=5e-3)


@given(rankings, persistences)
def test_a_ranking_agrees_wholly_with_itself(ranking: list[str], p: float) -> None:
    assert rank_overlap(ranking, ranking, p) == pytest.approx(1, abs=1e-12)


@given(rankings, rankings, persistences)
def test_it_is_symmetric_and_within_its_bounds(first: list[str], second: list[str], p: float) -> None:
    value = rank_overlap(first, second, p)
    assert 0 <= value <= 1
    assert value == pytest.approx(rank_overlap(second, first, p), abs=1e-12)


@given(rankings, rankings, rankings)
def test_names_of_labels_do_not_matter(first: list[str], second: list[str], names: list[str]) -> None:
    other = dict(zip(LABELS, names, strict=True))
    renamed = rank_overlap([other[label] for label in first], [other[label] for label in second])
    assert renamed == rank_overlap(first, second)


def test_two_random_rankings_of_28_labels_have_a_third() -> None:
    # that is what the metric's page says: its values do not begin at 0
    draw = random.Random(0)
    values = [rank_overlap(draw.sample(LABELS, 28), draw.sample(LABELS, 28)) for _ in range(500)]
    assert sum(values) / len(values) == pytest.approx(0.34, abs=0.01)


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, float("nan")])
def test_another_p_is_refused(p: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        rank_overlap(FIRST, SECOND, p)


def test_it_compares_the_rankings_and_keeps_them_with_the_questions() -> None:
    context = MetricContext("paper", {"rbo_p": 0.5}, emotions=Words())
    given_texts = ScoreInput("joy joy fear", question="grief", reference="fear fear joy")
    scored = METRIC.score(given_texts, context)
    # joy fear grief against fear joy grief: agreements 0, 1, 1; 1·0.5³ + (0.5² + 0.5³) = 0.5
    assert scored.value == pytest.approx(0.5)
    assert scored.detail["emotions"] == {
        "answer": [["joy", 0.2], ["fear", 0.1], ["grief", 0.0]],
        "reference": [["fear", 0.2], ["joy", 0.1], ["grief", 0.0]],
        "question": [["grief", 0.1], ["joy", 0.0], ["fear", 0.0]],
    }
    assert (scored.detail["model"], scored.detail["weights"], scored.detail["rbo_p"]) == (
        "words",
        "none",
        0.5,
    )


def test_an_item_without_a_question_is_scored() -> None:
    scored = METRIC.score(ScoreInput("joy", None, "joy"), MetricContext("paper", emotions=Words()))
    assert scored.value == pytest.approx(1)
    assert "question" not in scored.detail["emotions"]


def test_without_an_emotion_model_it_says_so() -> None:
    with pytest.raises(InputError, match="emotion model"):
        METRIC.score(ScoreInput("joy", None, "joy"), MetricContext("paper"))


class Backwards(Words):
    """Ranks the same labels the other way round."""

    name = "backwards"

    def rank(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        return [[(label.upper(), weight) for label, weight in reversed(one)] for one in super().rank(texts)]


def test_a_second_model_is_kept_beside_and_changes_no_value() -> None:
    given = ScoreInput("joy joy fear", reference="fear fear joy")
    alone = METRIC.score(given, MetricContext("paper", {"rbo_p": 0.5}, emotions=Words()))
    both = METRIC.score(
        given, MetricContext("paper", {"rbo_p": 0.5}, emotions=Words(), second_emotions=Backwards())
    )
    assert both.value == alone.value
    # grief fear joy against grief joy fear: agreements 1, 1/2, 1; 1·0.5³ + (0.5 + 0.5·0.5² + 0.5³) = 0.875
    # joy fear grief against grief fear joy: agreements 0, 1/2, 1; 1·0.5³ + (0 + 0.5·0.5² + 0.5³) = 0.375
    second = {"model": "backwards", "weights": "none", "value": 0.875, "overlap": 0.375}
    assert both.detail == {**alone.detail, "second": pytest.approx(second)}


def test_models_of_other_labels_are_compared_by_what_they_share() -> None:
    assert shared_overlap(["joy", "neutral", "fear"], ["anger", "Fear", "Joy"], 0.5) == pytest.approx(0.5)
    assert shared_overlap(["joy", "neutral"], ["anger", "joy"]) is None
