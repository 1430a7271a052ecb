"""The guided detection on sentences written for this project.

Sentences, prototypes and cues have the same origin, so the figures flatter. "tune" was used to set cues
and weights, "held" was looked at when they were set. "fresh" came later in three batches, each judged
once before the cues were mended by it: 72, 62 and 66 % had a right type at that first look, with false
alarms on 4 of 24, 3 of 16 and 2 of 20. On short thoughts from a published collection 70 % had.
"""

import csv
import time

import pytest

from counsel_core.agents.cocoa.canonical import canonical
from counsel_core.agents.cocoa.evaluation import SENTENCES
from counsel_core.agents.cocoa.guided import detect, rank_distortions
from counsel_core.agents.cocoa.guided_detection import FOUND, rate_severity
from counsel_core.agents.cocoa.knowledge import distortion_types
from counsel_core.agents.cocoa.prototypes import (
    FILE,
    all_sentences,
    digest,
    prototypes,
    read_vectors,
    write_vectors,
)
from counsel_core.errors import DataFileError

with SENTENCES.open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def rows(split: str, *, distorted: bool) -> list[tuple[str, list[str]]]:
    return [
        (row["sentence"], row["types"].split("|"))
        for row in ROWS
        if row["batch"] == split and (row["types"] != "none") == distorted
    ]


def test_the_labelled_sentences_are_balanced():
    for split in ("tune", "held"):
        first = [types[0] for _, types in rows(split, distorted=True)]
        assert {name: first.count(name) for name in distortion_types()} == dict.fromkeys(
            distortion_types(), 10
        )
        assert len(rows(split, distorted=False)) == 45


# The floors are below what was seen when they were set: 1.00, 0.97 and 0.97 right.
@pytest.mark.parametrize(("split", "floor"), [("tune", 0.95), ("held", 0.9), ("fresh", 0.9)])
def test_distorted_sentences_get_a_right_type(split, floor):
    sentences = rows(split, distorted=True)
    right = sum(detect(sentence)[0] in types for sentence, types in sentences)
    assert right / len(sentences) >= floor


@pytest.mark.parametrize("split", ["tune", "held", "fresh"])
def test_undistorted_sentences_get_none(split):
    sentences = rows(split, distorted=False)
    alarms = [sentence for sentence, _ in sentences if detect(sentence)[0]]
    assert len(alarms) / len(sentences) <= 0.05, alarms


@pytest.mark.parametrize(
    "line",
    [
        "I always ruin everything, I’m such a failure!",
        "im such a failure and i always ruin everything",
        "Yesterday was my birthday. We had cake. I always ruin everything, I'm such a failure.",
    ],
)
def test_spelling_and_company_do_not_matter(line):
    assert detect(line)[0] in ("Overgeneralizing", "Labeling")


@pytest.mark.parametrize(
    "line",
    ["", "   ", "...", "😀", "我真没用", "\x00", "(((((", "\\d{3,}[a-z]+", "a" * 20_000],
)
def test_odd_lines_get_none(line):
    kind, severity, ranking = detect(line)
    assert (kind, severity) == (None, None)
    assert len(ranking) == len(distortion_types())


def test_what_others_said_or_think_is_not_the_clients_thought():
    assert detect("My mother used to tell me that I'm a failure.")[0] is None
    assert (
        detect("My mother used to tell me that I'm a failure, but now I know I'll fail anyway.")[0]
        == "Fortune Telling"
    )
    assert detect("My friend thinks she will never find a job.")[0] is None


def test_a_feeling_gives_way_to_a_thought():
    kind, _, ranking = detect("I feel so sad, I'm a failure.")
    assert kind == "Labeling"
    assert dict(ranking)["Negative Feeling or Emotion"] >= FOUND


def test_the_ranking_holds_every_type_with_a_score_from_0_to_1():
    ranking = rank_distortions("If I fail, my life is over.")
    assert {name for name, _ in ranking} == set(distortion_types())
    scores = [score for _, score in ranking]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert rank_distortions("If I fail, my life is over.") == ranking


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("He makes me late.", 2),
        ("Maybe he finds me a bit boring.", 1),
        ("Nobody calls me.", 3),  # an absolute word
        ("I'm a loser.", 3),  # an attack on oneself
        ("I'm such a loser.", 4),  # and a strong word
        ("I'm such a loser, I always fail!", 5),  # and an absolute one
    ],
)
def test_severity_follows_its_cues(line, severity):
    assert rate_severity(line) == severity


def test_canonical_spelling():
    assert canonical("I Am sure they’re  gonna laugh") == "i'm sure they're going to laugh"
    assert canonical("dont, cant, wont and I will not") == "don't, can't, won't and i won't"


@pytest.mark.parametrize("unit", ["i feel ", "so ", "my a ", "i'm really ", "everyone thinks that ", "x"])
def test_time_grows_with_the_length_only(unit):
    started = time.perf_counter()
    rank_distortions(unit * (30_000 // len(unit)))
    assert time.perf_counter() - started < 10


def test_the_stored_vectors_are_those_of_the_sentences():
    # Half precision keeps three digits; the encoder may differ in the last ones between machines.
    stored = read_vectors(FILE)
    assert set(stored) == {digest(sentence) for sentence in all_sentences()}, "run write_vectors()"
    from counsel_core.language.embeddings import minilm

    for sentence in all_sentences()[::60]:
        assert float(minilm().embed([sentence])[0] @ stored[digest(sentence)]) > 0.995


def test_vectors_are_written_and_read(tmp_path, monkeypatch):
    monkeypatch.setattr("counsel_core.agents.cocoa.prototypes.all_sentences", lambda: ("One.", "Two."))
    write_vectors(tmp_path / "v.npz")
    assert set(read_vectors(tmp_path / "v.npz")) == {digest("One."), digest("Two.")}


@pytest.mark.parametrize("keep", [0, 1, 1000])
def test_a_damaged_file_of_vectors_is_named(tmp_path, keep):
    (tmp_path / "v.npz").write_bytes(FILE.read_bytes()[:keep])
    with pytest.raises(DataFileError, match=r"v\.npz: it is damaged"):
        read_vectors(tmp_path / "v.npz")


def test_a_sentence_that_is_not_stored_is_encoded(monkeypatch, tmp_path):
    monkeypatch.setattr("counsel_core.agents.cocoa.prototypes.FILE", tmp_path / "none.npz")
    monkeypatch.setattr("counsel_core.agents.cocoa.prototypes.undistorted", lambda: ("One.",))
    monkeypatch.setattr("counsel_core.agents.cocoa.prototypes.distortion_types", dict)
    by_type, plain = prototypes.__wrapped__()
    assert by_type == {}
    assert plain.shape == (1, 384)


@pytest.mark.parametrize(
    ("line", "types"),
    [
        # Each clause bears one: a name, a rule from some events, a forecast.
        (
            "I am so stupid, I always ruin everything and nobody will ever love me",
            {"Overgeneralizing", "Labeling", "Fortune Telling"},
        ),
        # What she may think of me does not clear what I call myself in another clause.
        (
            "I always mess up, I'm an idiot and she must think I'm pathetic",
            {"Mind Reading", "Overgeneralizing", "Labeling"},
        ),
    ],
)
def test_all_types_of_a_line_rank_before_the_others(line, types):
    ranking = rank_distortions(line)
    assert {name for name, _ in ranking[:3]} == types
    assert all(score >= FOUND for _, score in ranking[:3])
