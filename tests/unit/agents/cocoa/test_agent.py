import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from counsel_core.agents._base import check_settings
from counsel_core.agents.cocoa import COCOA
from counsel_core.agents.cocoa import agent as cocoa_agent
from counsel_core.agents.cocoa.knowledge import techniques
from counsel_core.agents.cocoa.memory import Distortion, Insight
from counsel_core.agents.cocoa.state import CocoaState, Exchange, Progress
from counsel_core.errors import (
    AgentReplyError,
    InputError,
    ProviderUnavailableError,
    StoppedError,
    UnsupportedTaskError,
)
from counsel_core.llm.guided import GuidedModel

from .conftest import ANSWERS, ScriptedModel

NONE = {"type": None, "utterance": "", "score": None}
REMEMBERED = CocoaState(
    turn=1,
    insights=(Insight("The client failed an exam.", 1),),
    distortions=(Distortion("Labeling", "I'm a loser", 4, 1),),
)


def test_a_turn_goes_through_all_tasks(respond, calls):
    steps = []
    model = ScriptedModel()
    reply = respond(model, "I failed. I'm a loser.", "How was it?", progress=steps.append)
    assert sorted(model.tasks()[:2]) == ["distortion", "insights"]
    assert model.tasks()[2:] == ["technique", "stage", "reply"]
    assert steps == ["Noticing", "Remembering", "Choosing a technique", "Choosing its stage", "Writing"]
    # Whichever extraction ends first, the calls are recorded in one order, so that a session replays.
    assert [call.task for call in calls] == [f"cocoa {task}" for task in (
        "insights", "distortion", "technique", "stage", "reply")]  # fmt: skip
    assert reply.text == ANSWERS["cocoa reply"]
    assert reply.state.insights == (Insight("The client failed an exam.", 1),)
    # The entry holds the client's own utterance (p_n of algorithm 1), not the model's excerpt.
    assert reply.state.distortions == (Distortion("Labeling", "I failed. I'm a loser.", 4, 1),)
    assert reply.state.log == {"Continuum Technique": Progress(completed=1)}


def test_the_trace_holds_every_intermediate(respond):
    trace = respond(ScriptedModel(), "I'm a loser.").trace
    assert trace["insights"] == ["The client failed an exam."]
    assert trace["detection"] == {"type": "Labeling", "severity": 4, "ranking": [], "note": ""}
    assert trace["scores"] == [
        {"type": "Labeling", "recency": 1.0, "frequency": 1.0, "severity": 1.0, "total": 3.0}
    ]
    assert trace["target"] == "Labeling"
    assert trace["embedder"] == "letters"
    assert [row["memory"] for row in trace["retrieved"]] == ["basic", "distortion"]
    assert (trace["technique"], trace["stage"]) == ("Continuum Technique", [1, 5])
    assert (trace["example"], trace["example_from"]) == ("What is being measured here?", "model")
    assert "What is being measured here?" in trace["prompt"]["dynamic"]
    assert len(trace["prompts"]) == 16


def test_with_nothing_to_treat_the_prompt_is_static(respond):
    model = ScriptedModel(distortion=NONE)
    reply = respond(model, "I had lunch with my sister.")
    assert sorted(model.tasks()) == ["distortion", "insights", "reply"]
    assert "# Technique" not in model.sent("reply")
    assert reply.trace["technique"] is None
    assert reply.trace["prompt"] == {"dynamic": ""}
    assert reply.state.applied is None


def test_a_negative_feeling_is_stored_but_treated_only_by_choice(respond):
    feeling = {"type": "Negative Feeling or Emotion", "utterance": "I feel sad", "score": 3}
    stored = respond(ScriptedModel(distortion=feeling), "I feel sad.")
    assert [entry.type for entry in stored.state.distortions] == ["Negative Feeling or Emotion"]
    assert stored.trace["target"] is None
    chosen = respond(ScriptedModel(distortion=feeling), "I feel sad.", negative_feeling_eligible=True)
    assert chosen.trace["target"] == "Negative Feeling or Emotion"


def test_the_reply_is_prompted_with_static_and_dynamic(respond):
    model = ScriptedModel()
    respond(model, "I'm a loser.", "How was it?", state=REMEMBERED, turn=2)
    prompt = model.sent("reply")
    for part in ("Restatement or Paraphrasing", "Counsellor: How was it?", "Client: I'm a loser.",
                 "Continuum", "What is being measured here?"):  # fmt: skip
        assert part in prompt


def test_only_the_last_pair_and_what_was_retrieved_are_sent(respond):
    model = ScriptedModel(distortion=NONE)
    respond(model, "Yes.", "Is it so?", state=REMEMBERED, turn=2)
    technique = model.sent("technique")
    assert "The client failed an exam." in technique
    assert "Labeling: I'm a loser" in technique
    assert "Counsellor: Is it so?\nClient: Yes." in technique
    # Memories reach the model through the technique's prompt alone (equation 3).
    assert "The client failed an exam." not in model.sent("reply")
    assert "The client failed an exam." not in model.sent("insights")


