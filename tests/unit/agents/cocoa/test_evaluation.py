"""Detection measured on labelled sentences: the sentences, the counting, the figures that ship."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from counsel_core.agents.cocoa.evaluation import (
    FIGURES,
    Labelled,
    evaluate_detection,
    figures_as_json,
    load_figures,
    load_labelled,
)
from counsel_core.agents.cocoa.guided import detect
from counsel_core.agents.cocoa.knowledge import distortion_types
from counsel_core.agents.cocoa.prototypes import all_sentences
from counsel_core.cli import main
from counsel_core.errors import DataFileError, UnknownNameError
from counsel_core.language.embeddings import minilm


def test_each_type_has_ten_sentences_and_the_splits_share_none() -> None:
    tuning, untouched = load_labelled("tuning"), load_labelled("untouched")
    for rows, of_each, plain in ((tuning, 20, 60), (untouched, 7, 45)):
        counts = Counter(row.types[0] if row.types else "none" for row in rows)
        assert all(counts[name] >= of_each for name in distortion_types())
        assert counts["none"] >= plain
        assert len({row.sentence.lower() for row in rows}) == len(rows)
    assert not {row.sentence for row in tuning} & {row.sentence for row in untouched}


def test_no_untouched_sentence_is_nearly_a_prototype_or_one_that_rules_were_set_by() -> None:
    sentences = [row.sentence for row in load_labelled("untouched") if row.types]
    known = [*all_sentences(), *(row.sentence for row in load_labelled("tuning"))]
    nearness = minilm().embed(sentences) @ minilm().embed(known).T
    assert nearness.max() < 0.8


def test_the_counts_are_those_made_by_hand() -> None:
    rows = [
        Labelled("1", ("Labeling",)),
        Labelled("2", ("Labeling", "Blaming")),
        Labelled("3", ("Blaming",)),
        Labelled("4", ()),
        Labelled("5", ()),
    ]
    given = {"1": "Labeling", "2": "Blaming", "3": None, "4": "Labeling", "5": ""}
    found = evaluate_detection(rows, given.__getitem__, split="untouched", model="by hand")
    of = {one.name: one for one in found.types}
    # 1 and 2 have Labeling first, and either of their types is right; Labeling went to 1 and, wrongly, to 4.
    assert (of["Labeling"].n, of["Labeling"].right, of["Labeling"].found, of["Labeling"].fitting) == (
        2,
        2,
        2,
        1,
    )
    assert (of["Labeling"].recall, of["Labeling"].precision) == (1.0, 0.5)
    assert (of["Blaming"].recall, of["Blaming"].precision) == (0.0, 1.0)
    assert (of["Mind Reading"].recall, of["Mind Reading"].precision) == (None, None)
    assert (found.recall, found.false_alarms, found.failed) == (pytest.approx(2 / 3), 0.5, 1)
    assert found.confused == (("none", "Labeling", 1),)


def test_the_figures_that_ship_are_those_of_the_shipped_rules() -> None:
    shipped = load_figures()
    assert [one.split for one in shipped] == ["tuning", "untouched"]
    for one in shipped:
        again = evaluate_detection(
            load_labelled(one.split), lambda text: detect(text)[0] or "", split=one.split, model=one.model
        )
        # Nearness to prototypes may differ in its last digits from machine to machine; a sentence may tip.
        assert again.recall == pytest.approx(one.recall, abs=0.02)
        assert again.false_alarms == pytest.approx(one.false_alarms, abs=0.03)
    assert json.loads(FIGURES.read_bytes()) == [figures_as_json(one) for one in shipped]


def test_the_command_prints_them(capsys) -> None:
    assert main(["detect-distortion", "--evaluate", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["split"], found["distorted"], found["undistorted"]) == ("untouched", 91, 45)
    assert main(["detect-distortion", "--evaluate"]) == 0
    assert "Mind Reading" in capsys.readouterr().out


def test_what_is_not_there_is_named(tmp_path) -> None:
    with pytest.raises(UnknownNameError, match="tuning, untouched"):
        load_labelled("held")
    damaged = tmp_path / "figures.json"
    damaged.write_text("[{}]")
    with pytest.raises(DataFileError, match="restore"):
        load_figures(damaged)
