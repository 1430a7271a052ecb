"""Profiles beside the reference: the vectorised r and distance equal the plain ones."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counsel_core.statistics.correlation import pearson
from counsel_core.statistics.profile import correlations_to, distances_to, euclidean, leave_one_out


def test_vectorised_equals_one_by_one() -> None:
    generator = np.random.default_rng(1)
    profiles, known = generator.random((4, 6, 50)), generator.random((4, 6)) < 0.8
    known[3] = [True, False, False, False, False, False]
    reference = profiles[0]
    r, distance = correlations_to(profiles, reference, known), distances_to(profiles, reference, known)
    for i in range(4):
        for k in range(50):
            x, y = profiles[i, known[i], k], reference[known[i], k]
            plain = pearson(x, y).r
            assert r[i, k] == pytest.approx(np.nan if plain is None else plain, nan_ok=True, abs=1e-12)
            assert distance[i, k] == pytest.approx(euclidean(x, y))


def test_nothing_known_and_constant_profiles_are_missing() -> None:
    profiles, reference = np.ones((2, 3, 1)), np.array([[1.0], [2], [3]])
    known = np.array([[True] * 3, [False] * 3])
    assert np.isnan(correlations_to(profiles, reference, known)).all()
    assert distances_to(profiles, reference, known)[:, 0].tolist() == pytest.approx(
        [5**0.5, np.nan], nan_ok=True
    )


ROWS = st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=1, max_size=10)


@settings(deadline=None)
@given(ROWS, st.randoms(use_true_random=False))
def test_distance_is_symmetric_and_blind_to_order(pairs: list[tuple[float, float]], random: object) -> None:
    x, y = zip(*pairs, strict=True)
    found = euclidean(x, y)
    assert found >= 0
    assert found == euclidean(y, x)
    assert euclidean(x, x) == 0
    random.shuffle(pairs)  # type: ignore[attr-defined]
    assert euclidean(*zip(*pairs, strict=True)) == pytest.approx(found)


def test_distance_of_nothing_is_missing() -> None:
    assert euclidean([np.nan, 1], [1, np.nan]) is None
    assert euclidean([], []) is None


def test_leaving_one_out_by_hand() -> None:
    # reference (0, 1, 3). a differs in z by 2: it is nearest without z. b differs in x by 1.
    profile = pd.DataFrame({"x": [0, 0, 1], "y": [1, 1, 1], "z": [3, 5, 3]}, ["ref", "a", "b"], dtype=float)
    frame = leave_one_out(profile, "ref").set_index(["without", "source"])
    assert frame["distance"].tolist() == [2, 1, 2, 0, 2, 1, 0, 1]
    assert frame["distance_rank"].tolist() == [2, 1, 2, 1, 2, 1, 1, 2]
    assert frame["n"].tolist() == [3, 3, 2, 2, 2, 2, 2, 2]
    assert frame.loc[("z", "a"), "changed"]
    assert not frame.loc["", "changed"].any()
    assert frame.loc[("z", "b"), "reason"] == "the first values are all the same"  # (1, 1)


def test_a_source_that_lacks_a_metric_has_no_rank_by_distance() -> None:
    profile = pd.DataFrame(
        {"x": [0, 0.1, 1], "y": [1, 2, 1.2], "z": [3, np.nan, 3.5]}, ["ref", "a", "b"], dtype=float
    )
    frame = leave_one_out(profile, "ref").set_index(["without", "source"])
    assert np.isnan(frame.loc[("", "a"), "distance_rank"])
    assert frame.loc[("", "b"), "distance_rank"] == 1
    assert frame.loc[("z", "a"), "distance_rank"] == 1 or frame.loc[("z", "b"), "distance_rank"] == 1
