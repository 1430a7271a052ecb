"""The Datasets page: what was read is told in full, hostile texts stay text, models answer behind it."""

from __future__ import annotations

import time

import pytest

from counsel_core.datasets.library import SavedDataset, list_saved, load, save
from counsel_core.runs.answer_jobs import AnswerJobs, journal_file
from counsel_core.runs.answering import read_respondents

CSV = (
    "id,question,topic,reference,gpt\n"
    "1,I cannot sleep.,sleep,That sounds exhausting.Have you told anyone?,Drink tea.\n"
    "2,My boss shouts.,work,How long has it been like this?,=1+1\n"
    "3,<script>alert(1)</script>,睡眠,**bold** answer,![x](http://example.org/x.png)\n"
)


@pytest.fixture
def saved(settings) -> SavedDataset:
    return save(settings, "mine.csv", CSV.encode())


def test_the_sample_is_there_from_the_start_and_says_what_it_is(visit) -> None:
    words = visit("datasets").words
    assert "They are not by therapists" in words
    assert "nbertagnolli/counsel-chat" in words


def test_the_counts_are_those_of_the_file(visit, saved) -> None:
    page = visit("datasets", dataset=saved.key)
    shown = {metric.label: metric.value for metric in page.app.metric}
    # Three questions; the reference and gpt answered each; three topics.
    assert shown == {"Questions": "3", "Answers": "6", "Sources": "2", "Topics": "3"}


def test_what_was_noted_is_listed_by_row(visit, saved) -> None:
    page = visit("datasets", dataset=saved.key)
    page.app.segmented_control(key="dataset_view").set_value("Repairs and drops").run()
    notes = next(shown.value for shown in page.app.dataframe if "reason" in shown.value)
    # "exhausting.Have" lost its space; the header is row 1, so the first question is row 2.
    assert 2 in list(notes["row"])


def test_texts_of_a_file_are_only_words(visit, saved) -> None:
    page = visit("datasets", dataset=saved.key)
    page.app.segmented_control(key="dataset_view").set_value("Questions").run()
    texts = [text.value for text in page.app.text]
    assert "<script>alert(1)</script>" in texts
    assert "![x](http://example.org/x.png)" in texts
    assert not any("<script>" in block.value for block in page.app.markdown)


def test_a_search_leaves_the_questions_that_hold_the_words(visit, saved) -> None:
    page = visit("datasets", dataset=saved.key)
    page.app.segmented_control(key="dataset_view").set_value("Questions").run()
    page.app.text_input(key="question_search").set_value("BOSS").run()
    assert len(page.app.expander) == 1


def test_a_file_is_looked_at_before_it_is_kept(visit, settings) -> None:
    page = visit("datasets")
    page.app.file_uploader(key="upload_0").upload("new.csv", CSV.encode(), "text/csv").run()
    assert "3 rows, 5 columns" in page.words
    page.press("keep_dataset")
    assert "new.csv is kept" in page.words
    assert [one.name for one in list_saved(settings) if not one.sample] == ["new.csv"]


def test_a_file_that_is_no_data_set_is_refused_with_the_reason(visit, settings) -> None:
    page = visit("datasets")
    page.app.file_uploader(key="upload_0").upload("new.csv", b"", "text/csv").run()
    assert [error.value for error in page.app.error if "new" in error.value]
    assert all(one.sample for one in list_saved(settings))


def test_an_unknown_data_set_in_the_address_shows_one_that_is_there(visit) -> None:
    page = visit("datasets", dataset="../../etc/passwd")
    assert not page.app.exception
    assert "They are not by therapists" in page.words


def test_a_data_set_is_removed_after_a_second_click(visit, settings, saved) -> None:
    page = visit.of_dialog(
        f"remove_dataset_dialog({saved.key!r})", "from pages._ui.dataset_menu import remove_dataset_dialog"
    )
    page.press("remove_dataset")
    assert all(one.sample for one in list_saved(settings))


def test_a_data_set_is_renamed_and_reads_the_same(visit, settings, saved) -> None:
    page = visit.of_dialog(
        f"rename_dataset_dialog({saved.key!r})", "from pages._ui.dataset_menu import rename_dataset_dialog"
    )
    page.app.text_input(key="dataset_title").set_value("<b>Mine</b>")
    page.press("save_dataset_title")
    again = next(one for one in list_saved(settings) if one.key == saved.key)
    assert (again.title, again.name) == ("<b>Mine</b>", "mine.csv")
    assert len(load(settings, saved.key).answers) == 6
    assert save(settings, "mine.csv", CSV.encode()).title == "<b>Mine</b>"


def test_agents_answer_in_the_background_into_a_data_set_of_its_own(settings, saved) -> None:
    jobs = AnswerJobs()
    jobs.start(saved, read_respondents([], ["cocoa"]), settings)
    job = jobs.find(saved.key)
    assert job is not None
    assert job.over.wait(60)
    assert job.saved is not None
    answered = load(settings, job.saved.key)
    # Three questions were asked; the answers that were there before are as they were.
    assert sum(answer.source == "cocoa" for answer in answered.answers) == 3
    assert {"reference", "gpt", "cocoa"} == set(answered.sources)
    assert job.saved.name == "mine, answered.csv"


def test_a_stopped_job_keeps_what_was_answered_and_goes_on(settings, saved) -> None:
    jobs = AnswerJobs()
    jobs.start(saved, read_respondents([], ["cocoa", "sudosys"]), settings)
    jobs.stop(saved.key)
    job = jobs.find(saved.key)
    assert job is not None
    assert job.over.wait(60)
    jobs.start(saved, read_respondents([], ["cocoa", "sudosys"]), settings)
    again = jobs.find(saved.key)
    assert again is not None
    assert again.over.wait(60)
    assert again.saved is not None
    assert journal_file(saved, settings).exists()
    assert len(load(settings, again.saved.key).answers) == 6 + 2 * 3


def test_the_page_starts_a_job_and_tells_what_came_of_it(visit, saved) -> None:
    page = visit("datasets", dataset=saved.key)
    page.app.segmented_control(key="dataset_view").set_value("Missing answers").run()
    page.app.pills(key="answer_agents").set_value(["cocoa"]).run()
    page.press("start_answers")
    end = time.monotonic() + 60
    while not page.has("show_answered"):
        assert time.monotonic() < end, page.words
        time.sleep(0.3)
        page.app.run()
    page.press("show_answered")
    assert page.app.query_params["dataset"] != [saved.key]
