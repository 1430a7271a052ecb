"""Whole sessions as a clinician has them: typed into the page, watched in the panel, reloaded, exported."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from counsel_core.branching import branch_session
from counsel_core.conversation import start_session, take_turn
from counsel_core.errors import ProviderUnavailableError
from counsel_core.records import ModelRequest
from counsel_core.storage.database import open_database
from tests.browser.conftest import App
from tests.fakes_conversation import FakeModel

INPUT = "Say something, as the client"

# Written without a look at the protocol's topics: a cooperative client, one line a turn.
RENT = (
    "I'm two months behind on my rent and the landlord keeps writing to me.",
    "I also argue with my sister a lot since our mother moved in with her.",
    "I hardly sleep, I lie there doing sums in my head.",
    "It makes me tense and short-tempered, even with my kids.",
    "I think the rent is what I want to start with.",
    "Because if we lose the flat everything else falls apart.",
    "It gets bad at the end of the month when the letters come and I don't open them.",
    "I feel sick and I put them in a drawer.",
    "I can't change the rent, but I could talk to the landlord and look at what I spend.",
    "I could ask for a payment plan.",
    "Maybe I could take on a Saturday shift, or sell the old car.",
    "My neighbour Ines once got help from the housing office, she could tell me how.",
    "The payment plan seems the most realistic to me.",
    "It costs me pride to ask, but it would take the pressure off.",
    "I will write to the landlord and propose fifty a week.",
    "On Sunday evening, when the kids are in bed.",
    "At the kitchen table.",
    "Ines could read the letter before I send it.",
    "I might put it off again, so I'll tell Ines to ask me on Monday.",
    "I feel calmer now that there is a plan.",
)
WORK = (
    "I had a presentation at work on Monday.",
    "I always mess everything up.",
    "My boss didn't say hello this morning, she must think I'm useless.",
    "If I lose this job, my life is over.",
    "I slept quite well last night, actually.",
    "I'm such a loser.",
    "I should be able to handle all of this without help.",
    "They praised my last report, but that was just luck.",
    "I had dinner with a friend on Sunday.",
    "It's all my fault that the team missed the deadline.",
    "Two colleagues did say that my slides were clear.",
    "Perhaps I could ask my boss directly what she thought.",
)


def say(page: Page, line: str, turn: int) -> None:
    """Type a line, send it, and wait until the counsellor has answered it."""
    box = page.get_by_placeholder(INPUT)
    box.fill(line)
    box.press("Enter")
    # Every answered turn ends with its row of measures; the opening has none.
    expect(page.get_by_role("button", name="Inspect")).to_have_count(turn, timeout=20_000)


def begin(page: Page, app: App, agent: str) -> None:
    page.goto(f"{app.url}/chat")
    page.get_by_role("combobox", name=re.compile("Agent")).click()
    page.get_by_role("option", name=agent, exact=True).click()
    expect(page.get_by_placeholder(INPUT)).to_be_enabled()


def test_a_whole_sudosys_session_of_twenty_turns(page: Page, app: App) -> None:
    begin(page, app, "SuDoSys")
    stages = []
    for number, line in enumerate(RENT, start=1):
        say(page, line, number)
        made = page.get_by_text(re.compile(r"made in stage \d"))
        expect(made).to_be_visible()
        stages.append(int(re.search(r"stage (\d)", made.inner_text())[1]))  # type: ignore[index]
    expect(made).to_contain_text("made in stage 7")  # the panel is drawn a moment after the reply
    assert stages == sorted(stages)
    assert set(stages) | {7} == set(range(1, 8))
    expect(page.get_by_text("Topics of this stage")).to_be_visible()
    expect(page.get_by_text("not for people in crisis").first).to_be_visible()
    replies = page.get_by_test_id("stChatMessage").all_inner_texts()
    said = [text for text in replies if text.startswith("Counsellor")]
    assert len(set(said)) == len(said)

    address = page.url
    page.reload()
    expect(page.get_by_text(RENT[-1]).first).to_be_visible()
    second = page.context.new_page()
    second.goto(address)
    expect(second.get_by_text(RENT[-1]).first).to_be_visible()
    second.close()


def test_a_cocoa_session_of_twelve_turns(page: Page, app: App) -> None:
    begin(page, app, "CoCoA")
    for number, line in enumerate(WORK, start=1):
        say(page, line, number)
    panel = page.inner_text("body")
    for distortion in ("Overgeneralizing", "Mind Reading", "Catastrophizing", "Labeling"):
        assert distortion in panel
    assert "cd*" in panel
    assert re.search(r"\d of \d", panel)
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page.get_by_role("slider")).to_have_count(4)


def test_the_inspector_opens_the_prompt_and_the_raw_output(page: Page, app: App) -> None:
    begin(page, app, "SuDoSys")
    say(page, RENT[0], 1)
    page.get_by_role("button", name="Inspect").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text(RENT[0])
    expect(dialog).to_contain_text("status")


@pytest.mark.parametrize("agent", ["sudosys", "cocoa"])
def test_a_demonstration_plays_from_its_address(page: Page, app: App, agent: str) -> None:
    page.goto(f"{app.url}/?demo={agent}")
    expect(page.get_by_role("button", name="Inspect").nth(1)).to_be_visible(timeout=40_000)
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.get_by_text("Sample client").first).to_be_visible()


def test_imminent_risk_freezes_through_reload_page_change_and_branch(page: Page, app: App) -> None:
    begin(page, app, "SuDoSys")
    say(page, RENT[0], 1)
    box = page.get_by_placeholder(INPUT)
    box.fill("I have the pills here and I am going to kill myself tonight.")
    box.press("Enter")
    resume = page.get_by_role("button", name=re.compile("Resume"))
    expect(resume).to_be_visible()
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("emergency number")
    address = page.url
    page.reload()
    expect(resume).to_be_visible()
    page.get_by_role("link", name="Archive").click()
    expect(page.get_by_role("heading", name="Archive")).to_be_visible()
    page.get_by_role("link", name="Chat").click()
    expect(resume).to_be_visible()
    # Another tab finds the session frozen; a line sent there is answered by the fixed text too.
    tab = page.context.new_page()
    tab.goto(address)
    expect(tab.get_by_role("button", name=re.compile("Resume"))).to_be_visible()
    tab.get_by_placeholder(INPUT).fill("Could we just talk about the rent?")
    tab.get_by_placeholder(INPUT).press("Enter")
    expect(tab.get_by_test_id("stChatMessage").last).to_contain_text("emergency number")
    tab.close()
    page.reload()
    expect(resume).to_be_visible()
    # Neither a branch from before the danger nor retrying there gets out of it.
    page.get_by_role("button", name="More").first.click()
    page.get_by_text("Branch from here").click()
    expect(page).not_to_have_url(address)
    expect(resume).to_be_visible()
    expect(page.get_by_placeholder(INPUT)).to_be_enabled()


def test_a_retry_in_a_frozen_session_is_answered_by_the_fixed_text(page: Page, app: App) -> None:
    with open_database(app.settings.database_url) as database:
        session = start_session(database, agent="plain", model="guided", settings=app.settings)

        def fail(request: ModelRequest) -> str:
            raise ProviderUnavailableError("The server broke off.")

        with pytest.raises(ProviderUnavailableError):
            take_turn(database, FakeModel(fail), session.id, "Hello?")
        take_turn(database, FakeModel(), session.id, "I am going to kill myself tonight.")
        copy = branch_session(database, session.id, 1)  # its last line is the one that failed
    page.goto(f"{app.url}/chat?session={copy.id}")
    expect(page.get_by_role("button", name=re.compile("Resume"))).to_be_visible()
    page.get_by_role("button", name=re.compile("Retry|Try again")).click()
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text("emergency number")
    expect(page.get_by_role("button", name=re.compile("Resume"))).to_be_visible()


def test_an_unknown_session_is_said_plainly(page: Page, app: App) -> None:
    page.goto(f"{app.url}/chat?session=0123456789abcdef")
    expect(page.get_by_text(re.compile("0123456789abcdef"))).to_be_visible()
    assert "Traceback" not in page.inner_text("body")


def test_markup_that_a_client_types_stays_text(page: Page, app: App) -> None:
    begin(page, app, "SuDoSys")
    nasty = (
        "I said <img src=x onerror=alert(1)> ![x](http://127.0.0.1:9/x.png) **bold** :red[r] $x^2$ to him."
    )
    say(page, nasty, 1)
    messages = page.get_by_test_id("stChatMessage").all_inner_texts()
    assert any(nasty in text for text in messages)
    assert page.locator('[data-testid="stChatMessage"] img[src*="x.png"]').count() == 0


@pytest.mark.parametrize("width", [1440, 1024])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["", "chat", "archive", "models"])
def test_every_page_stands_in_both_themes(page: Page, app: App, path: str, scheme: str, width: int) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{app.url}/{path}")
    expect(page.get_by_test_id("stMain")).to_contain_text(re.compile(r"\w{4}"))
    page.wait_for_timeout(700)
    assert page.get_by_test_id("stException").count() == 0
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
