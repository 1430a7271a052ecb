"""A data set in a real browser: looked at, kept, read, answered by an agent, found again after a reload."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from counsel_core.datasets import library
from tests.browser.conftest import App

NASTY = "<img src=x onerror=alert(1)>"
CSV = f"""question,topic,reference,gpt
I cannot sleep.,sleep,Since when?,{NASTY}
My boss shouts.,work,How long?,Go.
"""
SHORTEST_WAIT = 60_000


def test_a_file_is_uploaded_kept_read_and_answered(page: Page, app: App) -> None:
    page.goto(f"{app.url}/datasets")
    field = page.locator("input[type=file]")
    field.set_input_files({"name": "browser.csv", "mimeType": "text/csv", "buffer": CSV.encode()})
    expect(page.get_by_text("2 rows, 4 columns")).to_be_visible()
    page.get_by_role("button", name="Keep this data set").click()
    expect(page.get_by_text("browser.csv is kept")).to_be_visible()
    (saved,) = [one for one in library.list_saved(app.settings) if not one.sample]
    expect(page.get_by_text("2 rows, 4 columns")).to_have_count(0)
    page.get_by_role("radio", name="Questions", exact=True).click()
    page.get_by_text("I cannot sleep.").first.click()
    expect(page.get_by_text(NASTY)).to_be_visible()
    assert page.locator("img[src=x]").count() == 0
    page.get_by_role("radio", name="Missing answers").click()
    page.get_by_role("button", name="CoCoA", exact=True).click()
    page.get_by_role("button", name="Write up to 2 answers").click()
    expect(page.get_by_text("browser, answered.csv").first).to_be_visible(timeout=SHORTEST_WAIT)
    page.get_by_role("button", name="Show it").click()
    page.wait_for_url(lambda url: f"dataset={saved.key}" not in url)
    page.reload()
    expect(page.get_by_text("CoCoA").or_(page.get_by_text("cocoa")).first).to_be_attached()


def test_nothing_overflows_at_a_small_width(page: Page, app: App) -> None:
    page.set_viewport_size({"width": 1024, "height": 768})
    page.goto(f"{app.url}/datasets")
    expect(page.get_by_role("heading", name="In view")).to_be_visible()
    wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wider <= 0