def test_the_stage_is_prompted_with_the_log_and_the_dialogue_under_the_technique(respond):
    first = respond(ScriptedModel(), "I'm a loser.", "How was it?")
    model = ScriptedModel(distortion=NONE, stage={"stage": 2, "example": "And 0?"})
    reply = respond(model, "Worth, I guess.", "What is measured?", state=first.state, turn=2)
    assert "Continuum Technique: 1 of 5 stages completed" in model.sent("stage")
    third = ScriptedModel(distortion=NONE, stage={"stage": 3, "example": "Where are you?"})
    respond(third, "Someone mean.", "And 0?", state=reply.state, turn=3)
    dialogue = third.sent("stage").split("# Dialogue in which the technique was applied")[1]
    assert "Counsellor: What is measured?\nClient: Worth, I guess." in dialogue
    assert reply.state.log["Continuum Technique"].completed == 2


@pytest.mark.parametrize(("asked", "taken"), [(4, 2), (0, 1), (-3, 1), (2, 2), (1, 1)])
def test_stages_are_clamped_and_none_is_skipped(respond, asked, taken):
    first = respond(ScriptedModel(), "I'm a loser.")
    reply = respond(
        ScriptedModel(stage={"stage": asked, "example": "Mine."}), "Yes.", state=first.state, turn=2
    )
    assert reply.trace["stage"] == [taken, 5]
    if asked == taken:
        assert (reply.trace["example"], reply.trace["clamped"]) == ("Mine.", "")
    else:
        # An example written for another stage is replaced by the data file's.
        assert reply.trace["example_from"] == "file"
        assert reply.trace["clamped"] == f"stage {asked} was asked for, {taken} is next"


def test_a_missing_example_is_taken_from_the_file(respond):
    reply = respond(ScriptedModel(stage={"stage": 1, "example": ""}), "I'm a loser.")
    assert reply.trace["example_from"] == "file"
    assert reply.trace["example"]


def test_a_technique_outside_the_list_is_asked_again(respond, calls):
    model = ScriptedModel(technique=[{"technique": "Hypnosis"}, {"technique": "Reality Testing"}])
    assert respond(model, "I'm a loser.").trace["technique"] == "Reality Testing"
    failed = [call for call in calls if call.error]
    assert [call.task for call in failed] == ["cocoa technique"]


def test_a_reply_that_names_the_technique_fails_after_three_tries(respond, calls):
    with pytest.raises(AgentReplyError, match="must not name the technique") as error:
        respond(ScriptedModel(reply="Let's use the Continuum Technique."), "I'm a loser.")
    assert error.value.raw == "Let's use the Continuum Technique."
    assert [call.task for call in calls].count("cocoa reply") == 3


def test_a_reply_given_before_is_asked_again_once(respond):
    first = respond(ScriptedModel(), "I'm a loser.")
    model = ScriptedModel(reply=[ANSWERS["cocoa reply"], "Something new."])
    assert respond(model, "Yes.", state=first.state, turn=2).text == "Something new."
    stubborn = ScriptedModel()
    assert respond(stubborn, "Yes.", state=first.state, turn=2).text == ANSWERS["cocoa reply"]
    assert stubborn.tasks().count("reply") == 2


def test_an_unknown_type_counts_as_none_and_is_noted(respond):
    reply = respond(ScriptedModel(distortion={"type": "Gloom", "utterance": "x", "score": 3}), "Hm.")
    assert reply.state.distortions == ()
    assert reply.trace["detection"]["note"] == "'Gloom' is no known type: taken as none"


def test_both_extractions_run_at_the_same_time(respond):
    together = threading.Barrier(2, timeout=5)

    def meet(answer):
        def wait(request, cancel):
            together.wait()
            return answer

        return wait

    model = ScriptedModel(insights=meet('{"insights": []}'), distortion=meet('{"type": null, "score": null}'))
    assert respond(model, "Hello.").text


@pytest.mark.parametrize("task", ["insights", "distortion", "technique", "stage", "reply"])
def test_an_error_of_the_provider_passes_through_and_the_calls_are_kept(respond, calls, task):
    down = ProviderUnavailableError("The server does not answer.")
    with pytest.raises(ProviderUnavailableError, match="does not answer"):
        respond(ScriptedModel(**{task: down}), "I'm a loser.")
    assert [call.error for call in calls if call.task == f"cocoa {task}"] == ["The server does not answer."]


@pytest.mark.parametrize(("fails", "goes_on"), [("insights", "distortion"), ("distortion", "insights")])
def test_when_one_extraction_fails_the_turn_does_not_wait_for_the_other(respond, calls, fails, goes_on):
    both_asked = threading.Barrier(2, timeout=5)

    def wait(request, cancel):
        both_asked.wait()
        assert cancel.wait(20)
        raise StoppedError("Stopped.")

    def fail(request, cancel):
        both_asked.wait()
        raise ProviderUnavailableError("It does not answer.")

    started = time.monotonic()
    with pytest.raises(ProviderUnavailableError, match="does not answer"):
        respond(ScriptedModel(**{fails: fail, goes_on: wait}), "Hm.")
    assert time.monotonic() - started < 10
    assert {call.task: call.error for call in calls}[f"cocoa {goes_on}"] == "Stopped."


