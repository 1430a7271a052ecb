"""The Topics page: what is a topic, grids, significance, words, and the questions behind a cell."""

from __future__ import annotations

import pytest

from counsel_core.records import QADataset
from counsel_core.runs.progress import RunStatus, write_status
from counsel_core.runs.results import load_table
from counsel_core.runs.runs import prepare
from counsel_core.settings import Settings
from tests.stored_runs import questions, store_run

VIEWS = ("Correlation and distance", "Significance", "Between topics", "In words")
NASTY = "<img src=x onerror=alert(1)> **bold** :red[r] $x^2$"
PAPER = ["anxiety", "depression", "intimacy", "parenting", "relationships"]


def charts(page) -> list[str]:
    """Return the descriptions of the charts, which screen readers read."""
    return [chart.proto.alt for chart in page.app.get("plotly_chart")]


def look_at(page, view: str) -> None:
    page.app.segmented_control(key="topics_view").set_value(view).run()
    assert not page.app.exception, page.app.exception[0].message


@pytest.fixture
def small(settings: Settings):
    return store_run(settings, questions(PAPER, ["gpt", "llama"], 6))


def test_without_a_run_the_page_says_what_to_do(visit) -> None:
    assert "Start one on the Metrics page" in visit("topics").words


def test_a_run_that_does_not_exist_is_named(visit, small) -> None:
    assert "is not here; it may have been removed" in visit("topics", run="20250101-000000-abcdef").words


def test_a_run_at_work_has_no_results_yet(visit, small) -> None:
    folder = small.files
    prepare(
        type(folder)(small.folder.with_name("20260102-000000-000001")), small.plan, questions(["a"], ["m"], 1)
    )
    assert "has no results yet" in visit("topics", run="20260102-000000-000001").words


def test_every_topic_is_shown_with_n_by_correlation_and_distance(visit, small) -> None:
    page = visit("topics", run=small.id)
    assert "30 questions in 5 topics" in page.words
    assert "r with the reference over 4 metrics" in page.words
    r, distance = charts(page)
    assert r.startswith("Heatmap of r with the reference: 5 rows, 2 columns")
    # Three columns: other therapists are the yardstick beside the two models.
    assert distance.startswith("Heatmap of Distance to the reference: 5 rows, 3 columns")
    figures = [chart.proto.spec for chart in page.app.get("plotly_chart")]
    assert all("anxiety (n 6)" in figure for figure in figures)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_can_be_taken_away(visit, small, view: str) -> None:
    page = visit("topics", run=small.id, topics_view=view)
    assert page.words
    keys = {str(button.key) for button in page.app.get("download_button")}
    name = dict(zip(VIEWS, ("topics_r", "topics_p", "topics_z", "topics_words"), strict=True))[view]
    forms = ("csv", "tex") if view == "In words" else ("csv", "tex", "png", "svg", "pdf")
    assert {f"{name}_{form}" for form in forms} <= keys


def test_the_formula_chooses_the_rows_of_the_table(visit, small) -> None:
    page = visit("topics", run=small.id, topics_view="Between topics")
    drawn = {}
    table = load_table(small, "z_scores")
    for formula in ("paper", "standard"):
        page.app.segmented_control(key="formula").set_value(formula).run()
        drawn[formula] = charts(page)[0]
        rows = table[table["formula"] == formula]
        highest = f"{rows['z'].max():.2f}".replace("-", "−")
        assert f"Highest {highest} (" in drawn[formula]
    assert drawn["paper"] != drawn["standard"]


def test_the_correction_chooses_what_is_outlined(visit, small) -> None:
    page = visit("topics", run=small.id, topics_view="Significance")
    assert "p (raw)" in page.app.get("plotly_chart")[0].proto.spec
    page.app.segmented_control(key="correction").set_value("holm").run()
    assert "p after Holm" in page.app.get("plotly_chart")[0].proto.spec
    # 5 topics × 2 models.
    assert "counts all 10 comparisons" in page.words


def test_the_recommendation_is_that_of_the_run_with_its_limits(visit, small) -> None:
    words = visit("topics", run=small.id, topics_view="In words").words
    said = load_table(small, "recommendations")
    assert len(said) == 6
    for text in said["text"]:
        assert text.split(": ", 1)[1] in words
    assert "nothing here is a recommendation for use with people" in words
    assert "may be noise" in words or "more than noise" in words


def test_another_column_becomes_the_topic_and_its_results_are_kept(visit, small) -> None:
    page = visit("topics", run=small.id)
    page.app.selectbox(key="column_picked").set_value("age").run()
    assert page.app.query_params["by"] == "age"
    assert "30 questions in 3 topics" in page.words
    assert charts(page)[0].startswith("Heatmap of r with the reference: 3 rows, 2 columns")
    kept = list((small.files.work / "by_column").rglob("topics.csv"))
    assert len(kept) == 1
    when = kept[0].stat().st_mtime_ns
    assert "in 3 topics" in visit("topics", run=small.id, by="age").words
    assert kept[0].stat().st_mtime_ns == when


