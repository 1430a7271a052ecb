"""The words: who is nearest, whether it is more than noise, and what that does not say."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from counsel_core.records import OTHER_THERAPISTS, REFERENCE
from counsel_core.statistics.analysis import analyse
from counsel_core.statistics.cards import model_cards
from counsel_core.statistics.recommendation import LIMITS, notices, recommend

Make = Callable[..., pd.DataFrame]
Scales = dict[str, float]


def test_a_clear_lead_is_called_more_than_noise(scores_of: Make, scales: Scales) -> None:
    found = recommend(analyse(scores_of(questions=90), scales, repeats=1000))
    assert [one.topic for one in found] == [None, "t0", "t1", "t2"]
    overall = found[0]
    assert (overall.source, overall.runner_up, overall.certain) == ("near", "far", True)
    assert overall.share == 1
    assert overall.text.startswith(
        "Over all questions: near is nearest to the reference by Euclidean distance"
    )
    assert "over 6 metrics" in overall.text
    assert "is more than noise" in overall.text
    assert "other therapists are" in overall.text
    assert found[1].text.startswith("t0: ")
    assert overall.limits == LIMITS
    assert "does not mean that they are safe" in LIMITS


def test_few_questions_give_no_verdict(scores_of: Make, scales: Scales) -> None:
    found = recommend(analyse(scores_of(questions=9, topics=1), scales, repeats=200))
    assert not any(one.certain for one in found)
    assert {one.share for one in found} == {None}
    assert all("With so few questions nothing can be said of noise" in one.text for one in found)


def test_what_was_not_compared_is_in_no_claim(scores_of: Make, scales: Scales) -> None:
    drawn = scores_of(questions=90, sources=(REFERENCE, "near", "far"))
    partial = scores_of(questions=90, sources=("far",), seed=9).assign(source="partial")
    scores = pd.concat([drawn, partial])
    lacking = (scores["source"] == "partial") & (scores["metric"] == scores["metric"].iloc[0])
    text = recommend(analyse(scores[~lacking], scales, repeats=400))[0].text
    assert "Not compared, for want of a metric's values: partial" in text
    assert "every other model is" not in text


def test_proxies_are_counted_in_the_words(scores_of: Make, scales: Scales) -> None:
    scores = scores_of(questions=30)
    one, two, *_ = scores["metric"].unique()
    analysis = analyse(scores, scales, repeats=100)
    assert "over 6 metrics, 2 of them proxies" in recommend(analysis, proxies=[one, two])[0].text
    assert "over 6 metrics, 1 of them proxy" in recommend(analysis, proxies=[one])[0].text


def test_twins_are_not_told_apart(scores_of: Make, scales: Scales) -> None:
    # a second model drawn from the same distribution
    one = scores_of(sources=(REFERENCE, "near"))
    other = scores_of(sources=(REFERENCE, "near"), seed=77)
    both = pd.concat([one, other[other["source"] == "near"].assign(source="twin")])
    overall = recommend(analyse(both, scales, repeats=1000))[0]
    assert not overall.certain
    assert "may be noise" in overall.text
    assert 0.05 < overall.share < 0.999
    assert "other therapists" not in overall.text


def test_rarely_certain_among_equals(scores_of: Make, scales: Scales) -> None:
    # eight models of one distribution, 30 data sets: choosing the nearest of many is allowed for, so
    # that a lead is seldom called more than noise
    wrong = 0
    for seed in range(30):
        parts = [scores_of(questions=40, topics=1, sources=(REFERENCE,), seed=seed)]
        for k in range(8):
            drawn = scores_of(questions=40, topics=1, sources=("near",), seed=1000 + 8 * seed + k)
            parts.append(drawn.assign(source=f"m{k}"))
        wrong += recommend(analyse(pd.concat(parts), scales, repeats=400))[0].certain
    assert wrong <= 3


def test_correlation_may_name_another(scores_of: Make, scales: Scales) -> None:
    scores = scores_of(sources=(REFERENCE, "near", "far"), topics=1)
    # a profile of the reference's shape at twice its size: r near 1, and far away
    doubled = scores[scores["source"] == REFERENCE].assign(source="double")
    doubled["value"] *= 2
    text = recommend(analyse(pd.concat([scores, doubled]), scales, repeats=200))[0].text
    assert "near is nearest" in text
    assert (
        "By correlation double comes first (r = 1.000, above 0.811, the critical value for 6 metrics)" in text
    )


def test_notices_name_the_metric_that_carries_the_ranking() -> None:
    # three questions of equal scores. With c, A is nearer; without it B is
    rows = [
        (f"q{q}", "t", source, metric, value)
        for q in range(3)
        for source, values in ((REFERENCE, (0, 1, 5)), ("A", (1, 1, 5)), ("B", (0, 1, 7)))
        for metric, value in zip("abc", values, strict=True)
    ]
    scores = pd.DataFrame(rows, columns=["item", "topic", "source", "metric", "value"])
    said = notices(analyse(scores, dict.fromkeys("abc", 1.0), repeats=50))
    # without c or another, two metrics are left: nothing is said of correlations
    assert said == ("Without c, B leads by distance (distance = 0.000, 2 metrics) instead of A.",)


def test_cards_name_the_closest_metrics_and_the_ranks(scores_of: Make, scales: Scales) -> None:
    scores = scores_of(questions=90)
    extra = scores[(scores["metric"] == "recycling") & (scores["source"] != REFERENCE)]
    emotion = extra.assign(metric="emotion_consistency", value=extra["source"].map({"near": 0.5, "far": 0.7}))
    cards = model_cards(analyse(pd.concat([scores, emotion]), scales, repeats=100)).set_index("source")
    assert cards.index.tolist() == ["far", "near"]
    closest = {name: set(filter(None, names.split("; "))) for name, names in cards["closest_metrics"].items()}
    assert "emotion_consistency" in closest["far"]
    assert {"simplicity", "recycling", "sentiment_change"} <= closest["near"]
    assert closest["near"] | closest["far"] == {*scales, "emotion_consistency"}
    assert cards.loc["near", ["r_rank", "distance_rank"]].tolist() == [1, 1]
    assert cards.loc["near", "topics_above_critical"] == "t0; t1; t2"
    assert cards["topics"].tolist() == [3, 3]


@pytest.mark.parametrize("sources", [(), (REFERENCE, OTHER_THERAPISTS)])
def test_cards_without_models_are_empty(scores_of: Make, scales: Scales, sources: tuple[str, ...]) -> None:
    assert len(model_cards(analyse(scores_of(sources=sources), scales, repeats=50))) == 0


def test_cards_without_a_reference_name_nothing(scores_of: Make, scales: Scales) -> None:
    cards = model_cards(analyse(scores_of(sources=("near",)), scales, repeats=50))
    assert cards["closest_metrics"].tolist() == [""]
    assert np.isnan(cards["r"]).all()


def test_a_correlation_over_fewer_metrics_has_no_rank(scores_of: Make, scales: Scales) -> None:
    scores = scores_of(questions=30)
    lacking = (scores["source"] == "far") & (scores["metric"] == scores["metric"].iloc[0])
    cards = model_cards(analyse(scores[~lacking], scales, repeats=100)).set_index("source")
    assert cards.loc["near", ["r_rank", "n"]].tolist() == [1, 6]
    assert pd.isna(cards.loc["far", "r_rank"])
    assert cards.loc["far", "reason"].startswith("without ")
