"""The tables: columns as the command line writes them, values as scipy gives them, order indifferent."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from counsel_core.errors import InputError, UnknownNameError
from counsel_core.records import OTHER_THERAPISTS, REFERENCE
from counsel_core.statistics import tables
from counsel_core.statistics.adjust import holm
from counsel_core.statistics.analysis import Analysis, analyse
from counsel_core.statistics.correlation import paper_z
from counsel_core.statistics.dependent import nonoverlapping, overlapping

Make = Callable[..., pd.DataFrame]
Scales = dict[str, float]
FIRST = {  # the columns of the files of `evaluate`, in order
    "summary": ["source", "metric", "mean", "n", "ci_low", "ci_high"],
    "topic_summary": ["topic", "source", "metric", "mean", "n", "ci_low", "ci_high"],
    "correlations": ["source", "r", "p", "p_holm", "n"],
    "topics": ["topic", "source", "r", "p", "p_holm", "n"],
    "z_scores": ["source", "topic_1", "topic_2", "z", "p", "formula"],
}


@pytest.fixture(scope="module")
def scores(scores_of: Make) -> pd.DataFrame:
    return scores_of(missing=0.1)


@pytest.fixture(scope="module")
def analysis(scores: pd.DataFrame, scales: Scales) -> Analysis:
    return analyse(scores, scales, repeats=1000, seed=2)


@pytest.fixture(scope="module")
def profile(scores: pd.DataFrame, scales: Scales) -> pd.DataFrame:
    means = scores.pivot_table(index="source", columns="metric", values="value")[list(scales)]
    return means * list(scales.values())


def _same(one: pd.DataFrame, other: pd.DataFrame) -> None:
    pd.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.mark.parametrize("name", list(FIRST))
def test_columns_are_those_of_the_command_line(analysis: Analysis, name: str) -> None:
    frame = tables.all_tables(analysis)[name]
    assert frame.columns[: len(FIRST[name])].tolist() == FIRST[name]
    assert frame.columns[-1] == "reason"
    assert len(frame) > 0


def test_means_and_their_intervals_equal_scipy(scores_of: Make, scales: Scales) -> None:
    scores = scores_of(questions=40)
    frame = tables.summary(analyse(scores, scales, repeats=1500, seed=9)).set_index(["source", "metric"])
    values = scores[(scores["source"] == "near") & (scores["metric"] == "simplicity")]["value"].to_numpy()
    # the seed of the overall part is [seed], whose stream numpy gives to scipy as well
    theirs = stats.bootstrap((values,), np.mean, n_resamples=1500, rng=np.random.default_rng([9]))
    found = frame.loc[("near", "simplicity")]
    assert (found["mean"], found["n"]) == (pytest.approx(values.mean()), 40)
    low, high = theirs.confidence_interval
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((low, high), rel=1e-9)


def test_means_leave_out_what_is_missing(scores: pd.DataFrame, analysis: Analysis) -> None:
    frame = tables.topic_summary(analysis).set_index(["topic", "source", "metric"])
    groups = scores.groupby(["topic", "source", "metric"])["value"].agg(["mean", "count"])
    assert frame["mean"].to_dict() == pytest.approx(groups["mean"].to_dict())
    assert frame["n"].to_dict() == groups["count"].to_dict()


def test_correlations_equal_scipy(analysis: Analysis, profile: pd.DataFrame) -> None:
    frame = tables.correlations(analysis)
    assert frame["source"].tolist() == ["far", "near"]
    for row in frame.itertuples():
        theirs = stats.pearsonr(profile.loc[row.source], profile.loc[REFERENCE])
        assert (row.r, row.p) == pytest.approx((theirs.statistic, theirs.pvalue))
        assert row.n == 6
        assert row.r_low < row.r < row.r_high
    assert frame["p_holm"].tolist() == holm(frame["p"].tolist())


def test_the_yardstick_is_shown_when_asked_for(analysis: Analysis) -> None:
    assert OTHER_THERAPISTS not in set(tables.correlations(analysis)["source"])
    assert OTHER_THERAPISTS in set(tables.correlations(analysis, yardstick=True)["source"])
    assert len(tables.topic_correlations(analysis, yardstick=True)) == 3 * 3


def test_interval_of_r_equals_scipy_by_question(scores_of: Make, scales: Scales) -> None:
    scores = scores_of(questions=30)
    scale = np.array(list(scales.values()))
    wide = {
        name: rows.pivot_table(index="item", columns="metric", values="value")[list(scales)].to_numpy()
        * scale
        for name, rows in scores.groupby("source")
    }

    def r(index: np.ndarray) -> float:
        near, reference = (wide[name][index.astype(int)].mean(axis=0) for name in ("near", REFERENCE))
        return float(np.corrcoef(near, reference)[0, 1])

    theirs = stats.bootstrap(
        (np.arange(30),), r, vectorized=False, n_resamples=500, rng=np.random.default_rng([1])
    ).confidence_interval
    frame = tables.correlations(analyse(scores, scales, repeats=500, seed=1)).set_index("source")
    # draws are kept in single precision
    assert tuple(frame.loc["near", ["r_low", "r_high"]]) == pytest.approx((theirs.low, theirs.high), abs=1e-6)


def test_distances_are_nearest_first_with_the_yardstick_unranked(
    analysis: Analysis, profile: pd.DataFrame
) -> None:
    frame = tables.distances(analysis).set_index("source")
    gaps = np.sqrt(((profile - profile.loc[REFERENCE]) ** 2).sum(axis=1)).drop(REFERENCE)
    assert frame["distance"].to_dict() == pytest.approx(gaps.to_dict())
    assert frame["distance"].is_monotonic_increasing
    assert frame.loc[["near", "far"], "rank"].tolist() == [1, 2]
    assert np.isnan(frame.loc[OTHER_THERAPISTS, "rank"])
    assert (frame["ci_low"] < frame["ci_high"]).all()


@pytest.mark.parametrize("formula", tables.FORMULAS)
def test_z_scores_come_from_the_profiles_by_topic(
    scores: pd.DataFrame, analysis: Analysis, scales: Scales, formula: str
) -> None:
    frame = tables.z_scores(analysis, formula=formula)
    assert len(frame) == 2 * 3  # two models, three pairs of topics
    assert set(frame["formula"]) == {formula}
    means = scores.pivot_table(index=["topic", "source"], columns="metric", values="value")[list(scales)]
    means *= list(scales.values())
    for row in frame.itertuples():
        order = [(t, s) for t in (row.topic_1, row.topic_2) for s in (row.source, REFERENCE)]
        r = np.corrcoef(means.loc[order])
        expected = paper_z(r[0, 1], r[2, 3])
        if formula == "standard":
            expected = nonoverlapping(r[0, 1], r[2, 3], r[0, 2], r[0, 3], r[1, 2], r[1, 3], 6).z
        assert row.z == pytest.approx(expected)
        assert row.r_difference == pytest.approx(r[0, 1] - r[2, 3])
        assert row.r_difference_low < row.r_difference < row.r_difference_high


def test_contrasts_are_steigers_and_agree_with_the_distances(
    analysis: Analysis, profile: pd.DataFrame
) -> None:
    frame = tables.contrasts(analysis).set_index(["source_1", "source_2"])
    r = np.corrcoef(profile.loc[[REFERENCE, "far", "near"]])
    row = frame.loc[("far", "near")]
    assert row["z"] == pytest.approx(overlapping(r[0, 1], r[0, 2], r[1, 2], 6).z)
    assert row["r_difference"] == pytest.approx(r[0, 1] - r[0, 2])
    distance = tables.distances(analysis).set_index("source")["distance"]
    assert row["distance_difference"] == pytest.approx(distance["far"] - distance["near"])
    assert 0 < row["distance_low"] < row["distance_difference"] < row["distance_high"]
    assert len(frame) == 3


def test_unknown_formula_and_senseless_settings_are_refused(analysis: Analysis, scores: pd.DataFrame) -> None:
    with pytest.raises(UnknownNameError, match="paper, standard"):
        tables.z_scores(analysis, formula="steiger")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="0 resamples"):
        analyse(scores, repeats=0)
    with pytest.raises(InputError, match=r"level 95\.0"):
        analyse(scores, level=95.0)


def test_order_of_rows_changes_nothing(scores: pd.DataFrame, analysis: Analysis, scales: Scales) -> None:
    shuffled = analyse(scores.sample(frac=1, random_state=1), scales, repeats=1000, seed=2)
    before, after = tables.all_tables(analysis), tables.all_tables(shuffled)
    for name, frame in before.items():
        _same(frame, after[name])


def test_names_of_questions_and_sources_do_not_change_the_values(
    scores: pd.DataFrame, analysis: Analysis, scales: Scales
) -> None:
    renamed = scores.replace({"source": {"near": "zebra"}})
    frame = tables.distances(analyse(renamed, scales, repeats=1000, seed=2))
    expected = tables.distances(analysis).replace({"source": {"near": "zebra"}})
    _same(frame, expected)


def test_scores_may_be_given_instead_of_an_analysis(scores_of: Make, scales: Scales) -> None:
    scores = scores_of(questions=6)
    _same(tables.correlations(scores, scales), tables.correlations(analyse(scores, scales)))


def test_another_seed_moves_intervals_only(scores: pd.DataFrame, analysis: Analysis, scales: Scales) -> None:
    other = tables.correlations(analyse(scores, scales, repeats=1000, seed=3))
    usual = tables.correlations(analysis)
    _same(other[["source", "r", "p", "n"]], usual[["source", "r", "p", "n"]])
    assert (other["r_low"] != usual["r_low"]).all()


def test_ten_thousand_resamples_take_seconds() -> None:
    # 12 models and the reference, 7 metrics, 900 questions in 30 topics; minutes if done one by one
    generator = np.random.default_rng(0)
    names = [REFERENCE, *(f"m{k}" for k in range(12))]
    keys = pd.MultiIndex.from_product(
        [range(900), names, [*"abcdefg"]], names=["item", "source", "metric"]
    ).to_frame(index=False)
    large = keys.assign(value=generator.random(len(keys)), topic=[f"t{k % 30}" for k in keys["item"]])
    start = time.process_time()
    found = analyse(large, dict.fromkeys("abcdef", 1.0))
    assert time.process_time() - start < 30
    assert found.overall.r.draws.shape == (13, 10_000)
    assert len(found.topics) == 30


def test_pairs_of_topics_are_resampled_independently(scores_of: Make, scales: Scales) -> None:
    # two topics with the same scores: were they resampled alike, every difference would be 0
    one = scores_of(topics=1)
    twin = one.assign(topic="twin", item=one["item"] + "x")
    frame = tables.z_scores(analyse(pd.concat([one, twin]), scales, repeats=500))
    assert frame["r_difference"].tolist() == [0, 0]
    assert (frame["r_difference_high"] - frame["r_difference_low"] > 0).all()


def test_every_pair_of_topics_is_there_once(analysis: Analysis) -> None:
    frame = tables.z_scores(analysis)
    pairs = list(itertools.combinations(["t0", "t1", "t2"], 2))
    assert list(zip(frame["topic_1"], frame["topic_2"], strict=True)) == pairs * 2
