import json
from dataclasses import replace

import pytest

from counsel_core.agents.cocoa.memory import Alphas, Distortion, Insight
from counsel_core.agents.cocoa.settings import change_weights, relabel_distortion
from counsel_core.agents.cocoa.state import (
    EXCHANGES_KEPT,
    SENTENCES_KEPT,
    Applied,
    CocoaState,
    Exchange,
    Progress,
    begin_round,
    complete_stage,
    continue_from,
    dump_state,
    heard,
    load_state,
    remember_reply,
    view_state,
)
from counsel_core.errors import InputError

NAME = "Pie Chart Technique"
STATE = CocoaState(
    turn=3,
    insights=(Insight("The client has a son.", 1),),
    distortions=(Distortion("Labeling", "I'm a loser", 5, 1), Distortion("Blaming", "His fault", 2, 3)),
    log={NAME: Progress(2, 0, (Exchange("Why?", "No idea."),))},
    applied=Applied(NAME, 2),
    alphas=Alphas(1, 0.5, 2),
    gamma=0.9,
    sentences={"abcd1234": 1},
    replies=("abcd1234",),
)


def test_state_goes_to_json_and_back():
    for state in (STATE, CocoaState(), replace(STATE, applied=None, log={})):
        assert load_state(json.loads(json.dumps(dump_state(state)))) == state


def test_a_line_joins_the_dialogue_under_the_technique_it_answers():
    after = heard(STATE, "What else?", "The school.", turn=4)
    assert after.turn == 4
    assert after.log[NAME].dialogue[-1] == Exchange("What else?", "The school.")


def test_a_line_after_a_safety_reply_joins_no_dialogue():
    # Turn 4 was answered by another text than this agent's: turn 5 does not follow on turn 3.
    assert heard(STATE, "Are you safe?", "Yes.", turn=5).log == STATE.log
    assert heard(replace(STATE, applied=None), "Hello", "Hi", turn=4).log == STATE.log


def test_the_dialogue_kept_is_bounded():
    state = STATE
    for turn in range(4, 40):
        state = replace(heard(state, f"q{turn}", f"a{turn}", turn), applied=Applied(NAME, 2))
    assert len(state.log[NAME].dialogue) == EXCHANGES_KEPT
    assert state.log[NAME].dialogue[-1] == Exchange("q39", "a39")


def test_the_log_counts_completed_stages_and_rounds():
    state = begin_round(CocoaState(), NAME, stages=3)
    for stage, (completed, rounds) in zip((1, 1, 2, 3), ((1, 0), (1, 0), (2, 0), (3, 1)), strict=True):
        state = complete_stage(state, Applied(NAME, stage), stages=3)
        assert (state.log[NAME].completed, state.log[NAME].rounds) == (completed, rounds)
    again = complete_stage(state, Applied(NAME, 3), stages=3)
    assert again.log[NAME].rounds == 1


def test_a_finished_technique_starts_anew_and_an_interrupted_one_goes_on():
    finished = replace(STATE, log={NAME: Progress(5, 1, (Exchange("a", "b"),))})
    assert begin_round(finished, NAME, stages=5).log[NAME] == Progress(0, 1)
    assert begin_round(STATE, NAME, stages=5).log[NAME] == STATE.log[NAME]


def test_without_a_technique_nothing_is_counted():
    after = complete_stage(STATE, None, stages=0)
    assert after.applied is None
    assert after.log == STATE.log


def test_a_new_session_takes_over_memories_but_no_log():
    new = continue_from(CocoaState(), STATE)
    assert [entry.turn for entry in new.distortions] == [-2, 0]
    assert [entry.turn for entry in new.insights] == [-2]
    assert new.log == {}
    assert new.applied is None
    assert new.alphas == CocoaState().alphas


def test_replies_are_remembered_and_sentences_bounded():
    state = CocoaState()
    for turn in range(1, SENTENCES_KEPT + 10):
        state = remember_reply(replace(state, turn=turn), f"Sentence {turn}.")
    assert len(state.sentences) == SENTENCES_KEPT
    assert state.said.has_replied("Sentence 1.")
    assert state.said.last_said("Sentence 1.") == -1
    assert state.said.last_said(f"Sentence {SENTENCES_KEPT + 9}.") == SENTENCES_KEPT + 9


def test_the_view_is_what_the_command_line_prints():
    view = view_state(STATE, {}, {})
    assert view["insights"] == ["The client has a son."]
    assert view["distortions"][0] == {
        "type": "Labeling", "utterance": "I'm a loser", "severity": 5, "turn": 1,
    }  # fmt: skip
    assert view["technique"] == NAME
    assert view["technique_stage"] == [2, 5]
    # Recency: Blaming 1, Labeling 0; frequency equal: 1 each; severity: Labeling 1, Blaming 0. With
    # α = (1, 0.5, 2): Labeling 0.5 + 2, Blaming 1 + 0.5; the components are printed before α.
    assert view["scores"] == [
        {"type": "Labeling", "recency": 0.0, "frequency": 1.0, "severity": 1.0, "total": 2.5},
        {"type": "Blaming", "recency": 1.0, "frequency": 1.0, "severity": 0.0, "total": 1.5},
    ]
    assert view["target"] == "Labeling"
    assert view_state(CocoaState(), {}, {}) == {
        "insights": [], "distortions": [], "scores": [], "target": None,
        "technique": None, "technique_stage": None,
    }  # fmt: skip


def test_relabelling_changes_one_entry_and_says_so():
    after, summary = relabel_distortion(STATE, {"index": 0, "type": "Mind Reading", "severity": 2}, {})
    assert after.distortions == (
        replace(STATE.distortions[0], type="Mind Reading", severity=2),
        STATE.distortions[1],
    )
    assert summary == "Distortion of turn 1: Labeling, severity 5 → Mind Reading, severity 2"


def test_relabelling_with_no_type_removes_the_entry():
    after, summary = relabel_distortion(STATE, {"index": 1, "type": None}, {})
    assert after.distortions == STATE.distortions[:1]
    assert summary == "Distortion of turn 3 removed (was Blaming, severity 2)"


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"index": 2, "type": "Labeling"},
        {"index": -1, "type": "Labeling"},
        {"index": "0", "type": "Labeling"},
        {"index": True, "type": "Labeling"},
        {"index": 0, "type": "Daydreaming"},
        {"index": 0, "type": "Labeling", "severity": 6},
        {"index": 0, "type": "Labeling", "severity": 2.5},
    ],
)
def test_relabelling_refuses_nonsense(arguments):
    with pytest.raises(InputError):
        relabel_distortion(STATE, arguments, {})


def test_weights_change_one_by_one():
    after, summary = change_weights(STATE, {"alpha_recency": 3, "gamma": 0.9}, {})
    assert after.alphas == Alphas(3, 0.5, 2)
    assert after.gamma == 0.9
    assert summary == "Changed: weight of recency 1 → 3"


@pytest.mark.parametrize(
    "arguments",
    [{}, {"alpha": 1}, {"gamma": 1.5}, {"gamma": -0.1}, {"alpha_recency": 11}, {"alpha_severity": "much"},
     {"alpha_frequency": float("nan")}, {"gamma": True}],
)  # fmt: skip
def test_weights_refuse_nonsense(arguments):
    with pytest.raises(InputError):
        change_weights(STATE, arguments, {})
