"""The topic database and the state: only the present stage is written, and all goes to JSON and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.agents.sudosys.protocol import load_protocol
from counsel_core.agents.sudosys.state import (
    KEPT_SENTENCES,
    dump_state,
    first_state,
    load_state,
    remember_reply,
)
from counsel_core.agents.sudosys.topics import empty_values, visible_topics, write_topics

PROTOCOL = load_protocol("pm_plus_en", Path("no-such-folder"))
KEYS = {stage.number: stage.keys for stage in PROTOCOL.stages}

writes = st.integers(1, PROTOCOL.last).flatmap(
    lambda stage: st.tuples(
        st.just(stage), st.dictionaries(st.sampled_from(KEYS[stage]), st.text(max_size=40), max_size=3)
    )
)


def test_all_topics_are_there_and_empty_at_the_beginning() -> None:
    values = empty_values(PROTOCOL)
    assert {stage: tuple(topics) for stage, topics in values.items()} == KEYS
    assert not any(value for topics in values.values() for value in topics.values())


def test_values_replace_missing_keys_stay_and_nothing_prunes() -> None:
    values = write_topics(empty_values(PROTOCOL), 6, {"what": "call him", "when": "Monday"}).values
    written = write_topics(values, 6, {"what": "", "when": "Monday", "where": "at home"})
    assert written.values[6] == {
        "what": "",
        "when": "Monday",
        "where": "at home",
        "support": "",
        "obstacles": "",
    }
    assert written.changed == ("what", "where")


def test_an_unknown_key_is_a_programmers_error() -> None:
    with pytest.raises(KeyError, match="mood"):
        write_topics(empty_values(PROTOCOL), 1, {"mood": "low"})


def test_names_and_figures_survive_to_the_letter() -> None:
    said = 'Ana\'s "flat", 90 €/month {since} 2019\n我很担心'
    assert write_topics(empty_values(PROTOCOL), 1, {"problems": said}).values[1]["problems"] == said


def test_later_topics_are_kept_but_hidden_after_going_back() -> None:
    values = write_topics(empty_values(PROTOCOL), 3, {"situation": "at night"}).values
    assert set(visible_topics(values, 2)) == {1, 2}
    assert visible_topics(values, 3)[3]["situation"] == "at night"


@given(st.lists(writes, max_size=20))
def test_only_the_present_stage_is_written(changes: list[tuple[int, dict[str, str]]]) -> None:
    values = empty_values(PROTOCOL)
    for stage, new in changes:
        before = {number: dict(topics) for number, topics in values.items()}
        written = write_topics(values, stage, new)
        assert values == before  # nothing is changed in place
        assert all(written.values[n] == before[n] for n in KEYS if n != stage)
        assert written.values[stage] == before[stage] | new
        assert set(written.changed) == {key for key in new if new[key] != before[stage][key]}
        values = written.values
        assert set(visible_topics(values, stage)) == set(range(1, stage + 1))


@given(
    st.lists(writes, max_size=8), st.lists(st.text(max_size=80), max_size=8), st.integers(1, 7), st.booleans()
)
def test_the_state_goes_to_json_and_back(
    changes: list[tuple[int, dict[str, str]]], replies: list[str], stage: int, complete: bool
) -> None:
    from dataclasses import replace

    state = replace(first_state(PROTOCOL, "Hello."), stage=stage, furthest=7, turns=3, complete=complete)
    for number, new in changes:
        state = replace(state, topics=write_topics(state.topics, number, new).values)
    for turn, reply in enumerate(replies, start=1):
        state = remember_reply(state, reply, turn)
    assert load_state(json.loads(json.dumps(dump_state(state)))) == state
    assert all(state.said.has_replied(reply) for reply in replies)


def test_what_was_said_is_remembered_by_digests_of_a_bounded_number_of_sentences() -> None:
    state = first_state(PROTOCOL, "Hello.")
    for turn in range(1, KEPT_SENTENCES + 50):
        state = remember_reply(state, f"This is line {turn}.", turn)
    assert len(state.sentences) == KEPT_SENTENCES
    assert state.said.last_said("Hello.") == -1  # the oldest went
    assert state.said.last_said(f"This is line {KEPT_SENTENCES}.") == KEPT_SENTENCES
    assert state.said.has_replied("This is line 1.")  # whole replies never go
    assert "line" not in json.dumps(dump_state(state))