def test_with_many_topics_the_papers_five_are_in_view_at_first(visit, settings: Settings) -> None:
    run = store_run(settings, questions([*PAPER, "work", "work", "grief"], ["gpt"], 3))
    page = visit("topics", run=run.id)
    assert sorted(page.app.multiselect(key="topics_picked").value) == PAPER
    page.app.multiselect(key="topics_picked").set_value(["work", "grief"]).run()
    assert page.app.query_params["topics"] == ["work", "grief"]
    assert "2 rows, 1 columns" in charts(page)[0]
    # The address keeps the choice: a reload and a second tab show the same.
    assert "2 rows, 1 columns" in charts(visit("topics", run=run.id, topics=["work", "grief"]))[0]


# The font of printed figures has no Chinese characters.
@pytest.mark.filterwarnings("ignore:Glyph")
def test_thirty_topics_and_twelve_models(visit, settings: Settings) -> None:
    topics = [f"主题 {n}" if n % 3 else f"topic {n} " + "x" * 60 for n in range(30)]
    dataset = questions(topics, [f"model-{n}" for n in range(12)], 2)
    run = store_run(settings, dataset)
    page = visit("topics", run=run.id)
    for view in VIEWS:
        look_at(page, view)
    page = visit("topics", run=run.id, topics=topics, topics_view="Between topics")
    assert "Choose two to 5 topics" in page.words
    assert charts(page)[0].startswith("Heatmap of Z of model-0: 30 rows, 30 columns")


def test_hostile_names_are_words(visit, settings: Settings) -> None:
    run = store_run(settings, questions([NASTY, "=1+1", "m" * 200], [NASTY, "n" * 200], 3), title=NASTY)
    page = visit("topics", run=run.id, cell_topic=NASTY, cell_source=NASTY, item="q0")
    for view in VIEWS:
        look_at(page, view)
        assert all(not element.proto.allow_html for element in page.app.markdown)
    assert "**bold**" in page.words


def test_the_questions_behind_a_cell_have_the_sources_scores(visit, small) -> None:
    page = visit("topics", run=small.id)
    assert not page.app.dataframe
    page.app.multiselect(key="behind_topics").set_value(["anxiety"]).run()
    assert page.app.query_params["cell_topic"] == "anxiety"
    assert page.app.query_params["cell_source"] == "other_therapists"
    page.app.selectbox(key="behind_source").set_value("gpt").run()
    shown = page.app.dataframe[0].value
    assert list(shown["item"]) == [f"q{n}" for n in range(6)]
    means = load_table(small, "topic_summary")
    mean = means[(means["topic"] == "anxiety") & (means["source"] == "gpt")].set_index("metric")
    # The cell's mean is that of the rows behind it.
    assert shown["Recycling"].mean() == pytest.approx(mean.loc["recycling", "mean"])
    page.press("close_cell")
    assert "cell_topic" not in page.app.query_params


def test_a_question_behind_a_cell_opens(visit, small) -> None:
    words = visit("topics", run=small.id, cell_topic="anxiety", cell_source="gpt", item="q2").words
    assert "Question 2 about anxiety?" in words
    assert "Answer to q2." in words


def test_a_run_without_models_says_so_and_shows_the_yardstick(visit, settings: Settings) -> None:
    run = store_run(settings, questions(["a", "b"], [], 4))
    page = visit("topics", run=run.id)
    assert "no model's answers" in page.words
    assert charts(page)[0].startswith("Heatmap of Distance to the reference: 2 rows, 1 columns")
    for view in VIEWS[1:]:
        look_at(page, view)


def test_one_topic_has_nothing_to_be_compared_with(visit, settings: Settings) -> None:
    page = visit("topics", run=store_run(settings, questions(["a"], ["m"], 4)).id, topics_view=VIEWS[2])
    assert "here is only one" in page.words


def test_a_data_set_without_topics_says_what_to_do(visit, settings: Settings) -> None:
    dataset = questions([None], ["m"], 4)
    items = tuple(type(item)(item.id, item.question, None, item.row) for item in dataset.items)
    plain = QADataset("plain.csv", dataset.sha256, "wide", "utf-8", dataset.policy, items, dataset.answers)
    assert "no topics" in visit("topics", run=store_run(settings, plain).id).words


def test_results_written_anew_are_read_anew(visit, settings: Settings, small) -> None:
    page = visit("topics", run=small.id)
    before = charts(page)
    table = small.folder / "topics.csv"
    table.write_text(table.read_text().replace("gpt", "another"))
    facts = small.folder / "run.json"
    facts.write_text(facts.read_text())
    page.app.run()
    assert charts(page)[0] != before[0]
    assert "another" in charts(page)[0]


def test_an_interrupted_run_with_tables_is_shown_as_it_is(visit, small) -> None:
    write_status(small.files, RunStatus("cancelled"))
    assert "30 questions in 5 topics" in visit("topics", run=small.id).words
