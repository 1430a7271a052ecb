"""The parts of a page as tall as the window allows: everything in view, nothing beside or below it."""

from __future__ import annotations

from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect

from counsel_core.conversation import resume_session, start_session, take_turn
from counsel_core.llm.catalogue import open_model
from counsel_core.storage.database import open_database
from tests.browser.conftest import App

SIZES = [(1440, 900), (1024, 768)]
IMMINENT = "I am going to kill myself tonight."
TITLE = "A very long title that somebody wrote in a hurry and that goes on and on"
LONG = "And then there is this other thing that I never told anybody about. "


@pytest.fixture(scope="module")
def sessions(app: App) -> dict[str, str]:
    """Sessions long enough to scroll: one as any, one frozen, one that a reviewer resumed."""
    made = {}
    model = open_model("guided", app.settings)
    with open_database(app.settings.database_url) as db:
        for name, agent in product(("usual", "frozen", "resumed"), ("sudosys", "cocoa")):
            session = start_session(
                db,
                agent=agent,
                model="guided",
                settings=app.settings,
                agent_settings={"region": "us"},
                title=TITLE,
            )
            lines = [f"I always fail, and I know it. {LONG * number}" for number in range(1, 6)]
            for line in lines if name == "usual" else [*lines, IMMINENT]:
                take_turn(db, model, session.id, line)
            if name == "resumed":
                resume_session(db, session.id, "Dr A. Reviewer " * 8, "Spoke with the client. " * 20)
            made[f"{name} {agent}"] = session.id
    return made


def box(locator: Locator) -> dict[str, float]:
    expect(locator).to_be_visible()
    return dict(locator.bounding_box() or {})


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
@pytest.mark.parametrize("agent", ["sudosys", "cocoa"])
@pytest.mark.parametrize("kind", ["new", "usual", "frozen", "resumed"])
def test_conversation_live_state_and_input_are_in_view(
    page: Page, app: App, sessions: dict[str, str], kind: str, agent: str, size: tuple[int, int]
) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{app.url}/chat" + ("" if kind == "new" else f"?session={sessions[f'{kind} {agent}']}"))
    typed = page.get_by_placeholder("Say something, as the client")
    expect(typed).to_be_enabled()
    if kind != "new":
        expect(page.get_by_role("button", name="Inspect").first).to_be_attached()
    page.wait_for_timeout(700)
    said, known = box(page.locator(".st-key-conversation")), box(page.locator(".st-key-known"))
    assert 0 <= said["y"] < known["y"] + known["height"] <= height
    assert said["y"] + said["height"] <= box(typed)["y"]
    assert box(typed)["y"] + box(typed)["height"] <= height
    assert said["x"] + said["width"] <= known["x"]
    assert known["x"] + known["width"] <= width
    assert said["height"] >= 240
    main = page.get_by_test_id("stMain")
    assert main.evaluate("it => it.scrollWidth - it.clientWidth") <= 0
    assert main.evaluate("it => it.scrollHeight - it.clientHeight") <= 1


@pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
@pytest.mark.parametrize("kind", ["usual", "resumed"])
def test_both_halves_of_a_replay_are_in_view(
    page: Page, app: App, sessions: dict[str, str], kind: str, size: tuple[int, int]
) -> None:
    width, height = size
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{app.url}/archive?replay={sessions[f'{kind} sudosys']}&turn=5")
    expect(page.get_by_role("button", name="Inspect")).to_be_attached()
    page.wait_for_timeout(700)
    for key in ("replay_said", "replay_known"):
        part = box(page.locator(f".st-key-{key}"))
        assert part["y"] + part["height"] <= height
        assert part["x"] + part["width"] <= width
        assert part["height"] >= 240
    assert page.get_by_test_id("stMain").evaluate("it => it.scrollWidth - it.clientWidth") <= 0
