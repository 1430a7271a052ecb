"""The Metrics page: an evaluation is set up, started, watched, resumed, and read down to one question."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from counsel_core.datasets import library
from counsel_core.llm.catalogue import save_model
from counsel_core.records import OTHER_THERAPISTS, REFERENCE, Answer, QADataset
from counsel_core.runs.folder import RunFolder
from counsel_core.runs.plan import make_plan
from counsel_core.runs.progress import RunStatus, write_status
from counsel_core.runs.runs import Run, cancel, list_runs, load_run, prepare, runs_dir, status
from counsel_core.runs.worker import work
from counsel_core.settings import Settings
from pages._ui.metrics_means import means_grid
from tests.fakes.openai_server import OpenAIServer, text
from tests.fakes.openai_server import status as http_status
from tests.fakes_runs import TEXT_METRICS, dataset_of, many
from tests.stored_runs import questions, store_run

VIEWS = ("Nearness", "Means", "Distributions", "Pairs", "Missing", "Questions", "Settings and files")
NASTY = "<img src=x onerror=alert(1)> **bold** :red[r] $x^2$"
WIDE = (
    "question,topic,reference,llama-2-7b,qwen-7b\n"
    "I feel sad about my rent.,money,Your rent is a good topic. Rest.,I am happy. Pay your rent.,Sad. Good.\n"
    "My bad boss shouts.,work,That is awful. Rest is nice.,Leave the bad boss. Good.,I see. Bad boss.\n"
)


@pytest.fixture
def evaluated(settings: Settings) -> Callable[..., Run]:
    """Evaluate a data set in this process and return the run."""
    numbers = itertools.count(1)

    def evaluate(dataset: QADataset, *names: str, title: str = "", **options: object) -> Run:
        plan = make_plan(dataset, app=settings, names=names or TEXT_METRICS, **options)
        folder = RunFolder(runs_dir(settings) / f"20260101-000000-{next(numbers):06x}")
        prepare(folder, plan, dataset, title=title)
        work(folder, settings, workers=1)
        return load_run(folder.root.name, settings)

    return evaluate


@pytest.fixture
def saved(settings: Settings) -> str:
    return library.save(settings, "two.csv", WIDE.encode()).key


def choose_only(page, *wanted: str, judged: bool = False) -> None:
    end = "judged" if judged else "alone"
    for box in page.app.checkbox:
        if box.key.endswith(end) and not box.disabled:
            box.set_value(box.key.removesuffix(f"_{end}").removeprefix("metric_") in wanted)
    page.app.run()


def test_the_form_says_what_each_metric_is_how_presets_differ_and_what_it_costs(visit, saved) -> None:
    page = visit("metrics", dataset=saved)
    words = page.words
    assert "repeats the published computation" in page.app.segmented_control(key="preset").help
    assert "Both give σ of the change relative to the question's polarity" in words  # differs of one metric
    assert "6 answers" in words
    assert "Costs nothing but time on this machine" in words
    judged = {box.key: box for box in page.app.checkbox}["metric_agreeability_alone"]
    assert judged.disabled
    assert {box.key: box for box in page.app.checkbox}["metric_agreeability_proxy_alone"].value


def test_a_run_is_started_from_the_form_and_its_results_are_shown(visit, saved, settings) -> None:
    page = visit("metrics", dataset=saved)
    choose_only(page, "recycling", "sentiment_change", "intra_sentiment")
    page.press("start_run")
    (run,) = list_runs(settings)
    assert page.app.query_params["run"] == run.id
    page.until(lambda: not status(run).at_work)
    words = page.go("metrics", run=run.id).words
    assert "is nearest to the reference by Euclidean distance over 3 metrics" in words
    assert "It does not mean that they are safe" in words
    assert words.index("Distance to the reference") < words.index("Correlation with the reference")
    assert run.plan.preset == "paper"


def test_the_sample_without_models_says_what_to_do(visit) -> None:
    page = visit("metrics", dataset="sample-sample_questions")
    assert "let models answer, on the Datasets page" in page.words


def test_a_judge_needs_naming_its_calls_are_counted_and_its_family_is_marked(visit, saved, settings) -> None:
    save_model({"name": "mine", "base_url": "http://127.0.0.1:9/v1", "model": "Qwen2.5-14B"}, settings)
    page = visit("metrics", dataset=saved)
    page.app.selectbox(key="judge").set_value("mine").run()
    words = page.words
    # 6 answers, 2 judged metrics
    assert "12 calls of the judge" in words
    assert "of one family: qwen-7b" in words
    page.app.number_input(key="repeats").set_value(3).run()
    assert "36 calls of the judge" in page.words


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_shows_hostile_names_as_words(visit, evaluated, view: str) -> None:
    rows = [
        (
            f"{NASTY} question {n}",
            {REFERENCE: "Rest. It is good.", NASTY: "Bad. So bad.", "名" * 200: "好 good."},
        )
        for n in range(3)
    ]
    run = evaluated(dataset_of(*rows, topic=NASTY), title=NASTY)
    page = visit("metrics", run=run.id, view=view)
    assert page.app.segmented_control(key="view").value == view
    assert "<img" not in "".join(m.value for m in page.app.markdown if m.allow_html)
    assert not page.app.error
    assert page.words


def test_thirty_topics_and_twelve_models_are_shown(visit, evaluated) -> None:
    base = dataset_of(
        *[
            (f"I am sad {n}.", {REFERENCE: "Good.", **{f"m{k}": f"Bad {k}." for k in range(12)}})
            for n in range(30)
        ]
    )
    items = tuple(replace(item, topic=f"主题 {n}") for n, item in enumerate(base.items))
    run = evaluated(replace(base, items=items), "recycling", "sentiment_change", "intra_sentiment")
    assert "Topic by topic (30)" in [expander.label for expander in visit("metrics", run=run.id).app.expander]
    page = visit("metrics", run=run.id, view="Means")
    assert len(page.app.dataframe[0].value) == 13


def test_the_means_of_the_page_are_those_of_the_run_each_with_its_n(evaluated, visit) -> None:
    run = evaluated(many(4))
    page = visit("metrics", run=run.id, view="Means")
    grid = page.app.dataframe[0].value
    assert list(grid.columns[1:]) == [
        "Sentiment change",
        "Sentiment within the answer",
        "Simplicity",
        "Recycling",
    ]
    from counsel_core.runs.results import load_table

    summary = load_table(run, "summary")
    assert grid.equals(means_grid(summary))
    assert grid["Recycling"].str.endswith("n 4").all()


def test_other_therapists_are_named_the_yardstick(visit, evaluated) -> None:
    answers = {REFERENCE: "Rest. It is good.", OTHER_THERAPISTS: "Sleep. Be glad.", "gpt": "Bad. So bad."}
    run = evaluated(dataset_of(*[(f"I feel sad {n}.", answers) for n in range(4)]))
    assert "human yardstick: how far other therapists are" in visit("metrics", run=run.id).words


def test_one_question_shows_its_answers_recycled_words_marked_and_why_a_score_is_missing(
    visit, evaluated
) -> None:
    dataset = dataset_of(
        (
            "I feel sad about rent",
            {REFERENCE: "Pay the rent now.", "gpt": "So sad about it all.", "bad": "Secret."},
        )
    )
    blocked = tuple(replace(one, blocked=one.source == "bad") for one in dataset.answers)
    run = evaluated(replace(dataset, answers=blocked))
    page = visit("metrics", run=run.id, view="Questions", item="q1")
    marked = "\n".join(element.value for element in page.app.markdown)
    assert ":blue-background[**rent**]" in marked
    assert ":blue-background[**sad**]" in marked
    assert "Secret" not in marked
    assert "1 answer held back by the reply check: not shown" in page.words
    scores = page.app.dataframe[-1].value
    reasons = scores.loc[(scores["source"] == "gpt") & (scores["metric"] == "Simplicity"), "reason"].item()
    assert reasons == "it has 5 words; more than 100 are needed"
    page.app.segmented_control(key="item_lens").set_value("Sentiment by sentence").run()
    shown = [frame.value for frame in page.app.dataframe if "sentence" in frame.value]
    assert list(shown[0]["sentence"]) == ["Pay the rent now", "(empty piece)"]


def test_missing_values_are_counted_with_their_reasons(visit, evaluated) -> None:
    run = evaluated(dataset_of((None, {REFERENCE: "Rest.", "gpt": "Sleep."}), ("Why?", {REFERENCE: "Rest."})))
    page = visit("metrics", run=run.id, view="Missing")
    rows = page.app.dataframe[0].value
    lacking = rows[(rows["source"] == "gpt") & (rows["metric"] == "Recycling")]
    assert lacking[["reason", "n"]].values.tolist() == [["the item has no question text", 1]]
    assert f"{int(rows['n'].sum())} of 12 values are missing" in page.words


def test_a_judged_run_shows_failures_scores_them_again_and_keeps_what_the_judge_wrote(
    visit, evaluated, settings
) -> None:
    with OpenAIServer() as server:
        save_model(
            {"name": "judge", "base_url": server.base_url, "model": "m", "options": {"retries": 0}}, settings
        )
        server.answers(http_status(500, "out of order"), text('{"score": 7}'))
        dataset = dataset_of(("I feel sad.", {REFERENCE: "Rest well.", "gpt": "Sleep well."}))
        run = evaluated(dataset, "agreeability", "recycling", judge="judge")
        page = visit("metrics", run=run.id)
        assert "1 result failed" in page.words
        assert "out of order" in " ".join(page.app.dataframe[0].value["reason"])
        page.press("retry_run").until(lambda: not status(run).at_work)
        assert "failed" not in page.go("metrics", run=run.id).words
        page = visit("metrics", run=run.id, view="Questions", item="q1")
        page.app.segmented_control(key="item_lens").set_value("Ratings").run()
        assert [code.value for code in page.app.code] == ['{"score": 7}'] * 2


def test_a_cancelled_run_is_resumed_from_the_page(visit, settings, evaluated) -> None:
    dataset = many(3)
    plan = make_plan(dataset, app=settings, names=TEXT_METRICS)
    folder = RunFolder(runs_dir(settings) / "20260101-000000-abcdef")
    prepare(folder, plan, dataset)
    run = load_run(folder.root.name, settings)
    cancel(run)
    write_status(folder, RunStatus("cancelled"))
    page = visit("metrics", run=run.id)
    assert "Cancelled. What was scored is kept" in page.words
    page.press("resume_run").until(lambda: not status(run).at_work)
    assert status(run).state == "finished"
    assert "is nearest to the reference" in page.go("metrics", run=run.id).words


def test_a_run_at_work_can_be_cancelled_and_others_are_named(visit, settings, evaluated) -> None:
    import time

    done = evaluated(many(2))
    folder = RunFolder(runs_dir(settings) / "20260101-000001-abcdef")
    prepare(folder, done.plan, many(2), title="the other")
    write_status(folder, RunStatus("waiting", updated=time.time()))
    assert "At work too: the other, 0%" in visit("metrics", run=done.id).words
    page = visit("metrics", run=folder.root.name)
    assert "Starting …" in page.words
    page.press("cancel_run")
    assert folder.cancel.exists()


def test_a_run_that_is_gone_is_said_to_be(visit) -> None:
    page = visit("metrics", run="20200101-000000-000000")
    assert "The evaluation of this address is not here" in page.words
    assert "run" not in page.app.query_params


def test_every_table_and_the_report_can_be_taken_away(visit, evaluated) -> None:
    run = evaluated(many(3))
    page = visit("metrics", run=run.id, view="Settings and files")
    keys = {str(button.key) for button in page.app.get("download_button")}
    assert {"file_report.html", "file_scores.parquet", "file_run.json", "file_zip", "file_table_tex"} <= keys
    tables = page.app.selectbox(key="file_table").options
    assert {"summary", "topic_summary", "distances", "correlations", "paired", "recommendations"} <= set(
        tables
    )
    settings_rows = dict(page.app.dataframe[0].value.itertuples(index=False))
    assert settings_rows["preset"] == "paper"
    assert settings_rows["data set name"] == "small.csv"


def test_answers_are_those_of_the_run_even_when_they_are_many(visit, evaluated) -> None:
    dataset = dataset_of(("I am sad.", {REFERENCE: "Rest.", **{f"m{k}": f"Good {k}." for k in range(6)}}))
    more = (*dataset.answers, Answer("q1", "m0", "A second one.", 9, position=1))
    run = evaluated(replace(dataset, answers=more))
    page = visit("metrics", run=run.id, view="Questions", item="q1")
    page.app.multiselect(key=f"answers_of_{run.id}").set_value([REFERENCE, "m0"]).run()
    assert "**m0**, answer 2" in "\n".join(element.value for element in page.app.markdown)


@pytest.mark.parametrize("view", ["Nearness", "Means", "Distributions", "Pairs", "Missing"])
@pytest.mark.parametrize(
    ("sources", "metric"),
    [(["gpt"], "recycling"), ([REFERENCE], "recycling"), ([REFERENCE, "gpt"], "simplicity")],
    ids=["no reference", "no model", "all missing"],
)
def test_what_cannot_be_compared_is_said_not_drawn(visit, evaluated, view, sources, metric) -> None:
    dataset = dataset_of(("I am sad.", {REFERENCE: "Rest.", "gpt": "Sleep, sad one."}))
    run = evaluated(dataset, metric, sources=sources)
    page = visit("metrics", run=run.id, view=view)
    assert page.words
    assert not page.app.error


def test_a_damaged_run_is_named_and_the_others_stay_usable(visit, evaluated) -> None:
    good, bad = evaluated(many(2)), evaluated(many(2))
    bad.files.plan.write_text("{")
    page = visit("metrics", run=good.id)
    assert "Distance to the reference" in page.words
    assert f"{bad.id}/journal/plan.json: it is damaged" in page.words


def test_a_new_evaluation_is_found_again_after_another_page(visit, settings) -> None:
    run = store_run(settings, questions(["a"], ["gpt"], 2))
    page = visit("metrics", run=run.id)
    page.app.selectbox(key="run_picked").set_value("").run()
    page.app.segmented_control(key="preset").set_value("standard").run()
    page.go("topics")
    page.go("metrics")
    assert page.app.segmented_control(key="preset").value == "standard"
    assert "run" not in page.app.query_params


def test_the_references_of_the_sample_are_said_to_be_by_no_therapist(visit) -> None:
    page = visit("home").press("sample_results")
    run = page.app.query_params["run"]
    for name in ("metrics", "topics"):
        assert (
            "The reference answers: Written for this project; not by therapists" in visit(name, run=run).words
        )


def test_answers_that_were_never_given_are_counted(visit, settings) -> None:
    dataset = questions(["a"], ["gpt"], 3)
    dataset = replace(
        dataset, answers=tuple(a for a in dataset.answers if (a.item, a.source) != ("q0", "gpt"))
    )
    run = store_run(settings, dataset)
    assert "gpt: 1 of 3 questions" in visit("metrics", run=run.id, view="Missing").words
