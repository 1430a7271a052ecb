"""The Archive: search, page through, replay, compare, rename, export and delete sessions."""

from __future__ import annotations

import pytest

from counsel_core.branching import rewind_session
from counsel_core.conversation import resume_session
from counsel_core.errors import InputError
from counsel_core.exports import export_session
from counsel_core.overriding import override_state
from counsel_core.storage.sessions import (
    count_sessions,
    list_sessions,
    load_session,
    rename_session,
    state_after,
)
from tests.stored_runs import questions, store_run

RENT = "It is the rent, mostly. It went up by 180 pounds in May."
SISTER = "And I fight with my sister about looking after our mother."


def test_an_empty_archive_says_what_to_do_next(visit) -> None:
    assert "No session yet" in visit("archive").words


def test_search_finds_what_was_said(visit, talk, database) -> None:
    rename_session(database, talk("sudosys", RENT).id, "First client")
    rename_session(database, talk("sudosys", SISTER).id, "Second client")
    page = visit("archive")
    assert "First client" in page.words
    page.app.text_input(key="archive_query").set_value("sister").run()
    assert "Second client" in page.words
    assert "First client" not in page.words
    page.app.text_input(key="archive_query").set_value("no such word").run()
    assert "No session matches" in page.words


def test_the_list_can_be_narrowed_to_an_agent(visit, talk, database) -> None:
    rename_session(database, talk("sudosys").id, "Staged")
    rename_session(database, talk("cocoa").id, "Remembering")
    page = visit("archive")
    page.app.selectbox(key="archive_agent").set_value("cocoa").run()
    assert "Remembering" in page.words
    assert "Staged" not in page.words


def test_more_than_ten_sessions_are_paged(visit, talk, database) -> None:
    for number in range(1, 13):
        rename_session(database, talk("sudosys").id, f"Client {number:02d}")
    page = visit("archive")
    # The last used come first: 12 to 3 on the first page, 2 and 1 on the second.
    assert "Client 12" in page.words
    assert "Client 02" not in page.words
    page.app.get("pagination")[0].set_value(2).run()
    assert "Client 02" in page.words
    assert "Client 12" not in page.words


def test_a_title_of_markdown_and_html_is_only_words(visit, talk, database) -> None:
    title = "**x** <img src=x onerror=alert(1)> :smile: [a](http://b.c)"
    rename_session(database, talk("sudosys").id, title)
    page = visit("archive")
    assert title in page.words
    assert not any(title in element.value for element in page.app.markdown)


def test_a_session_is_reopened_in_the_chat(visit, talk) -> None:
    session = talk("sudosys", RENT)
    page = visit("archive").press(f"open_{session.id}")
    assert page.app.query_params["session"] == session.id
    assert RENT in page.words


def test_replay_shows_the_state_after_each_turn(visit, talk, database) -> None:
    session = talk("sudosys", RENT, SISTER)
    page = visit("archive", replay=session.id)
    assert "0 of 2 turns" in page.words
    assert RENT not in page.words
    page.press("step_Next")
    assert page.app.query_params["turn"] == "1"
    assert RENT in page.words
    assert SISTER not in page.words
    assert state_after(database, session.id, 1)["topics"]["1"]["problems"] in page.words
    page.press("step_Next")
    assert SISTER in page.words
    assert page.app.button(key="step_Next").disabled


@pytest.mark.parametrize("turn", ["99", "-1", "x", "²"])
def test_a_turn_that_is_not_there_is_brought_within_the_session(visit, talk, turn: str) -> None:
    session = talk("sudosys", RENT)
    page = visit("archive", replay=session.id, turn=turn)
    assert "of 1 turn" in page.words


def test_an_unknown_session_to_replay_is_a_clear_message_with_a_way_back(visit) -> None:
    page = visit("archive", replay="0123456789abcdef")
    assert "There is no session 0123456789abcdef" in page.words
    page.press("to_list")
    assert "No session yet" in page.words


def test_a_comparison_shows_what_a_person_changed(visit, talk, database) -> None:
    changed, other = talk("sudosys", RENT), talk("sudosys", SISTER)
    override_state(database, changed.id, "stage", {"number": 3})
    page = visit("archive", compare=[changed.id, other.id])
    assert "Overridden by a person" in page.words


def test_a_session_is_not_compared_with_itself(visit, talk) -> None:
    session = talk("sudosys", RENT)
    page = visit("archive", compare=[session.id, session.id])
    assert "Choose two sessions" in page.words


def test_two_sessions_stand_side_by_side(visit, talk) -> None:
    first, second = talk("sudosys", RENT), talk("cocoa", SISTER)
    page = visit("archive")
    for session in (first, second):
        page.app.checkbox(key=f"compare_{session.id}").check().run()
    page.press("compare")
    assert page.app.query_params["compare"] == [first.id, second.id]
    assert RENT in page.words
    assert SISTER in page.words
    assert not page.app.get("chat_input")


def test_a_session_can_be_renamed_and_deleted(visit, talk, database, session_dialog) -> None:
    session = talk("sudosys", RENT)
    page = visit("archive").choose(f"more_{session.id}", "Rename")
    assert page.app.text_input(key=f"title_{session.id}").value == session.title
    dialog = session_dialog("session_menu.rename_dialog", session)
    dialog.app.text_input(key=f"title_{session.id}").set_value("A better title").run()
    dialog.press("save_title")
    assert load_session(database, session.id).title == "A better title"
    page = visit("archive").choose(f"more_{session.id}", "Delete")
    assert "cannot be brought back" in page.words
    assert load_session(database, session.id)
    session_dialog("session_menu.delete_dialog", session).press("confirm_delete")
    with pytest.raises(InputError):
        load_session(database, session.id)


