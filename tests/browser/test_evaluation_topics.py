"""The Topics page in a real browser: a click on a cell opens the questions behind it."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from counsel_core.runs.runs import Run
from tests.browser.conftest import App
from tests.stored_runs import questions, store_run

PAPER = ["anxiety", "depression", "intimacy", "parenting", "relationships"]


@pytest.fixture(scope="module")
def run(app: App) -> Run:
    return store_run(app.settings, questions(PAPER, ["gpt", "llama"], 6))


def click_cell(page: Page, chart: int, row: float, column: float) -> None:
    """Click into a heatmap, at a share of its plotting area."""
    area = page.locator(".js-plotly-plot").nth(chart).locator(".nsewdrag").first
    area.scroll_into_view_if_needed()
    box = area.bounding_box()
    assert box
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.move(box["x"] + column * box["width"], box["y"] + row * box["height"], steps=4)
    expect(page.locator(".hoverlayer .hovertext").first).to_be_visible()
    page.mouse.down()
    page.mouse.up()


def test_a_click_on_a_cell_opens_its_questions_and_a_reload_keeps_them(
    page: Page, app: App, run: Run
) -> None:
    page.goto(f"{app.url}/topics?run={run.id}")
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    # The second of five rows and the second of two columns.
    click_cell(page, 0, 0.3, 0.75)
    expect(page.get_by_text("6 questions answered by llama")).to_be_visible()
    assert "cell_topic=depression" in page.url
    page.reload()
    expect(page.get_by_text("6 questions answered by llama")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_text("questions answered by")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("cell_topic"))


def test_a_click_on_a_z_cell_opens_the_questions_of_both_topics(page: Page, app: App, run: Run) -> None:
    page.goto(f"{app.url}/topics?run={run.id}&topics_view=Between+topics")
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    # The first of two rows and the first of ten columns: anxiety – depression.
    click_cell(page, 0, 0.25, 0.05)
    expect(page.get_by_text("12 questions answered by gpt")).to_be_visible()
    assert re.search("cell_topic=anxiety.*cell_topic=depression", page.url)
