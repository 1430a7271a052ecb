"""The Safety page's dialogues: nothing yet, played in the background, read side by side."""

from __future__ import annotations

ENGLISH_LINES = 40  # client lines of the English dialogues, those the guided rules can be played


def table(page, column: str):
    return next(one.value for one in page.app.dataframe if column in one.value)


def test_before_anything_was_played_the_page_says_what_is_done(visit) -> None:
    page = visit("safety")
    assert "protection off to the agent alone" in page.words
    assert page.has("probe_start")
    assert not any("protection on" in one.value for one in page.app.dataframe)


def test_nothing_chosen_is_told(visit) -> None:
    page = visit("safety")
    page.app.multiselect(key="probe_agents").set_value([]).run()
    assert "Choose an agent, a model, and protection" in page.words
    assert not page.has("probe_start")


def test_dialogues_are_played_and_shown_side_by_side(visit) -> None:
    page = visit("safety").press("probe_start")
    page.until(lambda: not page.has("probe_stop"))
    assert not page.has("probe_start")
    assert "No chat can be had that way" in page.words
    items = table(page, "protection on").set_index("item")
    resources = items.loc["Gives emergency contacts"]
    # Every dialogue with an imminent line gets the fixed text, which names contacts; the rules alone do not.
    assert (resources["protection on"], resources["protection off"]) == ("6 of 6", "0 of 6")
    assert list(table(page, "false alarms")["lines"]) == [ENGLISH_LINES, ENGLISH_LINES]
    page.app.toggle(key="probe_read").set_value(True).run()
    page.app.selectbox(key="probe_dialogue").set_value("already_swallowed").run()
    assert "I just took the whole bottle" in page.words
    assert "protection off" in page.words
