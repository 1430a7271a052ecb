"""The results of a run read from its folder are those that were written."""

from __future__ import annotations

import io
import zipfile

import pandas as pd
import pytest

from counsel_core.errors import RunError
from counsel_core.runs.folder import RunFolder
from counsel_core.runs.plan import make_plan
from counsel_core.runs.profiles import profile_rows
from counsel_core.runs.results import (
    TEXTS,
    edition,
    has_results,
    load_facts,
    load_table,
    read_table,
    result_files,
    zip_results,
)
from counsel_core.runs.runs import Run, load_run, load_scores, prepare, runs_dir
from counsel_core.runs.worker import work
from counsel_core.runs.writing import csv_bytes, result_tables
from tests.fakes_runs import TEXT_METRICS, many


@pytest.fixture
def finished(settings) -> Run:
    dataset = many(4)
    folder = RunFolder(runs_dir(settings) / "20260101-000000-abcdef")
    prepare(folder, make_plan(dataset, app=settings, names=TEXT_METRICS), dataset)
    assert not has_results(load_run(folder.root.name, settings))
    work(folder, settings, workers=1)
    return load_run(folder.root.name, settings)


def test_each_table_is_read_as_it_was_made(finished: Run) -> None:
    assert has_results(finished)
    for name, made in result_tables(load_scores(finished), finished.plan).items():
        texts = {column: "" for column in made if column in TEXTS}  # a missing text is '' in the file
        pd.testing.assert_frame_equal(
            load_table(finished, name), made.fillna(texts), check_dtype=False, check_exact=True, obj=name
        )


@pytest.mark.parametrize("topic", ["2020", "NA", "null", "=1+1", "'quoted", "1e5", "", "名"])
def test_a_text_stays_the_text_it_was(topic: str) -> None:
    frame = pd.DataFrame({"topic": [topic, "b"], "r": [0.1234567890123456, float("nan")]})
    pd.testing.assert_frame_equal(read_table(csv_bytes(frame)), frame, check_dtype=False)


def test_a_table_that_is_not_there_is_named(finished: Run) -> None:
    with pytest.raises(RunError, match=r"nowhere\.csv cannot be read: no such file"):
        load_table(finished, "nowhere")


def test_the_edition_changes_when_results_are_written_anew(finished: Run) -> None:
    before = edition(finished)
    (finished.folder / "run.json").write_bytes((finished.folder / "run.json").read_bytes())
    assert before > 0
    assert edition(finished) > before


def test_the_archive_holds_every_file_and_nothing_of_the_work(finished: Run) -> None:
    data = zip_results(finished)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == result_files(finished)
        assert archive.read("run.json") == (finished.folder / "run.json").read_bytes()
    assert {"scores.parquet", "report.html", "summary.csv"} <= set(result_files(finished))
    assert zip_results(finished) == data
    assert load_facts(finished)["complete"] is True


def test_profiles_are_means_times_scale_in_the_order_of_the_paper() -> None:
    rows = [("gpt", "simplicity", 80.0, 4, 70.0, 90.0), ("gpt", "sentiment_change", 0.7, 5, 0.6, 0.8)]
    rows += [("gpt", "emotion_consistency", 0.5, 5, 0.4, 0.6)]  # no part of the profile
    summary = pd.DataFrame(rows, columns=["source", "metric", "mean", "n", "ci_low", "ci_high"])
    found = profile_rows(summary, ("emotion_consistency", "sentiment_change", "simplicity"))
    # Framework paper, section 4.4: simplicity counts a hundredth.
    assert found.values.tolist() == [
        ["gpt", "Sentiment change", 0.7, 0.7, 5, 0.6, 0.8],
        ["gpt", "Simplicity", 0.8, 80.0, 4, 0.7000000000000001, 0.9],
    ]
