"""What cannot be computed is missing with a reason, in every table, and nothing else breaks over it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from counsel_core.records import OTHER_THERAPISTS, REFERENCE
from counsel_core.statistics import tables
from counsel_core.statistics.analysis import Analysis, analyse
from counsel_core.statistics.cards import model_cards
from counsel_core.statistics.recommendation import notices, recommend

Make = Callable[..., pd.DataFrame]
Scales = dict[str, float]


def _all(scores: pd.DataFrame, scales: Scales) -> tuple[Analysis, dict[str, pd.DataFrame]]:
    """Make everything; a missing number must have a reason in its row."""
    analysis = analyse(scores, scales, repeats=200)
    made = tables.all_tables(analysis)
    for name, frame in made.items():
        numbers = frame.select_dtypes("number").drop(columns=["rank", "p_holm"], errors="ignore")
        unexplained = frame[numbers.isna().any(axis=1) & (frame["reason"] == "")]
        assert unexplained.empty, f"{name}: {unexplained.to_dict('records')}"
    recommend(analysis)
    notices(analysis)
    model_cards(analysis)
    return analysis, made


def _reasons(frame: pd.DataFrame) -> set[str]:
    return set(frame["reason"])


def test_two_metrics(scores_of: Make, scales: Scales) -> None:
    _, made = _all(scores_of(metrics=("recycling", "simplicity")), scales)
    frame = made["correlations"]
    assert frame["n"].tolist() == [2, 2]
    assert frame["r"].abs().tolist() == [1, 1]
    assert frame["p"].isna().all()
    assert frame["r_low"].isna().all()
    assert _reasons(frame) == {"two metrics always lie on a line"}
    assert made["z_scores"]["z"].isna().all()
    assert _reasons(made["z_scores"]) == {
        "both correlations are 1 or both are -1",
        "2 cases; the test needs at least 4",
    }


def test_one_metric(scores_of: Make, scales: Scales) -> None:
    _, made = _all(scores_of(metrics=("recycling",)), scales)
    assert made["correlations"]["r"].isna().all()
    assert "one metric is known" in made["correlations"]["reason"][0]
    assert made["distances"]["distance"].notna().all()


def test_no_metric_of_the_profile(scores_of: Make) -> None:
    _, made = _all(scores_of(metrics=("recycling",)), {"agreeability": 0.1})
    assert _reasons(made["correlations"]) == {
        "no metric of the profile is known for both it and the reference"
    }
    assert made["distances"]["distance"].isna().all()
    assert made["summary"]["mean"].notna().all()


def test_constant_metrics(scores_of: Make, scales: Scales) -> None:
    scores = scores_of()
    scores.loc[scores["source"] == "near", "value"] = scores["metric"].map(
        {m: 0.5 / s for m, s in scales.items()}
    )
    _, made = _all(scores, scales)
    means = made["summary"][made["summary"]["source"] == "near"]
    assert means["mean"].notna().all()
    assert means["ci_low"].isna().all()
    assert all("no spread" in reason for reason in means["reason"])
    row = made["correlations"].set_index("source").loc["near"]
    assert np.isnan(row["r"])
    assert row["reason"] == "its metrics all have the same value"


def test_a_constant_reference(scores_of: Make, scales: Scales) -> None:
    scores = scores_of()
    here = scores["source"] == REFERENCE
    scores.loc[here, "value"] = scores["metric"].map({m: 0.5 / s for m, s in scales.items()})
    _, made = _all(scores, scales)
    assert _reasons(made["correlations"]) == {"the reference's metrics all have the same value"}


def test_a_metric_that_is_missing_throughout(scores_of: Make, scales: Scales) -> None:
    scores = scores_of()
    scores.loc[scores["metric"] == "simplicity", "value"] = np.nan
    _, made = _all(scores, scales)
    lost = made["summary"][made["summary"]["metric"] == "simplicity"]
    assert lost["mean"].isna().all()
    assert lost["n"].tolist() == [0] * 4
    assert _reasons(lost) == {"no answer has a value"}
    assert made["correlations"]["n"].tolist() == [5, 5]
    assert _reasons(made["correlations"]) == {"without simplicity: no value"}
    assert made["distances"]["rank"].dropna().tolist() == [1, 2]


def test_everything_missing(scores_of: Make, scales: Scales) -> None:
    _, made = _all(scores_of().assign(value=np.nan), scales)
    assert made["summary"]["mean"].isna().all()
    assert made["correlations"]["r"].isna().all()


def test_a_model_that_lacks_a_metric_is_not_ranked_by_distance(scores_of: Make, scales: Scales) -> None:
    scores = scores_of()
    scores.loc[(scores["source"] == "far") & (scores["metric"] == "simplicity"), "value"] = np.nan
    analysis, made = _all(scores, scales)
    ranks = made["distances"].set_index("source")["rank"]
    assert ranks["near"] == 1
    assert np.isnan(ranks["far"])
    overall = recommend(analysis)[0]
    assert overall.source == "near"
    assert "Not compared, for want of a metric's values: far." in overall.text


def test_one_model(scores_of: Make, scales: Scales) -> None:
    analysis, made = _all(scores_of(sources=(REFERENCE, "near")), scales)
    assert len(made["contrasts"]) == 0
    assert len(made["correlations"]) == 1
    assert made["correlations"]["p_holm"].tolist() == made["correlations"]["p"].tolist()
    assert "the only model" in recommend(analysis)[0].text


def test_one_topic(scores_of: Make, scales: Scales) -> None:
    _, made = _all(scores_of(topics=1), scales)
    assert len(made["z_scores"]) == 0
    assert made["topics"]["r"].tolist() == made["correlations"]["r"].tolist()


def test_no_topic(scores_of: Make, scales: Scales) -> None:
    _, made = _all(scores_of().assign(topic=None), scales)
    assert len(made["topics"]) == len(made["topic_summary"]) == 0
    assert len(made["correlations"]) == 2


@pytest.mark.parametrize("sources", [(REFERENCE,), (REFERENCE, OTHER_THERAPISTS)])
def test_without_models_the_tables_of_correlations_have_a_header_only(
    scores_of: Make, scales: Scales, sources: tuple[str, ...]
) -> None:
    analysis, made = _all(scores_of(sources=sources), scales)
    for name in ("correlations", "topics", "z_scores"):
        assert len(made[name]) == 0
        assert made[name].columns[0] in {"source", "topic"}
    assert made["summary"]["mean"].notna().all()
    assert "there is no model" in recommend(analysis)[0].text
    assert len(made["distances"]) == len(sources) - 1


def test_without_a_reference(scores_of: Make, scales: Scales) -> None:
    analysis, made = _all(scores_of(sources=("near", "far")), scales)
    reason = "there are no reference answers to compare with"
    assert (
        _reasons(made["correlations"])
        == _reasons(made["z_scores"])
        == _reasons(made["distances"])
        == {reason}
    )
    assert made["summary"]["mean"].notna().all()
    assert reason in recommend(analysis)[0].text


def test_a_model_that_repeats_the_reference(scores_of: Make, scales: Scales) -> None:
    scores = scores_of(sources=(REFERENCE, "far"))
    copied = scores[scores["source"] == REFERENCE].assign(source="copy")
    _, made = _all(pd.concat([scores, copied]), scales)
    row = made["correlations"].set_index("source").loc["copy"]
    assert (row["r"], row["p"]) == (1, 0)
    assert "perfect correlation" in row["reason"]
    assert made["distances"].set_index("source").loc["copy", ["distance", "rank"]].tolist() == [0, 1]
    z = made["z_scores"].query("source == 'copy' and formula == 'standard'")
    assert len(z) == 3
    assert z["z"].isna().all()
    assert all("no Fisher transform" in reason for reason in z["reason"])


@pytest.mark.parametrize("questions", [1, 2])
def test_one_or_two_questions(scores_of: Make, scales: Scales, questions: int) -> None:
    analysis, made = _all(scores_of(questions=questions, topics=1), scales)
    assert made["correlations"]["r"].notna().all()
    assert f"Only {questions} question" in recommend(analysis)[0].text
    if questions == 1:
        assert made["summary"]["ci_low"].isna().all()
        assert all("at least 2 questions" in reason for reason in made["summary"]["reason"])


def test_no_scores_at_all(scores_of: Make, scales: Scales) -> None:
    analysis, made = _all(scores_of(questions=0), scales)
    assert all(len(frame) == 0 for frame in made.values())
    assert recommend(analysis)[0].source is None


def test_values_missing_in_a_few_questions_are_missing_in_the_resamples(
    scores_of: Make, scales: Scales
) -> None:
    # simplicity is known for 1 question of 60: a resample lacks it in (59/60)^60 = 36 % of cases
    scores = scores_of(sources=(REFERENCE, "near"))
    rare = (scores["source"] == "near") & (scores["metric"] == "simplicity") & (scores["item"] != "q007")
    scores.loc[rare, "value"] = np.nan
    _, made = _all(scores, scales)
    row = made["summary"].set_index(["source", "metric"]).loc[("near", "simplicity")]
    assert row["n"] == 1
    assert np.isnan(row["ci_low"])
    assert made["correlations"]["r"].notna().all()
    assert "too many resamples lack" in made["correlations"]["reason"][0]
