"""What interrupts: a program that stopped while answering, a reload while a client plays, Escape."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import update

from counsel_core.conversation import start_session, take_turn
from counsel_core.llm.catalogue import open_model
from counsel_core.records import Session
from counsel_core.storage.database import open_database
from counsel_core.storage.schema import turns
from tests.browser.conftest import App

LINE = "It is the rent, mostly."


@pytest.fixture
def session(app: App) -> Session:
    with open_database(app.settings.database_url) as db:
        made = start_session(db, agent="sudosys", model="guided", settings=app.settings)
        take_turn(db, open_model("guided", app.settings), made.id, LINE)
        return made


def test_retry_comes_by_itself_once_the_program_that_answered_is_silent(
    page: Page, app: App, session: Session
) -> None:
    # As a process that was killed in mid-turn leaves its line behind: held, and by nobody.
    held = {"status": "pending", "reply": "", "holder": "gone", "lease_until": time.time() + 9}
    with open_database(app.settings.database_url) as db, db.writing() as connection:
        connection.execute(update(turns).where(turns.c.session_id == session.id).values(held))
    page.goto(f"{app.url}/chat?session={session.id}")
    told = page.get_by_text(re.compile(r"Retry is possible in \d+ s"))
    expect(told).to_contain_text("The program stopped while it was answering, or another program")
    first = told.inner_text()
    expect(told).not_to_have_text(first)
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_role("button", name="Inspect")).to_have_count(1)


def test_the_speed_of_a_sample_client_survives_a_reload(page: Page, app: App) -> None:
    page.goto(f"{app.url}/?demo=sudosys")
    page.get_by_role("radio", name="Slow").or_(page.get_by_role("button", name="Slow")).first.click()
    page.wait_for_url(re.compile("speed=slow"))
    page.reload()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    chosen = page.locator("[aria-checked=true], [data-testid$=segmented_controlActive]").first
    expect(chosen).to_have_text("Slow")
    assert "speed=slow" in page.url


def test_escape_closes_the_export_right_after_a_download(page: Page, app: App, session: Session) -> None:
    page.goto(f"{app.url}/archive")
    page.get_by_role("button", name="More").first.click()
    page.get_by_text("Export", exact=True).click()
    dialog = page.get_by_role("dialog")
    for kind, label in (("HTML", "HTML, to print"), ("JSON", "JSON, everything")):
        dialog.get_by_text(label, exact=True).click()
        with page.expect_download() as download:
            dialog.get_by_role("button", name=f"Download {kind}").click()
        assert download.value.suggested_filename.endswith(kind.lower())
        assert page.evaluate("document.querySelector('[role=dialog]').contains(document.activeElement)")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
