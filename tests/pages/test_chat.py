"""The chat page: a session from its first line, what is shown of it, and what can be done with it."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import update

from counsel_core.conversation import start_session, take_turn
from counsel_core.llm.catalogue import open_model, save_model
from counsel_core.storage.schema import turns
from counsel_core.storage.sessions import (
    list_sessions,
    load_notes,
    load_overrides,
    load_session,
    load_turns,
)
from tests.fakes.openai_server import OpenAIServer, text

RENT = "It is the rent, mostly. It went up by 180 pounds in May."
SISTER = "And I fight with my sister about looking after our mother."
FAILURE = "I failed the exam again. I am a complete failure."
IMMINENT = "I am going to kill myself tonight."
LINE = "Research tool · not for people in crisis · AI or rules, not a person"


def test_the_first_line_begins_a_session_and_puts_it_into_the_address(visit, database) -> None:
    page = visit("chat")
    assert LINE in page.words
    assert list_sessions(database) == []
    page.say(RENT)
    (session,) = list_sessions(database)
    assert page.app.query_params["session"] == session.id
    assert RENT in page.words
    assert load_turns(database, session.id)[0].reply in page.words
    assert "Guided (rules, no language model)" in page.words


def test_the_panel_shows_stage_status_and_the_topic_that_changed(visit, talk) -> None:
    session = talk("sudosys", RENT, SISTER)
    page = visit("chat", session=session.id)
    assert "Stage 1 of 7" in page.words
    assert "Listing problems" in page.words
    assert "Problems** :blue-badge[:material/edit: changed]" in page.words
    assert session.state["topics"]["1"]["problems"] in page.words


def test_the_panel_of_cocoa_shows_distortions_their_scores_and_what_was_remembered(visit, talk) -> None:
    session = talk("cocoa", FAILURE)
    page = visit("chat", session=session.id)
    (entry,) = session.state["distortions"]
    assert f"1 · **{entry['type']}** · {entry['severity']} of 5] | :small[{FAILURE}]" in page.words
    # With one type in memory each component is 1, so that S = 1 + 1 + 1.
    assert "S = 3.00" in page.words
    assert "all-MiniLM-L6-v2" in page.words
    assert "Stage 1 of" in page.app.get("progress")[0].proto.text


def test_the_weights_are_a_preview_until_they_are_applied(visit, talk, database) -> None:
    session = talk("cocoa", FAILURE)
    page = visit("chat", session=session.id)
    page.app.slider(key=f"weight_severity_{session.id}").set_value(2.0).run()
    # α of severity 2: S = 1 + 1 + 2.
    assert "S = 4.00" in page.words
    assert load_session(database, session.id).state["alphas"] == [1.0, 1.0, 1.0]
    page.press("apply_weights")
    changed = load_session(database, session.id)
    assert changed.state["alphas"] == [1.0, 1.0, 2.0]
    assert changed.overridden
    assert "Overridden by a person" in page.words


def test_a_distortion_can_be_relabelled(visit, talk, database) -> None:
    session = talk("cocoa", FAILURE)
    page = visit("chat", session=session.id)
    next(box for box in page.app.selectbox if box.label == "Is really").set_value("Blaming")
    next(button for button in page.app.button if button.label == "Relabel").click().run()
    assert load_session(database, session.id).state["distortions"][0]["type"] == "Blaming"


def test_stage_and_topic_can_be_set_and_are_marked(visit, talk, database) -> None:
    session = talk("sudosys", RENT)
    page = visit("chat", session=session.id)
    next(box for box in page.app.selectbox if box.label == "Stage of the next reply").set_value(3)
    next(button for button in page.app.button if button.label == "Set the stage").click().run()
    assert "Stage 3 of 7" in page.words
    (override,) = load_overrides(database, session.id)
    assert override.summary in page.words


def test_a_reply_can_be_looked_into(visit, talk) -> None:
    session = talk("sudosys", RENT)
    page = visit("chat", session=session.id).press("inspect_1")
    assert "Turn 1 · 1 call" in page.words
    assert '"status"' in page.words


def test_a_note_is_kept_and_shown_as_text(visit, talk, database, session_dialog) -> None:
    session = talk("sudosys", RENT)
    assert (
        visit("chat", session=session.id)
        .choose("turn_1", "Add a note")
        .app.text_area(key=f"note_text_{session.id}_1")
    )
    dialog = session_dialog("turn_actions.note_dialog", session, 1)
    dialog.app.text_area(key=f"note_text_{session.id}_1").set_value("**fast** <b>here</b>").run()
    dialog.press("save_note")
    assert [note.text for note in load_notes(database, session.id)] == ["**fast** <b>here</b>"]
    page = visit("chat", session=session.id)
    assert "**fast** <b>here</b>" in [text.value for text in page.app.get("text")]


def test_a_branch_opens_beside_the_session_it_came_from(visit, talk, database) -> None:
    session = talk("sudosys", RENT, SISTER)
    page = visit("chat", session=session.id).choose("turn_1", "Branch from here")
    made = page.app.query_params["session"]
    assert made != session.id
    assert load_session(database, made).turn_count == 1
    assert load_session(database, session.id).turn_count == 2


def test_rewinding_asks_first_and_keeps_what_was_cut(visit, talk, database, session_dialog) -> None:
    session = talk("sudosys", RENT, SISTER)
    page = visit("chat", session=session.id).choose("turn_1", "Rewind to here")
    assert "The session goes back to where it stood after turn 1" in page.words
    assert load_session(database, session.id).turn_count == 2
    session_dialog("turn_actions.rewind_dialog", session, 1).press("confirm_rewind")
    assert load_session(database, session.id).turn_count == 1
    assert sorted(one.turn_count for one in list_sessions(database)) == [1, 2]


@pytest.mark.parametrize("given", ["0123456789abcdef", "../../etc/passwd", "<script>"])
def test_an_unknown_session_is_a_clear_message(visit, given: str) -> None:
    page = visit("chat", session=given)
    assert "Archive" in page.words
    assert not page.app.chat_input
    page.press("new_after_error")
    assert page.app.chat_input
    assert "session" not in page.app.query_params


def test_a_session_is_still_there_after_another_page(visit, talk) -> None:
    session = talk("sudosys", RENT)
    page = visit("chat", session=session.id).go("models").go("chat")
    assert page.app.query_params["session"] == session.id
    assert RENT in page.words


def test_chinese_with_the_guided_rules_says_what_is_needed_before_it_begins(visit) -> None:
    page = visit("chat")
    page.app.selectbox(key="setup_language").set_value("zh").run()
    assert "needs a language model" in page.words
    assert page.app.chat_input[0].disabled


def test_another_agent_opens_a_new_session_and_leaves_the_old_one(visit, talk, database) -> None:
    session = talk("sudosys", RENT)
    page = visit("chat", session=session.id)
    page.app.selectbox(key="setup_agent").set_value("cocoa").run()
    assert "session" not in page.app.query_params
    assert RENT not in page.words
    assert [one.id for one in list_sessions(database)] == [session.id]


def test_a_frozen_session_shows_the_banner_and_takes_lines(visit, talk, database) -> None:
    session = talk("sudosys", RENT, IMMINENT)
    assert session.frozen
    page = visit("chat", session=session.id)
    assert "Frozen after an imminent risk" in page.words
    assert "Risk check: imminent" in page.words
    assert not page.app.chat_input[0].disabled
    page.say("I do not know.")
    assert load_session(database, session.id).turn_count == 3
    assert load_turns(database, session.id)[-1].safety_reply


def test_a_frozen_session_is_resumed_with_name_and_reason_only(visit, talk, database, session_dialog) -> None:
    session = talk("sudosys", IMMINENT)
    assert "not confirmed" in visit("chat", session=session.id).press("resume").words
    dialog = session_dialog("safety_banner.resume_dialog", session)
    dialog.press("confirm_resume")
    assert "Tick first that you have read the conversation" in dialog.words
    assert load_session(database, session.id).frozen
    dialog = session_dialog("safety_banner.resume_dialog", session)
    dialog.app.checkbox(key=f"resume_seen_{session.id}").check().run()
    dialog.app.text_input(key=f"resume_name_{session.id}").set_value("Dr A. Reviewer").run()
    dialog.press("confirm_resume")
    assert load_session(database, session.id).frozen
    dialog = session_dialog("safety_banner.resume_dialog", session)
    dialog.app.checkbox(key=f"resume_seen_{session.id}").check().run()
    dialog.app.text_input(key=f"resume_name_{session.id}").set_value("Dr A. Reviewer").run()
    dialog.app.text_area(key=f"resume_reason_{session.id}").set_value("Spoke with the client; safe.").run()
    dialog.press("confirm_resume")
    assert not load_session(database, session.id).frozen
    words = visit("chat", session=session.id).words
    assert "Frozen after" not in words
    assert "Resumed by Dr A. Reviewer" in words


def test_a_server_that_is_not_there_loses_nothing_and_can_be_retried(
    visit, talk, database, settings, unused_tcp_port
) -> None:
    entry = {
        "name": "gone",
        "base_url": f"http://127.0.0.1:{unused_tcp_port}/v1",
        "model": "x",
        "options": {"retries": 0},
    }
    save_model(entry, settings)
    session = talk("sudosys", RENT)
    page = visit("chat", session=session.id)
    page.app.selectbox(key="setup_model").set_value("gone").run()
    page.say(SISTER)
    assert "What the client said is kept" in page.words
    assert SISTER in page.words
    page.app.selectbox(key="setup_model").set_value("guided").run()
    page.press("retry").until(lambda: not page.has("stop"))
    answered = load_turns(database, session.id)[-1]
    assert (answered.client, answered.status) == (SISTER, "answered")
    assert answered.reply in page.words


def test_a_line_without_an_answer_can_be_taken_back_into_the_input(
    visit, talk, database, settings, unused_tcp_port
) -> None:
    save_model(
        {
            "name": "gone",
            "base_url": f"http://127.0.0.1:{unused_tcp_port}/v1",
            "model": "x",
            "options": {"retries": 0},
        },
        settings,
    )
    session = talk("sudosys", RENT)
    page = visit("chat", session=session.id)
    page.app.selectbox(key="setup_model").set_value("gone").run()
    page.say(SISTER).press("edit")
    assert load_session(database, session.id).turn_count == 1
    assert page.app.chat_input[0].proto.value == SISTER


def test_a_line_written_while_another_tab_went_on_is_not_lost(visit, talk, database, settings) -> None:
    session = talk("sudosys", RENT)
    page = visit("chat", session=session.id)
    take_turn(database, open_model("guided", settings), session.id, SISTER)
    page.say("I have read only the first reply.")
    assert load_session(database, session.id).turn_count == 2
    assert "The session went on in another window" in page.words
    assert page.app.chat_input[0].proto.value == "I have read only the first reply."


def test_a_long_session_shows_its_last_turns_first(visit, talk) -> None:
    session = talk("plain", *(f"Line number {number} of many." for number in range(1, 46)))
    page = visit("chat", session=session.id)
    assert "Line number 45 of many." in page.words
    assert "Line number 5 of many." not in page.words
    page.press("earlier")
    assert "Line number 5 of many." in page.words


@pytest.mark.parametrize("agent", ["stage_unaware", "plain"])
def test_the_baselines_have_a_panel(visit, talk, agent: str) -> None:
    session = talk(agent, RENT)
    assert "keeps nothing between turns" in visit("chat", session=session.id).words


@pytest.mark.parametrize("agent", ["sudosys", "cocoa"])
def test_a_demonstration_plays_by_itself(visit, database, agent: str) -> None:
    page = visit("chat", demo=agent)
    page.until(lambda: any(one.turn_count for one in list_sessions(database)))
    (session,) = list_sessions(database)
    assert session.agent == agent
    # The README sends a newcomer to these two.
    assert session.sample_client in ("sudosys_rent", "cocoa_kitchen")
    assert dict(page.app.query_params) == {"session": session.id, "play": "1"}
    page.until(lambda: not page.has("stop")).press("pause")
    assert "play" not in page.app.query_params


def test_a_demonstration_that_is_not_there_is_a_clear_message_with_a_way_on(visit) -> None:
    page = visit("chat", demo="therapist")
    assert "There is no demonstration named 'therapist'" in page.words
    page.press("new_after_error")
    assert page.app.chat_input
    assert "demo" not in page.app.query_params


def test_a_first_line_that_cannot_be_sent_leaves_no_empty_session(visit, database, settings) -> None:
    save_model(
        {"name": "locked", "base_url": "http://127.0.0.1:9/v1", "model": "x", "key_variable": "NO_SUCH_KEY"},
        settings,
    )
    page = visit("chat")
    page.app.selectbox(key="setup_model").set_value("locked").run()
    page.say(RENT)
    assert "The key of this model is missing" in page.words
    assert page.app.chat_input[0].proto.value == RENT
    assert list_sessions(database) == []


def test_the_sliders_stand_beside_the_bars_and_offer_to_apply_only_what_was_moved(visit, talk) -> None:
    session = talk("cocoa", FAILURE)
    page = visit("chat", session=session.id)
    assert [slider.label for slider in page.app.slider[:4]] == [
        "α recency",
        "α frequency",
        "α severity",
        "γ fading",
    ]
    assert not any("Weights" in tab.label for tab in page.app.tabs)
    assert not page.has("apply_weights")
    page.app.slider(key=f"weight_recency_{session.id}").set_value(0.5).run()
    assert page.has("apply_weights")
    page.press("reset_weights")
    assert not page.has("apply_weights")


def test_the_topic_to_edit_is_one_of_the_present_stage(visit, talk) -> None:
    session = talk("sudosys", RENT)
    page = visit("chat", session=session.id)
    stage = next(box for box in page.app.selectbox if box.label == "Stage of the next reply")
    stage.set_value(5)
    next(button for button in page.app.button if button.label == "Set the stage").click().run()
    topic = next(box for box in page.app.selectbox if box.label == "Topic")
    assert topic.options[topic.index].startswith("5 ·")


def test_sample_clients_are_offered_in_the_language_they_speak(visit) -> None:
    page = visit("chat")
    assert page.has("play_new")
    page.app.selectbox(key="setup_language").set_value("zh").run()
    assert not page.has("play_new")
    assert "There is no sample client in this language" in page.words


def test_a_wrong_file_of_contacts_is_named_and_keeps_nobody_from_anything(visit, database, settings) -> None:
    settings.resources_file.parent.mkdir(parents=True, exist_ok=True)
    settings.resources_file.write_text("[[region]\n")
    page = visit("chat")
    assert f"{settings.resources_file.name}, line 1" in page.words
    assert "The built-in contacts are shown instead" in page.words
    assert "United Kingdom" in page.app.selectbox(key="setup_region").options
    page.say(IMMINENT)
    (session,) = list_sessions(database)
    assert session.frozen
    assert "Contacts file is wrong; built-in ones shown" in page.words
    assert "local emergency number" in page.words


def test_an_override_is_told_in_words(visit, talk) -> None:
    session = talk("cocoa", FAILURE)
    page = visit("chat", session=session.id)
    page.app.slider(key=f"weight_recency_{session.id}").set_value(0.0).run()
    page.press("apply_weights")
    assert "weight of recency 1 → 0" in page.words


@pytest.mark.parametrize(("given", "shown"), [("fast", "Fast"), ("nonsense", "Normal"), (None, "Normal")])
def test_the_speed_in_the_address_is_taken_up(visit, database, given: str | None, shown: str) -> None:
    visit("chat", demo="sudosys")
    (session,) = list_sessions(database)
    again = visit("chat", session=session.id, **({"speed": given} if given else {}))
    assert again.app.segmented_control(key="play_speed").value == shown
    assert again.app.query_params.get("speed") in ({"fast", ("fast",)} if shown == "Fast" else {None})


def test_a_line_that_nobody_answers_any_more_says_what_is_known_and_then_offers_retry(
    visit, talk, database
) -> None:
    session = talk("sudosys", RENT)
    held = {"status": "pending", "reply": "", "holder": "gone", "lease_until": time.time() + 4}
    with database.writing() as connection:
        connection.execute(update(turns).where(turns.c.session_id == session.id).values(held))
    page = visit("chat", session=session.id)
    assert "The program stopped while it was answering, or another program still answers" in page.words
    assert not page.has("retry")
    page.until(lambda: page.has("retry")).press("retry").until(lambda: not page.has("stop"))
    assert load_turns(database, session.id)[-1].status == "answered"


def test_thinking_is_shown_apart_from_the_answer(visit, database, settings) -> None:
    with OpenAIServer() as server:
        server.answers(text("I hear you.", reasoning="The client is tired."))
        save_model({"name": "thinker", "base_url": server.base_url, "model": "m"}, settings)
        session = start_session(database, agent="plain", model="thinker", settings=settings)
        take_turn(database, open_model("thinker", settings), session.id, "I am tired.")
    page = visit("chat", session=session.id)
    assert "The client is tired." not in page.words
    page.press("inspect_1")
    assert [tab.label for tab in page.app.tabs if tab.label == "Thinking"] == ["Thinking"]
    assert "The client is tired." in page.words
