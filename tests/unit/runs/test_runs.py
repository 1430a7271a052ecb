"""Runs in real worker processes: watched, cancelled, killed, resumed, two at once."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from counsel_core.errors import RunError, UnknownNameError
from counsel_core.llm.catalogue import save_model
from counsel_core.runs import runs
from counsel_core.runs.folder import OUTPUTS, RunFolder, hold, is_held
from counsel_core.runs.plan import make_plan
from counsel_core.runs.progress import RunStatus, read_status, write_status
from counsel_core.runs.worker import work
from counsel_core.settings import read_settings
from tests.fakes.openai_server import OpenAIServer, status, text
from tests.fakes_runs import TEXT_METRICS, is_alive, many, wait_until


def ended(run: runs.Run) -> RunStatus:
    """Wait for a run's end and return how it ended."""
    wait_until(lambda: not runs.status(run).at_work, 120)
    return runs.status(run)


def lines(run: runs.Run) -> int:
    """Return how many results a run's journal holds."""
    file = run.files.journal
    return max(0, file.read_bytes().count(b"\n") - 1) if file.exists() else 0


def started(dataset, settings, processes, **changes) -> runs.Run:
    plan = make_plan(dataset, app=settings, names=TEXT_METRICS)
    run = runs.start(plan, dataset, settings, **changes)
    wait_until(lambda: runs.status(run).process != 0 or not runs.status(run).at_work)
    processes.append(runs.status(run).process or os.getpid())
    return run


@pytest.fixture
def processes(processes):
    """Those of the common fixture, without this very process."""
    yield processes
    processes[:] = [process for process in processes if process != os.getpid()]


def test_a_run_works_in_a_session_of_its_own_and_finishes(small, settings, processes):
    run = started(small, settings, processes, title="  First\n run ")
    assert os.getpid() not in processes
    status = ended(run)
    assert (status.state, status.failed, status.done, status.share) == ("finished", 0, status.total, 1.0)
    assert all((run.folder / name).exists() for name in OUTPUTS)
    assert run.title == "First run"
    assert runs.load_run(run.id, settings) == run
    assert runs.list_runs(settings) == [run]
    assert runs.load_dataset(run) == small
    scores = runs.load_scores(run)
    assert len(scores) == 6 * 4  # three questions, two sources, four metrics
    # one of three questions has no text: the two metrics that need it are missing for both sources
    without = scores[scores.reason == "the item has no question text"]
    assert sorted(without.metric.unique()) == ["recycling", "sentiment_change"]
    assert len(without) == 4


def test_killed_at_half_and_resumed_it_gives_the_bytes_of_an_unbroken_run(settings, processes, tmp_path):
    data = many(500)
    run = started(data, settings, processes, workers=2)
    total = runs.status(run).total
    assert total == 500 * 2 * 4
    wait_until(lambda: lines(run) >= total * 0.4, 120)
    worker = runs.status(run).process
    children = Path(f"/proc/{worker}/task/{worker}/children").read_text().split()
    processes += map(int, children)
    assert os.getsid(worker) == worker
    os.kill(worker, signal.SIGKILL)
    wait_until(lambda: runs.status(run).state == "interrupted")
    before = lines(run)
    assert total * 0.4 <= before < total
    assert not (run.folder / "scores.parquet").exists()
    wait_until(lambda: not any(is_alive(int(child)) for child in children), 30)  # no process is left behind

    runs.resume(run, settings, workers=2)
    assert ended(run).state == "finished"
    assert lines(run) == total  # nothing was scored twice, nothing was lost

    unbroken = RunFolder(tmp_path / "unbroken")
    runs.prepare(unbroken, run.plan, data)
    work(unbroken, settings, workers=1)
    one, other = (folder / "scores.parquet" for folder in (run.folder, unbroken.root))
    assert one.read_bytes() == other.read_bytes()
    for table in ("summary.csv", "correlations.csv", "z_scores.csv"):
        assert (run.folder / table).read_bytes() == (unbroken.root / table).read_bytes()


def test_cancelled_it_stops_soon_and_can_be_resumed_beside_another_run(settings, small, processes):
    data = many(300)
    run = started(data, settings, processes, workers=1)
    other = started(small, settings, processes)
    wait_until(lambda: lines(run) > 0, 60)
    with pytest.raises(RunError, match="at work"):
        runs.remove(run)
    with pytest.raises(RunError, match="at work"):
        runs.resume(run, settings)
    runs.cancel(run)
    assert ended(run).state == "cancelled"
    assert 0 < lines(run) < runs.status(run).total
    assert ended(other).state == "finished"
    partial = runs.load_scores(run)
    assert (partial.reason == "not scored yet").sum() == runs.status(run).total - lines(run)
    runs.resume(run, settings)
    assert ended(run).state == "finished"
    assert lines(run) == runs.status(run).total
    runs.remove(run)
    assert runs.list_runs(settings) == [other]


def test_a_change_of_the_data_set_or_the_preset_is_refused(small, settings, tmp_path):
    folder = RunFolder(tmp_path / "out")
    plan = make_plan(small, app=settings, names=TEXT_METRICS)
    runs.prepare(folder, plan, small)
    with pytest.raises(RunError, match=r"holds this run already\. Give --resume"):
        runs.prepare(folder, plan, small)
    runs.prepare(folder, plan, small, resume=True)
    standard = make_plan(small, app=settings, names=TEXT_METRICS, preset="standard")
    with pytest.raises(RunError, match=r"preset: paper → standard\). Results are never mixed"):
        runs.prepare(folder, standard, small, resume=True)
    less = replace(small, answers=small.answers[1:])
    with pytest.raises(RunError, match="the data set has changed"):
        runs.prepare(folder, make_plan(less, app=settings, names=TEXT_METRICS), less, resume=True)