@pytest.mark.parametrize("kind", ["html", "md", "json"])
def test_a_session_is_offered_in_three_formats(visit, talk, database, session_dialog, kind: str) -> None:
    session = talk("sudosys", RENT)
    assert visit("archive").choose(f"more_{session.id}", "Export").app.radio(key="export_format")
    dialog = session_dialog("session_menu.export_dialog", session)
    dialog.app.radio(key="export_format").set_value(kind).run()
    (button,) = dialog.app.download_button
    assert button.proto.url.endswith(f".{kind}")
    assert not button.proto.deferred_file_id


IMPORT_DIALOG = "import_dialog()", "from pages._ui.session_import import import_dialog"


def test_an_exported_session_is_imported(visit, talk, database) -> None:
    whole = export_session(database, talk("sudosys", RENT).id, "json").encode()
    assert visit("archive").has("import_session")
    dialog = visit.of_dialog(*IMPORT_DIALOG)
    assert dialog.app.button(key="confirm_import").disabled
    dialog.app.file_uploader(key="import_file").set_value(("session.json", whole, "application/json")).run()
    dialog.app.button(key="confirm_import").click().run()
    assert [session.title.endswith("(imported)") for session in list_sessions(database)].count(True) == 1


def test_a_file_that_is_no_export_is_refused_by_name(visit, database) -> None:
    dialog = visit.of_dialog(*IMPORT_DIALOG)
    dialog.app.file_uploader(key="import_file").set_value(("a.json", b"{}", "application/json")).run()
    dialog.press("confirm_import")
    assert "no JSON export of a session" in dialog.words
    assert count_sessions(database) == 0


def test_a_past_imminent_event_stays_visible_in_list_and_headings(visit, talk, database) -> None:
    session = talk("sudosys", RENT, "I am going to kill myself tonight.")
    resume_session(database, session.id, "Dr A. Reviewer", "Spoke with the client; safe.")
    told = "Past imminent risk] :small[turn 2, resumed by Dr A. Reviewer: “Spoke with the client; safe.”"
    for page in (
        visit("archive"),
        visit("home"),
        visit("chat", session=session.id),
        visit("archive", replay=session.id),
    ):
        assert told in page.words
        assert "Frozen" not in page.words


def test_a_past_event_whose_turn_was_taken_out_is_still_told(visit, talk, database) -> None:
    session = talk("sudosys", RENT, "I am going to kill myself tonight.")
    resume_session(database, session.id, "Dr A. Reviewer", "Spoke with the client; safe.")
    rewind_session(database, session.id, 1)
    assert "in a turn taken out since, resumed by Dr A. Reviewer" in visit("chat", session=session.id).words


def test_evaluations_stand_beside_the_sessions(visit, settings) -> None:
    assert "No evaluation yet" in visit("archive").words
    dataset = questions(["a", "b"], ["gpt"], 2)
    first, second = (
        store_run(settings, dataset, number=1),
        store_run(settings, dataset, number=2, title="*Mine*"),
    )
    page = visit("archive")
    assert "*Mine*" in page.words
    assert "preset paper · 4 metrics" in page.words
    page.app.text_input(key="run_query").set_value("mine").run()
    assert page.has(f"open_run_{second.id}")
    assert not page.has(f"open_run_{first.id}")
    page.press(f"open_run_{second.id}")
    assert page.app.query_params["run"] == second.id


def test_an_evaluation_is_exported_renamed_and_removed_from_the_archive(visit, settings) -> None:
    run = store_run(settings, questions(["a"], ["gpt"], 2))
    page = visit("archive").choose(f"more_run_{run.id}", "Export")
    (button,) = page.app.download_button
    assert button.label == "All results (ZIP)"
    assert visit("archive").choose(f"more_run_{run.id}", "Rename").app.text_input(key=f"title_{run.id}")
    assert "go. The data set stays" in visit("archive").choose(f"more_run_{run.id}", "Remove").words


def test_eleven_evaluations_are_paged(visit, settings) -> None:
    dataset = questions(["a"], ["gpt"], 1)
    for number in range(11):
        store_run(settings, dataset, number=number)
    shown = [button.key for button in visit("archive").app.button if button.key.startswith("open_run_")]
    assert len(shown) == 10


def test_the_audit_log_is_shown_and_narrowed_to_a_session(visit, talk) -> None:
    first, second = talk("sudosys", RENT), talk("cocoa")
    page = visit("archive")
    (frame,) = [shown.value for shown in page.app.dataframe if "what" in shown.value]
    assert {first.id, second.id} <= set(frame["session"])
    assert "turn_answered" in set(frame["what"])
    assert not frame.astype(str).apply(lambda column: column.str.contains("rent")).any().any()
    page.app.text_input(key="audit_session").set_value(second.id).run()
    (frame,) = [shown.value for shown in page.app.dataframe if "what" in shown.value]
    assert set(frame["session"]) == {second.id}
    page.app.text_input(key="audit_session").set_value("nobody").run()
    assert "No entry." in page.words


def test_how_long_sessions_are_kept_is_said(visit, talk, monkeypatch) -> None:
    talk("sudosys", RENT)
    assert "kept until they are deleted" in visit("archive").words
    monkeypatch.setenv("COUNSEL_RETENTION_DAYS", "30")
    assert "nobody uses for 30 days are deleted when" in visit("archive").words
