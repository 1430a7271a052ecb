"""A whole SuDoSys turn with a scripted model: what it answers, what is kept, what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from counsel_core.agents._base import check_settings
from counsel_core.agents.sudosys import SUDOSYS
from counsel_core.errors import AgentReplyError, InputError, UnknownNameError
from counsel_core.records import Json, Language, ModelRequest
from tests.fakes_conversation import FakeModel
from tests.playing import Played, play

Answer = dict[str, Any] | str


def scripted(*answers: Answer) -> FakeModel:
    """Gives these answers one after another; a dictionary is written as JSON."""
    left = list(answers)

    def answer(request: ModelRequest) -> str:
        given = left.pop(0)
        return given if isinstance(given, str) else json.dumps(given)

    return FakeModel(answer=answer)


def reply(text: str, status: Any = 0, **topics: Any) -> Json:
    return {"topics": topics, "reason": "because", "status": status, "reply": text}


def test_topics_status_and_reply_are_taken_over() -> None:
    played = play(
        SUDOSYS,
        ["The rent.", "The rent, then."],
        model=scripted(reply("I see.", 1, problems="the rent"), reply("And?", chosen_problem="the rent")),
    )
    assert played.texts == ["I see.", "And?"]
    first, second = played.views
    # The stage of a view is the one its reply was made in, the status the one decided then.
    assert first["stage"] == {"number": 1, "name": "Listing problems", "status": 1, "complete": False}
    assert second["stage"]["number"] == 2
    assert second["topics"] == {
        "1": {"problems": "the rent", "impact": ""},
        "2": {"chosen_problem": "the rent"},
    }
    trace = played.replies[0].trace
    assert (trace["stage"], trace["status"], trace["moved"], trace["next_stage"]) == (1, 1, 1, 2)
    assert (trace["reason"], trace["changed"], trace["kept"]) == ("because", ["problems"], ["impact"])


def test_the_instruction_of_the_next_turn_has_the_new_values() -> None:
    model = scripted(reply("I see.", 1, problems="the rent"), reply("And?"))
    play(SUDOSYS, ["The rent.", "Yes."], model=model)
    text = model.requests[1].messages[0].content
    assert '"the rent"' in text
    assert "You: I see." in text
    assert len(model.requests[1].messages) == 1
    assert model.requests[1].schema is not None


def test_only_the_present_stage_is_written_and_unknown_keys_are_noted() -> None:
    answer = reply("Well.", 0, problems="x", what="call him", mood="low")
    played = play(SUDOSYS, ["Hm."], model=scripted(answer))
    assert played.state.topics[6]["what"] == ""
    assert played.replies[0].trace["dropped"] == ["what", "mood"]


def test_an_empty_value_prunes_and_a_missing_one_keeps() -> None:
    answers = reply("One.", 0, problems="rent", impact="no sleep"), reply("Two.", 0, problems="")
    played = play(SUDOSYS, ["a", "b"], model=scripted(*answers))
    assert played.state.topics[1] == {"problems": "", "impact": "no sleep"}
    trace = played.replies[1].trace
    assert (trace["pruned"], trace["kept"], trace["changed"]) == (["problems"], ["impact"], ["problems"])
    assert any("T_S := T'_S" in sentence for sentence in trace["deviations"])


def test_back_at_the_first_stage_is_logged() -> None:
    trace = play(SUDOSYS, ["back"], model=scripted(reply("We are at the start.", -1))).replies[0].trace
    assert (trace["status"], trace["moved"], trace["next_stage"]) == (-1, 0, 1)
    assert "first stage" in trace["clamped"]


def test_always_going_on_ends_complete_in_the_last_stage_and_goes_on() -> None:
    """As small models do: the status is always 1."""
    played = play(SUDOSYS, ["x"] * 12, model=scripted(*(reply(f"Reply {n}.", 1) for n in range(12))))
    assert played.stages == [1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 7]
    assert [view["stage"]["complete"] for view in played.views] == [False] * 6 + [True] * 6
    assert SUDOSYS.is_complete(played.state)


def test_later_topics_come_back_after_going_back() -> None:
    answers = [reply("a", 1, problems="p"), reply("b", -1, chosen_problem="c"), reply("d", 1), reply("e", 0)]
    played = play(SUDOSYS, ["1", "2", "3", "4"], model=scripted(*answers))
    assert set(played.views[1]["topics"]) == {"1", "2"}  # the stage of the reply
    assert set(played.views[2]["topics"]) == {"1", "2"}  # where it goes next
    assert played.views[3]["topics"]["2"] == {"chosen_problem": "c"}
    assert played.state.furthest == 2


def test_the_limit_of_turns_goes_on_by_itself() -> None:
    answers = [reply(f"r{n}") for n in range(5)]
    played = play(SUDOSYS, ["x"] * 5, settings={"max_turns_per_stage": 2}, model=scripted(*answers))
    assert played.stages == [1, 1, 2, 2, 3]
    assert "2 turns" in played.replies[1].trace["clamped"]


def test_a_wrong_answer_is_asked_again_with_what_was_wrong() -> None:
    model = scripted("I cannot do JSON.", "", reply("Now it is right."))
    played = play(SUDOSYS, ["Hello."], model=model)
    assert played.texts == ["Now it is right."]
    assert [len(request.messages) for request in model.requests] == [1, 3, 3]
    assert "could not be used" in model.requests[1].messages[-1].content


def test_after_three_wrong_answers_the_turn_fails_and_the_raw_answer_is_kept() -> None:
    with pytest.raises(AgentReplyError) as error:
        play(SUDOSYS, ["Hello."], model=scripted("one", "two", '{"reply": "cut off'))
    assert error.value.raw == '{"reply": "cut off'


def test_a_reply_given_before_is_asked_for_again_once() -> None:
    model = scripted(reply("I see."), reply("I see."), reply("I see now."))
    played = play(SUDOSYS, ["a", "b"], model=model)
    assert played.texts == ["I see.", "I see now."]
    assert "word for word" in model.requests[2].messages[-1].content


def test_a_model_that_insists_on_repeating_itself_is_let_through_and_noted() -> None:
    played = play(SUDOSYS, ["a", "b"], model=scripted(*[reply("I see.")] * 3))
    assert played.texts == ["I see.", "I see."]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({}, 2), ({"history_turns": 0}, 1), ({"reason": False}, 1), ({"history_turns": 0, "reason": False}, 0)],
)
def test_deviations_from_the_paper_are_told(settings: Json, expected: int) -> None:
    whole = reply("I see.", 0, problems="x", impact="y")
    trace = play(SUDOSYS, ["a"], settings=settings, model=scripted(whole)).replies[0].trace
    assert len(trace["deviations"]) == expected


@pytest.mark.parametrize(
    ("language", "protocol", "name"),
    [
        ("en", "", "pm_plus_en"),
        ("zh", "", "pm_plus_zh"),
        ("en", "sudosys_six_stage_en", "sudosys_six_stage_en"),
        ("zh", "pm_plus_zh", "pm_plus_zh"),
    ],
)
def test_the_protocol_fits_the_language_and_is_frozen_into_the_session(
    language: Language, protocol: str, name: str
) -> None:
    opening = SUDOSYS.begin(check_settings(SUDOSYS, {"protocol": protocol}), language, Path("nowhere"))
    assert opening.material["protocol"]["name"] == name
    assert opening.text == opening.material["protocol"]["stages"][0]["opening"]
    assert json.loads(json.dumps(opening.material)) == opening.material


def test_a_protocol_in_another_language_is_refused() -> None:
    with pytest.raises(InputError, match=r"'en'.*'zh'.*pm_plus_zh"):
        SUDOSYS.begin(check_settings(SUDOSYS, {"protocol": "pm_plus_en"}), "zh", Path("nowhere"))


def test_an_unknown_protocol_lists_the_choices() -> None:
    with pytest.raises(UnknownNameError, match="pm_plus_en"):
        SUDOSYS.begin(check_settings(SUDOSYS, {"protocol": "pm_minus"}), "en", Path("nowhere"))


def test_a_chinese_session_asks_in_chinese() -> None:
    model = scripted(reply("谢谢你告诉我。", 0, problems="房租"))
    played = play(SUDOSYS, ["房租涨了。"], language="zh", model=model)
    assert played.texts == ["谢谢你告诉我。"]
    assert model.requests[0].language == "zh"
    assert "来访者现在说" in model.requests[0].messages[0].content


Override = Callable[..., tuple[Any, str]]


@pytest.fixture
def played() -> Played:
    return play(SUDOSYS, ["The rent."], model=scripted(reply("I see.", 1, problems="the rent")))


def override(kind: str) -> Override:
    return next(known.apply for known in SUDOSYS.overrides if known.name == kind)


def test_a_clinician_sets_the_stage(played: Played) -> None:
    state, summary = override("stage")(played.state, {"number": 5}, played.material)
    assert (state.stage, state.furthest, state.turns) == (5, 5, 0)
    assert "from 2 (Choosing a problem) to 5 (Deciding on helpful strategies)" in summary


def test_a_clinician_edits_a_topic_of_any_stage(played: Played) -> None:
    arguments = {"stage": 1, "key": "problems", "value": " the rent, 90 € more "}
    state, summary = override("topic")(played.state, arguments, played.material)
    assert state.topics[1]["problems"] == "the rent, 90 € more"
    assert "from “the rent” to “the rent, 90 € more”" in summary


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [
        ("stage", {}),
        ("stage", {"number": 0}),
        ("stage", {"number": 8}),
        ("stage", {"number": "2"}),
        ("stage", {"number": True}),
        ("topic", {"stage": 1, "key": "mood", "value": "x"}),
        ("topic", {"stage": 9, "key": "problems", "value": "x"}),
        ("topic", {"stage": 1, "key": "problems", "value": None}),
        ("topic", {"stage": True, "key": "problems", "value": "x"}),
        ("topic", {"key": ["problems"], "stage": 1, "value": "x"}),
    ],
)
def test_an_override_that_makes_no_sense_is_refused(played: Played, kind: str, arguments: Json) -> None:
    with pytest.raises(InputError, match=r"stage|topic|value"):
        override(kind)(played.state, arguments, played.material)


def test_the_window_holds_a_planned_session() -> None:
    # 20 turns of two utterances each; more only where a model is shown more
    assert [SUDOSYS.window({"history_turns": turns}) for turns in (0, 1, 5, 30)] == [40, 40, 40, 60]