def test_a_data_set_that_was_changed_in_the_folder_is_refused(small, settings, tmp_path):
    folder = RunFolder(tmp_path / "out")
    runs.prepare(folder, make_plan(small, app=settings, names=TEXT_METRICS), small)
    other = RunFolder(tmp_path / "other")
    less = replace(small, answers=small.answers[1:])
    runs.prepare(other, make_plan(less, app=settings, names=TEXT_METRICS), less)
    folder.dataset.write_bytes(other.dataset.read_bytes())
    with pytest.raises(RunError, match="not the one of the plan"):
        work(folder, settings)
    folder.dataset.write_bytes(b"\x1f\x8b")
    with pytest.raises(RunError, match="missing or damaged"):
        work(folder, settings)


def test_files_of_others_are_not_written_over(small, settings, tmp_path):
    (tmp_path / "summary.csv").write_text("mine")
    with pytest.raises(RunError, match=r"holds summary\.csv and no run"):
        runs.prepare(RunFolder(tmp_path), make_plan(small, app=settings, names=TEXT_METRICS), small)
    assert (tmp_path / "summary.csv").read_text() == "mine"


def test_a_full_disk_ends_the_run_with_a_word_and_it_can_be_resumed(small, settings, tmp_path, monkeypatch):
    folder = RunFolder(tmp_path / "out")
    runs.prepare(folder, make_plan(small, app=settings, names=TEXT_METRICS), small)
    real = os.pwrite

    def full(file: int, data: bytes, offset: int) -> int:
        if offset:
            raise OSError(28, "No space left on device")
        return real(file, data, offset)

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(RunError, match="no space left on device"):
        work(folder, settings)
    status = read_status(folder)
    assert (status.state, "no space left" in status.message) == ("failed", True)
    monkeypatch.undo()
    assert work(folder, settings).state == "finished"


def test_one_worker_a_run(small, settings, tmp_path, monkeypatch):
    monkeypatch.setattr("counsel_core.runs.folder._PATIENCE", 0.1)
    folder = RunFolder(tmp_path / "out")
    runs.prepare(folder, make_plan(small, app=settings, names=TEXT_METRICS), small)
    with hold(folder), pytest.raises(RunError, match="another process is at work"):
        work(folder, settings)
    assert not is_held(folder)


def test_a_worker_that_cannot_begin_says_why(small, settings, processes):
    save_model({"name": "judge", "base_url": "http://127.0.0.1:9/v1", "model": "m"}, settings)
    plan = make_plan(small, app=settings, names=["agreeability"], judge="judge")
    settings.models_file.unlink()  # the judge is gone before the worker opens it
    run = runs.start(plan, small, settings)
    status = ended(run)
    assert status.state == "failed"
    assert "no model named 'judge'" in status.message
    # The state is told first; the log follows before the process ends.
    wait_until(lambda: "no model named 'judge'" in run.files.log.read_text())


def test_only_what_failed_is_asked_again_and_every_raw_answer_is_kept(small, settings):
    with OpenAIServer() as server:
        save_model(
            {"name": "judge", "base_url": server.base_url, "model": "m", "options": {"retries": 0}}, settings
        )
        plan = make_plan(small, app=settings, names=["agreeability", "recycling"], judge="judge")
        server.answers(status(500), text('{"score": 7}'))  # the last answer stays
        run = runs.start(plan, small, settings)
        first = ended(run)
        # the two questions with a text, each with two sources: four judged, one of them refused
        assert (first.state, first.failed, len(server.log)) == ("finished", 1, 4)
        (failure,) = runs.load_failures(run)
        runs.resume(run, settings)
        assert (ended(run).failed, len(server.log)) == (1, 4)
        runs.retry_failed(run, settings)
        assert (ended(run).failed, len(server.log)) == (0, 5)
    scores = runs.load_scores(run)
    assert scores[scores.metric == "agreeability"].value.dropna().tolist() == [7.0] * 4
    details = [one for one in runs.load_details(run, failure.item) if one.metric == "agreeability"]
    assert [one.detail["calls"][0]["text"] for one in details] == ['{"score": 7}'] * 2


def test_a_worker_that_never_came_is_not_waited_for_for_ever(small, settings, tmp_path):
    folder = RunFolder(tmp_path / "out")
    runs.prepare(folder, make_plan(small, app=settings, names=TEXT_METRICS), small)
    begun = read_status(folder)
    assert begun.state == "waiting"
    assert read_status(folder, lambda: begun.updated + 60).state == "interrupted"
    write_status(folder, RunStatus("running", updated=begun.updated))
    assert read_status(folder).state == "interrupted"
    with hold(folder):
        assert read_status(folder, lambda: begun.updated + 60).message == "No sign of life for 60 seconds."


def test_keys_reach_the_worker_but_no_file_of_the_run(small, settings, monkeypatch, processes):
    monkeypatch.setenv("EXAMPLE_KEY", "sk-very-secret")
    run = started(small, read_settings(), processes)
    ended(run)
    assert not any(b"sk-very-secret" in path.read_bytes() for path in run.folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", ["../x", "20260101-000000-abcdef", ""])
def test_a_run_that_is_not_there_is_said(settings, name):
    with pytest.raises(UnknownNameError):
        runs.load_run(name, settings)


def test_a_title_can_be_changed(small, settings, processes):
    run = started(small, settings, processes)
    ended(run)
    runs.rename(run, "Another")
    assert runs.load_run(run.id, settings).title == "Another"
