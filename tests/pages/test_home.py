"""The first page, and what holds for all of them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from app import find_pages
from counsel_core.settings import PROJECT
from tests.stored_runs import questions, store_run

RENT = "It is the rent, mostly. It went up by 180 pounds in May."
FAILURE = "I failed the exam again. I am a complete failure."


def test_an_empty_home_shows_labelled_samples_and_what_to_do(visit) -> None:
    page = visit("home")
    assert "Research tool · not for people in crisis · AI or rules, not a person" in page.words
    assert page.words.count("Sample picture") == 2
    assert "Nothing yet. Play a sample above" in page.words


def test_a_home_with_sessions_shows_them_and_no_sample(visit, talk) -> None:
    sudosys, cocoa = talk("sudosys", RENT), talk("cocoa", FAILURE)
    page = visit("home")
    assert "Sample picture" not in page.words
    assert page.words.count("From your last session") == 2
    page.press(f"open_{cocoa.id}")
    assert page.app.query_params["session"] == cocoa.id
    assert sudosys.id != cocoa.id


def test_the_doors_to_models_and_data_sets_show_what_is_behind_them(visit) -> None:
    page = visit("home")
    assert "As published (framework paper, Table 4)" in page.words
    pictures = [chart.proto.alt for chart in page.app.get("plotly_chart")]
    # Table 4: five topics, nine models.
    assert any("r with the reference: 5 rows, 9 columns" in words for words in pictures)
    # The sample: five topics, two models and two agents.
    assert any("Distance to the reference: 5 rows, 4 columns" in words for words in pictures)


def test_the_samples_results_open_with_one_click(visit) -> None:
    page = visit("home").press("sample_results")
    assert page.app.query_params["run"]
    assert "comes with the project" in visit("home").words


def test_the_latest_session_or_evaluation_comes_first(visit, talk, settings) -> None:
    run = store_run(settings, questions(["a", "b"], ["gpt"], 2), title="<b>old</b> evaluation")
    session = talk("cocoa", FAILURE)
    page = visit("home")
    opened = [button.key for button in page.app.button if str(button.key).startswith("open_")]
    assert opened == [f"open_{session.id}", f"open_{run.id}"]
    assert "<b>old</b> evaluation" in page.words
    page.press(f"open_{run.id}")
    assert page.app.query_params["run"] == run.id


@pytest.mark.parametrize("agent", ["sudosys", "cocoa"])
def test_a_door_opens_a_playing_session(visit, agent: str) -> None:
    page = visit("home").press(f"demo_{agent}")
    page.until(lambda: bool(page.app.chat_message))
    assert page.app.query_params["play"] == "1"


def test_an_address_with_a_demonstration_leads_to_the_chat(visit) -> None:
    page = visit("home", demo="sudosys")
    assert page.app.query_params["play"] == "1"
    assert page.app.chat_input


def test_the_pages_are_found_each_with_its_own_place() -> None:
    pages = find_pages()
    order = ["Home", "Chat", "Datasets", "Metrics", "Topics", "Published", "Archive", "Models", "Safety"]
    assert [page.title for page in pages] == order
    assert len({page.order for page in pages}) == len(pages)
    assert all((PROJECT / "pages" / page.file).is_file() for page in pages)


@pytest.fixture
def _database_that_cannot_be_opened(settings) -> None:
    # A folder in the place of the file (SQLITE_CANTOPEN).
    (settings.data_dir / "counsel.sqlite3").mkdir(parents=True)


@pytest.mark.usefixtures("_database_that_cannot_be_opened")
@pytest.mark.parametrize("name", ["home", "archive"])
def test_a_database_that_cannot_be_opened_is_a_clear_message(visit, name: str) -> None:
    assert "The database cannot be used right now" in visit(name).words


@pytest.mark.usefixtures("_database_that_cannot_be_opened")
def test_a_line_that_cannot_be_saved_stays_in_the_input(visit) -> None:
    page = visit("chat")
    page.app.chat_input[0].set_value(RENT).run()
    assert "The database cannot be used right now" in page.words
    assert page.app.chat_input[0].proto.value == RENT


def test_first_paint_loads_no_heavy_package() -> None:
    script = """
import sys
from streamlit.testing.v1 import AppTest
app = AppTest.from_file("app.py", default_timeout=60).run()
for page in ("chat", "metrics", "topics", "archive", "models"):
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, app.exception
heavy = {"torch", "transformers", "openai", "onnxruntime", "tokenizers", "scipy"}
print(sorted(heavy & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=PROJECT, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.strip() == "[]"
