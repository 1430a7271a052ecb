import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.agents.cocoa.memory import (
    Alphas,
    Distortion,
    Insight,
    add_insights,
    carry_over,
    score_distortions,
    target,
)

TYPES = ("All-or-Nothing Thinking", "Labeling", "Fortune Telling", "Mind Reading")
NEGATIVE = "Negative Feeling or Emotion"


def entry(kind: str, severity: int, turn: int) -> Distortion:
    return Distortion(kind, f"line {turn}", severity, turn)


entries = st.lists(
    st.builds(entry, st.sampled_from((*TYPES, NEGATIVE)), st.integers(1, 5), st.integers(-3, 40)), max_size=30
)
weights = st.builds(Alphas, *[st.floats(0, 10)] * 3)
gammas = st.floats(0, 1)


def test_components_are_normalised_over_the_types_and_add_up():
    memory = [
        entry("Labeling", 5, 1),
        entry("Labeling", 4, 3),
        entry("Fortune Telling", 2, 4),
        entry("Mind Reading", 3, 2),
    ]
    # γ = 0.5, turn 4. Recency: Labeling 0.5, Fortune Telling 1, Mind Reading 0.25; over the range
    # 0.25–1: 1/3, 1, 0. Frequency 2, 1, 1: 1, 0, 0. Severity 4.5, 2, 3: 1, 0, 0.4.
    scores = {score.type: score for score in score_distortions(memory, 4, Alphas(), 0.5, TYPES)}
    assert scores["Labeling"].recency == pytest.approx(1 / 3)
    assert (scores["Labeling"].frequency, scores["Labeling"].severity) == (1, 1)
    assert scores["Labeling"].total == pytest.approx(7 / 3)
    fortune = scores["Fortune Telling"]
    assert (fortune.recency, fortune.frequency, fortune.severity, fortune.total) == (1, 0, 0, 1)
    assert scores["Mind Reading"].severity == pytest.approx(0.4)
    assert "All-or-Nothing Thinking" not in scores


def test_each_alpha_weighs_its_component():
    memory = [entry("Labeling", 5, 1), entry("Fortune Telling", 1, 2)]
    # Recency favours Fortune Telling (1 against 0), severity Labeling; frequency is equal, so 1 for both.
    recent = score_distortions(memory, 2, Alphas(3, 1, 1), 0.9, TYPES)
    assert [(score.type, score.total) for score in recent] == [("Fortune Telling", 4), ("Labeling", 2)]
    severe = score_distortions(memory, 2, Alphas(0, 0, 2), 0.9, TYPES)
    assert [(score.type, score.total) for score in severe] == [("Labeling", 2), ("Fortune Telling", 0)]


def test_a_single_type_has_every_component_1():
    (score,) = score_distortions([entry("Labeling", 2, 1)], 9, Alphas(), 0.995, TYPES)
    assert (score.recency, score.frequency, score.severity, score.total) == (1, 1, 1, 3)


def test_ties_go_to_the_most_recent_then_to_the_order_of_the_list():
    # γ = 1 makes recency equal: totals are the same, the later entry wins.
    memory = [entry("Labeling", 3, 2), entry("Fortune Telling", 3, 1)]
    assert target(score_distortions(memory, 2, Alphas(), 1.0, TYPES)) == "Labeling"
    assert target(score_distortions(memory[::-1], 2, Alphas(), 1.0, TYPES)) == "Labeling"
    same_turn = [entry("Mind Reading", 3, 1), entry("Labeling", 3, 1)]
    assert target(score_distortions(same_turn, 1, Alphas(), 0.9, TYPES)) == "Labeling"


def test_the_thirteenth_type_counts_only_where_it_is_eligible():
    memory = [entry(NEGATIVE, 5, turn) for turn in (1, 2, 3)] + [entry("Labeling", 1, 1)]
    assert target(score_distortions(memory, 3, Alphas(), 0.995, TYPES)) == "Labeling"
    assert target(score_distortions(memory, 3, Alphas(), 0.995, (*TYPES, NEGATIVE))) == NEGATIVE
    assert target(score_distortions(memory[:3], 3, Alphas(), 0.995, TYPES)) is None


def test_entries_of_an_earlier_session_are_older_than_the_first_turn():
    memory = [entry("Labeling", 3, 0), entry("Fortune Telling", 3, 1)]
    # At turn 1: Labeling was one utterance ago, so its recency is γ before normalisation: 0 after it.
    scores = score_distortions(memory, 1, Alphas(), 0.5, TYPES)
    assert [(score.type, score.recency) for score in scores] == [("Fortune Telling", 1), ("Labeling", 0)]


@given(entries, weights, gammas)
def test_components_stay_in_bounds_and_add_up_to_the_total(memory, alphas, gamma):
    turn = max((one.turn for one in memory), default=1)
    scores = score_distortions(memory, turn, alphas, gamma, TYPES)
    assert {score.type for score in scores} == {one.type for one in memory} & set(TYPES)
    for score in scores:
        parts = (score.recency, score.frequency, score.severity)
        assert all(0 <= part <= 1 for part in parts)
        assert math.isclose(score.total, sum(a * part for a, part in zip(alphas, parts, strict=True)))


@given(entries, weights, gammas, st.randoms())
def test_the_order_of_the_memory_does_not_matter(memory, alphas, gamma, random):
    turn = max((one.turn for one in memory), default=1)
    shuffled = random.sample(memory, len(memory))
    before = score_distortions(memory, turn, alphas, gamma, TYPES)
    # Severity is a mean of whole numbers and so exact in any order.
    assert score_distortions(shuffled, turn, alphas, gamma, TYPES) == before


@given(entries, weights, gammas)
def test_the_target_is_the_argmax_of_the_totals(memory, alphas, gamma):
    scores = score_distortions(memory, 40, alphas, gamma, TYPES)
    if scores:
        assert target(scores) in {one.type for one in scores if one.total == max(s.total for s in scores)}
    else:
        assert target(scores) is None


def test_an_insight_is_not_kept_twice():
    memory = (Insight("The client lives alone.", 1),)
    after = add_insights(
        memory, ["the client  lives alone", "The client has a dog.", "The client has a dog."], 2
    )
    assert after == (*memory, Insight("The client has a dog.", 2))


def test_carried_over_memories_are_dated_before_the_first_turn():
    insights, distortions = carry_over([Insight("a", 2), Insight("b", 5)], [entry("Labeling", 3, 5)], 5)
    assert [one.turn for one in insights] == [-3, 0]
    assert [one.turn for one in distortions] == [0]
