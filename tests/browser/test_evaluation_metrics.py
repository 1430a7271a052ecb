"""An evaluation in a real browser: started, reloaded, read view by view, found again from another page."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from counsel_core.datasets import library
from counsel_core.runs.runs import list_runs
from tests.browser.conftest import App

SHORTEST_WAIT = 60_000
NASTY = "<img src=x onerror=alert(1)>"
ROWS = [
    f"I feel sad about my rent {n}.,money,Your rent is a good topic. Rest.,I am happy. Pay {n}.,Sad. Good."
    for n in range(12)
]


def save_dataset(app: App) -> str:
    text = "\n".join([f"question,topic,reference,llama-7b,{NASTY}", *ROWS])
    return library.save(app.settings, "browser.csv", text.encode()).key


def start(page: Page, app: App, key: str) -> None:
    page.goto(f"{app.url}/metrics?dataset={key}")
    for name in ("Emotion consistency", "Agreeability (proxy)", "Active listening (proxy)"):
        page.get_by_role("checkbox", name=name).locator("xpath=ancestor::label").click()
        expect(page.get_by_role("checkbox", name=name)).not_to_be_checked()
    page.get_by_role("button", name="Start the evaluation").click()
    page.wait_for_url(re.compile(r"run=\d{8}-\d{6}-[0-9a-f]{6}"))


def test_an_evaluation_is_started_survives_a_reload_and_is_read_in_every_view(page: Page, app: App) -> None:
    start(page, app, save_dataset(app))
    page.reload()
    expect(page.get_by_text("Distance to the reference").first).to_be_visible(timeout=SHORTEST_WAIT)
    (run,) = list_runs(app.settings)
    for view in ("Means", "Distributions", "Pairs", "Missing", "Settings and files", "Questions"):
        page.get_by_role("radio", name=view, exact=True).click()
        page.wait_for_url(re.compile(f"view={view.replace(' ', '.*')}"))
        assert "Traceback" not in page.inner_text("body")
    expect(page.get_by_text("Scores of this question")).to_be_visible()
    expect(page.locator(".st-key-item_question")).to_contain_text("I feel sad about my rent 0.")
    marked = page.locator("strong", has_text=re.compile("^rent$")).first
    expect(marked).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    page.reload()
    expect(page.get_by_text("Scores of this question")).to_be_visible()
    page.get_by_role("link", name="Published").click()
    expect(page.get_by_role("heading", name="Published")).to_be_visible()
    page.get_by_role("link", name="Metrics").click()
    page.wait_for_url(re.compile(f"run={run.id}"))


def test_two_evaluations_are_at_work_at_once_and_nothing_overflows(page: Page, app: App) -> None:
    key = save_dataset(app)
    start(page, app, key)
    first = re.search(r"run=([^&]+)", page.url)
    page.goto(f"{app.url}/metrics?dataset={key}")
    page.get_by_role("combobox", name=re.compile("Evaluation")).click()
    page.get_by_role("option", name="New evaluation").click()
    start(page, app, key)
    second = re.search(r"run=([^&]+)", page.url)
    assert first is not None
    assert second is not None
    assert first[1] != second[1]
    for found in (first, second):
        page.goto(f"{app.url}/metrics?run={found[1]}")
        expect(page.get_by_text("Distance to the reference").first).to_be_visible(timeout=SHORTEST_WAIT)
    for width in (1440, 1024):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
