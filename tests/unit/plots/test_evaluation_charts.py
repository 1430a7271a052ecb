"""The charts of an evaluation: they show what the frame holds, page and print alike."""

from __future__ import annotations

import hashlib

import pandas as pd
import pytest

from counsel_core.plots.distances import distance_alt_text, distance_chart, distance_print
from counsel_core.plots.distributions import (
    distribution_alt_text,
    distribution_chart,
    distribution_print,
)
from counsel_core.plots.explaining import ranked_emotions, sentence_polarity
from counsel_core.plots.printing import print_bytes
from counsel_core.plots.profile import profile_alt_text, profile_chart, profile_print
from counsel_core.plots.significance import (
    significance_alt_text,
    significance_chart,
    significance_print,
)
from counsel_core.plots.topics_chart import topics_alt_text, topics_chart, topics_print


@pytest.fixture
def profile() -> pd.DataFrame:
    """Two metrics of Table 2, normalised by 1 and 1/100."""
    rows = [
        ("reference", "Sentiment change", 0.7017, 0.7017, 861),
        ("reference", "Simplicity", 0.868240, 86.8240, 702),
        ("GPT4", "Sentiment change", 0.6509, 0.6509, 861),
        ("GPT4", "Simplicity", 0.447912, 44.7912, 702),
    ]
    frame = pd.DataFrame(rows, columns=["source", "metric", "value", "mean", "n"])
    return frame.assign(low=frame["value"] - 0.01, high=frame["value"] + 0.02)


@pytest.fixture
def distances() -> pd.DataFrame:
    rows = [("Llama 7", 0.5, 0.4, 0.6), ("GPT4", 0.2, 0.1, 0.3), ("other_therapists", 0.1, None, None)]
    return pd.DataFrame(rows, columns=["source", "distance", "ci_low", "ci_high"]).assign(n=6, rank=1.0)


def test_the_reference_is_a_band_behind_the_models(profile):
    reference, model = profile_chart(profile).data
    assert (reference.mode, model.mode) == ("lines", "lines+markers")
    assert reference.line.width > 3
    assert list(model.y) == [0.6509, 0.447912]
    assert list(model.error_y.array) == pytest.approx([0.02, 0.02])


def test_twelve_sources_differ_by_more_than_colour(profile):
    many = pd.concat([profile.assign(source=f"model {at}") for at in range(12)])
    traces = profile_chart(many).data
    assert len({trace.marker.symbol for trace in traces}) == 12


def test_profile_in_words(profile):
    said = profile_alt_text(profile)
    assert "Reference: Sentiment change 0.70, Simplicity 0.87. GPT4: Sentiment change 0.65" in said


def test_significance_marks_where_chance_ends(correlations):
    figure = significance_chart(correlations)
    assert figure.layout.shapes[0].x0 == 0.05
    assert list(figure.data[0].x) == [0.035099, 0.146383]
    # Of the three known p values two are below 0.05, and one of them still is after Holm.
    said = significance_alt_text(correlations)
    assert said.startswith("2 of 3 correlations have p below 0.05, 1 after Holm's correction.")


def test_the_nearest_comes_first_and_people_are_the_yardstick(distances):
    figure = distance_chart(distances)
    assert list(figure.data[0].y) == ["GPT4", "Llama 7"]
    # No interval is known for the other therapists: a line stands for them, and no band.
    assert [shape.type for shape in figure.layout.shapes] == ["line"]
    assert distance_alt_text(distances).index("GPT4") < distance_alt_text(distances).index("Llama 7")


def test_what_has_no_rank_is_drawn_open_below_the_others(distances):
    frame = distances.assign(rank=[None if name == "GPT4" else 1.0 for name in distances["source"]])
    points = distance_chart(frame).data[0]
    assert list(points.y) == ["Llama 7", "GPT4"]
    assert list(points.marker.symbol) == ["diamond", "diamond-open"]
    assert distance_alt_text(frame).count("not ranked") == 1


def test_the_gold_standard_stands_behind_each_distribution():
    rows = {"source": ["reference", "reference", "a", "b", "b"], "value": [0.1, 0.9, 0.4, None, 0.6]}
    frame = pd.DataFrame(rows)
    figure = distribution_chart(frame, "Recycling")
    assert [trace.name for trace in figure.data] == ["Reference", "a", "Reference", "b"]
    # Each panel is named, with its n.
    assert [note.text for note in figure.layout.annotations] == ["a (n = 1)", "b (n = 1)"]
    assert "b: n = 1, 0.60 to 0.60" in distribution_alt_text(frame, "Recycling")


def test_an_answer_is_shown_sentence_by_sentence():
    bars = sentence_polarity(["Hard.", "Good."], [-0.3, 0.7]).data[0]
    assert (list(bars.x), list(bars.y)) == ([1, 2], [-0.3, 0.7])


def test_emotions_are_ranked_from_the_top():
    figure = ranked_emotions([("sadness", 0.61), ("caring", 0.2)])
    assert list(figure.data[0].y) == ["sadness", "caring"]
    assert figure.layout.yaxis.autorange == "reversed"


@pytest.mark.parametrize(("form", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_a_printed_figure_is_the_same_file_every_time(profile, form, begins):
    files = [print_bytes(profile_print(profile), form) for _ in range(2)]
    assert files[0].startswith(begins)
    assert len({hashlib.sha256(file).digest() for file in files}) == 1


def test_every_chart_can_be_printed(correlations, distances):
    frame = pd.DataFrame({"source": ["reference", "a"] * 20, "value": [at / 40 for at in range(40)]})
    for figure in (
        significance_print(correlations),
        distance_print(distances),
        distribution_print(frame, "Recycling"),
    ):
        assert print_bytes(figure, "svg").startswith(b"<?xml")


def test_the_largest_topic_is_on_top_and_a_number_is_a_name():
    frame = pd.DataFrame({"topic": ["2020", "sleep", "$1 of\\x"], "questions": [2, 5, 1]})
    figure = topics_chart(frame)
    assert list(figure.data[0].y) == ["sleep", "2020", "$1 of\\x"]
    assert figure.layout.yaxis.type == "category"
    assert topics_alt_text(frame).startswith("Questions by topic: sleep 5, 2020 2")
    assert print_bytes(topics_print(frame), "svg").startswith(b"<?xml")


def test_fifty_sources_leave_room_for_the_figure(profile, correlations):
    # Warnings are errors here: matplotlib warns when a legend squeezes the axes to nothing.
    many = pd.concat([correlations.assign(source=f"model {at}") for at in range(50)], ignore_index=True)
    assert print_bytes(significance_print(many), "svg").startswith(b"<?xml")
    profiles = [profile, *(profile.assign(source=f"model {at}") for at in range(50))]
    many = pd.concat(profiles, ignore_index=True)
    assert print_bytes(profile_print(many), "svg").startswith(b"<?xml")
