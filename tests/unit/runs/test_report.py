"""The report: one file, figures in it, every text escaped, numbers readable."""

from __future__ import annotations

import re

import pytest

from counsel_core.runs.folder import RunFolder
from counsel_core.runs.plan import make_plan
from counsel_core.runs.report_figures import report_figures
from counsel_core.runs.runs import load_run, load_scores, prepare, runs_dir
from counsel_core.runs.worker import work
from counsel_core.runs.writing import result_tables
from tests.fakes_runs import TEXT_METRICS, many


@pytest.fixture
def run(settings):
    dataset = many(6)
    folder = RunFolder(runs_dir(settings) / "20260101-000000-abcdef")
    prepare(folder, make_plan(dataset, app=settings, names=TEXT_METRICS), dataset)
    work(folder, settings, workers=1)
    return load_run(folder.root.name, settings)


def test_every_figure_stands_in_the_report_with_its_words(run) -> None:
    report = (run.folder / "report.html").read_text(encoding="utf-8")
    figures = report_figures(run.plan, result_tables(load_scores(run), run.plan))
    assert {"distances", "summary"} <= {figure.before for figure in figures}
    alts = re.findall(r"<img alt='([^']+)' src='data:image/svg\+xml;base64,", report)
    assert len(alts) == len(figures)
    assert alts[0].startswith("Distance to the reference with 95 % intervals:")


def test_the_limits_and_what_the_words_do_not_say_are_there(run) -> None:
    report = (run.folder / "report.html").read_text(encoding="utf-8")
    assert "They do not say that the answers are good, safe or helpful" in report
    assert "nothing here is a recommendation for use with people" in report


def test_no_small_number_is_shown_as_zero(run) -> None:
    report = (run.folder / "report.html").read_text(encoding="utf-8")
    # An exact zero is "0", a small one "1.2e-05": four zeros would hide the difference.
    assert "<td class='n'>0.0000</td>" not in report
    assert "<td class='n'>-0.0000</td>" not in report