def test_stop_is_heard(respond):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(StoppedError):
        respond(ScriptedModel(), "I'm a loser.", cancel=cancel)
    late = threading.Event()

    def stop(request, cancel):
        late.set()
        return '{"insights": []}'

    model = ScriptedModel(insights=stop)
    with pytest.raises(StoppedError):
        respond(model, "I'm a loser.", cancel=late)
    assert "technique" not in model.tasks()


def test_a_line_is_answered_without_a_counsellor_before_it(respond):
    model = ScriptedModel(distortion=NONE)
    reply = respond(model, "{insights} are braces, {utterances} too.")
    assert reply.text
    assert "Client: {insights} are braces, {utterances} too." in model.sent("insights")


def test_in_chinese_the_prompts_are_chinese_and_the_names_stay(respond):
    label = techniques()["Continuum Technique"].texts["zh"].label
    model = ScriptedModel(
        distortion={"type": "贴标签", "utterance": "我真没用", "score": "4"},
        insights={"insights": ["来访者觉得自己没用。"]},
        technique={"technique": label},
        stage={"stage": 1, "example": "这里衡量的是什么？"},
        reply="听起来很难受。是什么让你这样说？",
    )
    reply = respond(model, "我真没用。", "最近怎么样？", language="zh")
    assert reply.state.distortions == (Distortion("Labeling", "我真没用。", 4, 1),)
    assert reply.trace["technique"] == "Continuum Technique"
    assert reply.trace["technique_label"] == label
    for task in ("insights", "distortion", "technique", "stage", "reply"):
        assert "咨询师：最近怎么样？\n来访者：我真没用。" in model.sent(task)
        assert "You " not in model.sent(task)
        assert "{" not in model.sent(task).replace('{"', "")


def test_the_guided_rules_say_that_chinese_needs_a_language_model(respond):
    with pytest.raises(UnsupportedTaskError, match="a language model is needed"):
        respond(GuidedModel(), "我真没用。", language="zh")


def test_a_session_opens_with_a_short_line_in_its_language():
    for language, words in (("en", "Hello"), ("zh", "你好")):
        opening = COCOA.begin(check_settings(COCOA, {}), language, Path())
        assert opening.text.startswith(words)
        assert opening.state.said.has_replied(opening.text)


def test_settings_reach_the_state():
    settings = check_settings(
        COCOA, {"gamma": "0.9", "alpha_severity": "2", "negative_feeling_eligible": "on"}
    )
    state = COCOA.begin(settings, "en", Path()).state
    assert (state.gamma, state.alphas.severity, state.negative_feeling) == (0.9, 2.0, True)


def test_a_folder_without_contriever_is_refused_at_once(tmp_path):
    with pytest.raises(InputError, match=r"folder of Contriever is .*; it takes a folder with config.json"):
        COCOA.begin(check_settings(COCOA, {"embedder": str(tmp_path)}), "en", tmp_path)


def test_top_k_bounds_what_is_retrieved(respond):
    state = replace(REMEMBERED, insights=tuple(Insight(f"Note {n}.", 1) for n in range(9)))
    reply = respond(ScriptedModel(), "Yes.", state=state, turn=2, top_k=2)
    assert [row["memory"] for row in reply.trace["retrieved"]] == ["basic"] * 2 + ["distortion"] * 2


def test_a_continued_session_treats_what_the_earlier_one_found(respond):
    new = COCOA.continue_from(COCOA.begin(check_settings(COCOA, {}), "en", Path()).state, REMEMBERED)
    reply = respond(ScriptedModel(distortion=NONE), "Hello again.", state=new, turn=1)
    assert reply.trace["target"] == "Labeling"


def test_a_line_after_a_frozen_turn_is_not_taken_for_an_answer(respond):
    first = respond(ScriptedModel(), "I'm a loser.")
    reply = respond(ScriptedModel(distortion=NONE), "I'm safe.", "Are you safe?", state=first.state, turn=3)
    assert Exchange("Are you safe?", "I'm safe.") not in reply.state.log["Continuum Technique"].dialogue


def test_of_two_failures_the_one_that_says_why_is_raised():
    away, stopped = ProviderUnavailableError("The server is away."), StoppedError("Stopped.")
    for pair in ((away, stopped), (stopped, away), (None, away)):
        with pytest.raises(ProviderUnavailableError, match="is away"):
            cocoa_agent._raise_first(*pair)
    with pytest.raises(StoppedError):
        cocoa_agent._raise_first(stopped, None)
    cocoa_agent._raise_first(None, None)
