"""A run that lost a file hides no other run."""

from __future__ import annotations

from counsel_core.runs.folder import RunFolder
from counsel_core.runs.plan import make_plan
from counsel_core.runs.runs import damaged_runs, list_runs, prepare, runs_dir
from tests.fakes_runs import TEXT_METRICS


def test_a_damaged_run_is_named_and_the_others_are_listed(small, settings) -> None:
    assert (list_runs(settings), damaged_runs(settings)) == ([], [])
    plan = make_plan(small, app=settings, names=TEXT_METRICS)
    names = ["20260101-000000-aaaaaa", "20260102-000000-bbbbbb", "20260103-000000-cccccc"]
    for name in names:
        prepare(RunFolder(runs_dir(settings) / name), plan, small)
    (runs_dir(settings) / names[1] / "journal" / "plan.json").write_text("{")
    assert [run.id for run in list_runs(settings)] == [names[2], names[0]]
    (problem,) = damaged_runs(settings)
    assert f"{names[1]}/journal/plan.json: it is damaged" in problem
