"""The run that comes with the project: that it is what `evaluate` gives, and is installed whole."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from counsel_core.datasets import read_dataset
from counsel_core.datasets.beside import read_about
from counsel_core.errors import DataFileError
from counsel_core.runs import sample_run
from counsel_core.runs.plan import differences, make_plan
from counsel_core.runs.results import load_facts
from counsel_core.runs.runs import list_runs, load_details, load_scores, remove, status
from counsel_core.settings import DATA, Settings

SAMPLE = DATA / "samples" / "sample_answers.csv"


def test_it_is_a_finished_run_of_the_shipped_answers_by_the_present_code(settings: Settings) -> None:
    run = sample_run.install_sample_run(settings)
    assert status(run).state == "finished"
    dataset = replace(read_dataset(SAMPLE.name, SAMPLE.read_bytes()), about=read_about(SAMPLE))
    now = make_plan(dataset, app=settings, preset=run.plan.preset, names=run.plan.metrics)
    assert differences(run.plan, now) == []
    assert load_facts(run)["complete"]
    assert load_facts(run)["failed"] == []


def test_its_means_follow_from_its_scores(settings: Settings) -> None:
    scores = load_scores(sample_run.install_sample_run(settings))
    means = scores.groupby(["source", "metric"])["value"].mean()
    table = sample_run.sample_table("summary").set_index(["source", "metric"])["mean"]
    pd.testing.assert_series_equal(table.dropna(), means.reindex(table.dropna().index), check_names=False)


def test_it_is_installed_once_and_stays_removed_until_asked_for(settings: Settings) -> None:
    run = sample_run.install_sample_run(settings)
    assert sample_run.install_sample_run(settings) == run
    assert [one.id for one in list_runs(settings)] == [run.id]
    assert load_details(run, "anxiety-02")
    remove(run)
    assert list_runs(settings) == []


def test_a_damaged_archive_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    damaged = tmp_path / "sample_run.zip"
    damaged.write_bytes(sample_run.PACKED.read_bytes()[:1000])
    monkeypatch.setattr(sample_run, "PACKED", damaged)
    with pytest.raises(DataFileError, match="restore the file"):
        sample_run.install_sample_run(settings)
    assert list_runs(settings) == []
