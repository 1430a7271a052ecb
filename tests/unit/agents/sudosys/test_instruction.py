"""The instruction: I = [B[S]; {T_s} for s = 1..S; u_t; R_S], in this order (SuDoSys, section 2.2.1)."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from counsel_core.agents._phrases import Said
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.instruction import (
    answer_schema,
    build_instruction,
    placeholders,
    shown_history,
)
from counsel_core.agents.sudosys.protocol import load_protocol
from counsel_core.agents.sudosys.topics import empty_values, visible_topics, write_topics
from counsel_core.agents.sudosys.unpacker import unpack
from counsel_core.errors import ReplyFormatError
from counsel_core.language.embeddings import character_ngrams
from counsel_core.records import Language, Utterance

PROTOCOLS = {name: load_protocol(f"pm_plus_{name}", Path("no-such-folder")) for name in ("en", "zh")}
BEFORE = (
    Utterance("counsellor", "COUNSELLOR ONE"),
    Utterance("client", "CLIENT ONE"),
    Utterance("counsellor", "COUNSELLOR TWO"),
)


def inputs_of(language: Language = "en", stage: int = 3, **changes: object) -> TurnInputs:
    protocol = PROTOCOLS[language]
    values = empty_values(protocol)
    for number in range(1, 8):
        values = write_topics(values, number, {protocol.stage(number).keys[0]: f"VALUE {number}"}).values
    inputs = TurnInputs(
        protocol=protocol,
        number=stage,
        topics=visible_topics(values, stage),
        client='CLIENT "NOW" {x} $name',
        before=BEFORE,
        turn=2,
        turns=1,
        furthest=stage,
        complete=False,
        said=Said(),
        embedder=character_ngrams(),
    )
    return replace(inputs, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("history_turns", [0, 1])
def test_the_parts_stand_in_the_papers_order(language: Language, history_turns: int) -> None:
    inputs = inputs_of(language, history_turns=history_turns)
    message = build_instruction(inputs)
    text = message.content
    marks = [
        inputs.stage.instruction[:40],  # B[S]
        inputs.stage.go_on,
        "VALUE 1",  # {T_s}, s = 1..S
        "VALUE 2",
        "VALUE 3",
        *(["COUNSELLOR TWO"] if history_turns else []),  # the noted deviation
        inputs.client,  # u_t
        placeholders(language, inputs.stage)[0],  # R_S
    ]
    assert [text.count(mark) for mark in marks] == [1] * len(marks)
    assert sorted(marks, key=text.index) == marks
    assert (message.role, text) == ("user", "".join(message.parts))


def test_history_turns_0_is_strictly_the_paper() -> None:
    text = build_instruction(inputs_of(history_turns=0)).content
    assert "COUNSELLOR" not in text
    assert "CLIENT ONE" not in text


@pytest.mark.parametrize(
    ("history_turns", "shown"),
    [(0, []), (1, ["COUNSELLOR TWO"]), (2, [u.text for u in BEFORE]), (9, [u.text for u in BEFORE])],
)
def test_history_begins_with_the_nth_last_counsellor_line(history_turns: int, shown: list[str]) -> None:
    assert [u.text for u in shown_history(inputs_of(history_turns=history_turns))] == shown


def test_later_topics_are_not_shown() -> None:
    text = build_instruction(inputs_of(stage=2)).content
    assert "VALUE 2" in text
    assert "VALUE 3" not in text


def test_each_shared_text_is_a_part_of_its_own() -> None:
    """So that storage keeps it once: the role, the step, every topic, the client's line."""
    first, second = (build_instruction(inputs_of(client=line)).parts for line in ("One thing.", "Another."))
    assert len(first) == len(second)
    assert [at for at in range(len(first)) if first[at] != second[at]] == [first.index("One thing.")]
    other_stage = build_instruction(inputs_of(stage=4)).parts
    topics = [part for part in first if part.startswith("- ")]
    assert len(topics) == sum(len(stage.topics) for stage in PROTOCOLS["en"].stages[:3])
    assert set(topics) <= set(other_stage)
    assert first[0] == other_stage[0]


def test_the_next_step_is_named_and_the_last_has_none() -> None:
    assert PROTOCOLS["en"].stage(4).purpose in build_instruction(inputs_of(stage=3)).content
    assert "This is the last step" in build_instruction(inputs_of(stage=7)).content


@pytest.mark.parametrize("reason", [True, False])
def test_the_template_asks_for_what_the_schema_demands(reason: bool) -> None:
    inputs = inputs_of(reason=reason)
    template = build_instruction(inputs).parts[-1]
    shape = json.loads(template[template.index("{") :])
    schema = answer_schema(inputs.stage, reason=reason)
    assert list(shape) == list(schema["properties"])
    assert ("reason" in shape) == reason
    assert tuple(shape["topics"]) == inputs.stage.keys
    jsonschema.validate(shape, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(shape | {"status": 2}, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(shape | {"reply": ""}, schema)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_template_given_back_is_no_answer(language: Language) -> None:
    template = build_instruction(inputs_of(language)).parts[-1]
    stage = PROTOCOLS[language].stage(3)
    with pytest.raises(ReplyFormatError):
        unpack(template, stage.keys, "stop", placeholders(language, stage))


def test_no_placeholder_is_left_open() -> None:
    for language in ("en", "zh"):
        for stage in range(1, 8):
            parts = build_instruction(inputs_of(language, stage, client="x")).parts
            assert "$" not in "".join(parts)
