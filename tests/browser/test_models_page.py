"""Models of one's own in a real browser: added, tested, changed and removed, with what people really type."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from counsel_core.llm.model_file import read_models
from tests.browser.conftest import App
from tests.fakes.openai_server import OpenAIServer, text

NASTY = "<img src=x onerror=alert(1)> **bold** :red[r] $x^2$"
LONG = "A model whose name goes on and on " * 6


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as running:
        running.answers(text("ready"))
        yield running


def said(words: str) -> re.Pattern[str]:
    """Match words as the page shows them: an invisible joiner may stand in between."""
    return re.compile("\u2060?".join(map(re.escape, words)))


def fill(page: Page, **fields: str) -> Locator:
    """Fill in the open form, save it, and return the dialog."""
    dialog = page.get_by_role("dialog")
    names = {
        "label": "Name shown",
        "url": "Base URL",
        "model": "Model id",
        "key": "Variable that holds the key",
    }
    for field, value in fields.items():
        box = dialog.get_by_role("textbox", name=names[field])
        box.fill(value)
        box.press("Tab")
    dialog.get_by_role("button", name="Save the model").click()
    return dialog


def add(page: Page, **fields: str) -> Locator:
    page.get_by_role("button", name="Add a model").click()
    return fill(page, **fields)


def row(page: Page, name: str) -> Locator:
    return page.locator(f".st-key-row_{name}")


def open_models(page: Page, app: App) -> None:
    page.goto(f"{app.url}/models")
    expect(page.get_by_role("button", name="Add a model")).to_be_visible()


def test_a_model_is_added_tested_changed_and_removed(page: Page, app: App, server: OpenAIServer) -> None:
    open_models(page, app)
    dialog = add(page, label="Mine", url=server.base_url, model="scripted")
    expect(dialog).to_have_count(0)
    mine = row(page, "mine")
    mine.get_by_role("button", name="Test").click()
    expect(mine).to_contain_text(said("Answered in"))
    expect(mine).to_contain_text(said("ready"))
    mine.get_by_role("button", name="Edit").click()
    expect(fill(page, label=NASTY)).to_have_count(0)
    expect(mine).to_contain_text(said(NASTY))
    expect(mine).not_to_contain_text(said("Answered in"))  # it is no longer the model that was tested
    assert page.locator("img[src=x]").count() == 0
    page.get_by_role("link", name="Chat").click()
    page.get_by_role("combobox", name=re.compile("Model")).click()
    expect(page.get_by_role("option", name=NASTY, exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    open_models(page, app)
    mine.get_by_role("button", name="Remove").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(mine).to_have_count(0)
    assert read_models(app.settings.models_file).models == ()


def test_a_long_name_stays_within_the_page_and_is_not_taken_for_another(page: Page, app: App) -> None:
    open_models(page, app)
    label = LONG[:200].strip()
    for _ in range(2):
        expect(add(page, label=label, url="http://127.0.0.1:9/v1", model="x" * 200)).to_have_count(0)
    saved = read_models(app.settings.models_file).models
    assert [spec.label for spec in saved] == [label, label]
    assert len({spec.name for spec in saved}) == 2
    for width in (1440, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        last = page.get_by_role("button", name="Remove").last
        last.scroll_into_view_if_needed()  # rows above may fill the height; the width is what is looked at
        expect(last).to_be_in_viewport(ratio=1)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    for spec in saved:
        row(page, spec.name).get_by_role("button", name="Remove").click()
        page.get_by_role("dialog").get_by_role("button", name="Remove").click()
        expect(row(page, spec.name)).to_have_count(0)


def test_a_wrong_address_and_an_empty_form_say_what_is_wrong_in_the_words_of_the_form(
    page: Page, app: App
) -> None:
    open_models(page, app)
    dialog = add(page, label="Wrong", url="localhost:8080", model="m")
    expect(dialog).to_contain_text(said("The base URL is no http or https address"))
    fill(page, url="")
    expect(dialog).to_contain_text(said("Base URL: it is missing."))
    fill(page, url="http://127.0.0.1:9/v1", model="")
    expect(dialog).to_contain_text(said("Model id: it is missing."))
    fill(page, model="m", key="sk-not a name")
    expect(dialog).to_contain_text(said("Variable that holds the key: it has to be the name"))
    assert not re.search(r"[a-z]_[a-z]", dialog.inner_text())
    assert read_models(app.settings.models_file).models == ()


def test_a_missing_key_and_a_server_that_is_not_there_are_said_by_the_test(page: Page, app: App) -> None:
    open_models(page, app)
    add(page, label="Locked", url="http://127.0.0.1:9/v1", model="m", key="NO_SUCH_KEY")
    locked = row(page, "locked")
    expect(locked).to_contain_text(said("key in NO_SUCH_KEY (not set)"))
    locked.get_by_role("button", name="Test").click()
    expect(locked).to_contain_text(said("needs a key: set the environment variable NO_SUCH_KEY"))
    add(page, label="Gone", url="http://127.0.0.1:9/v1", model="m")
    row(page, "gone").get_by_role("button", name="Test").click()
    expect(row(page, "gone")).to_contain_text(said("Does not answer"))
    assert "Traceback" not in page.inner_text("body")
