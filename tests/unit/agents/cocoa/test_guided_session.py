"""Whole sessions with the guided rules."""

import json
from itertools import pairwise

import pytest

from counsel_core.agents._utterance import read_line
from counsel_core.agents.cocoa import COCOA
from counsel_core.agents.cocoa.guided import choose_by_table, draw_insights, follow_log
from counsel_core.agents.cocoa.guided_reading import number_in, quotable
from counsel_core.agents.cocoa.inputs import ExtractionInputs, StageInputs, TechniqueInputs
from counsel_core.agents.cocoa.knowledge import distortion_types, techniques
from counsel_core.agents.cocoa.state import Exchange, Progress
from counsel_core.clients import load_clients
from counsel_core.llm.guided import GuidedModel

CLIENTS = {name: client for name, client in load_clients().items() if client.agent == "cocoa"}


@pytest.fixture
def talk(respond):
    """Plays lines and returns the replies, each with the view a clinician sees."""

    def play(lines):
        state, said, turns = None, "", []
        for turn, line in enumerate(lines, start=1):
            reply = respond(GuidedModel(), line, said, state=state, turn=turn)
            state, said = COCOA.load(COCOA.dump(reply.state)), reply.text
            turns.append((line, reply, COCOA.view(state, {}, reply.trace)))
        return turns

    return play


@pytest.mark.parametrize("name", CLIENTS)
def test_a_sample_client_has_a_session_that_holds_together(talk, name):
    client = CLIENTS[name]
    assert 12 <= len(client.lines) <= 14
    turns = talk(client.lines)
    texts = [reply.text for _, reply, _ in turns]
    assert len(set(texts)) == len(texts)
    found = [line for line, reply, _ in turns if reply.trace["detection"]["type"]]
    assert 3 <= len(found) <= len(turns) - 5
    for _, reply, view in turns:
        # Components add up and the target is their argmax.
        for score in view["scores"]:
            assert score["recency"] + score["frequency"] + score["severity"] == pytest.approx(score["total"])
        totals = {score["type"]: score["total"] for score in view["scores"]}
        assert view["target"] == (max(totals, key=totals.__getitem__) if totals else None)
        if view["technique"]:
            technique = techniques()[view["technique"]]
            assert technique.name.casefold() not in reply.text.casefold()
            stage, of = view["technique_stage"]
            assert 1 <= stage <= of == len(technique.texts["en"].stages)
        assert 4 <= len(reply.text.split()) <= 95
    plans = [(view["technique"], view["technique_stage"][0]) for _, _, view in turns if view["technique"]]
    for (before, at), (after, then) in pairwise(plans):
        assert before != after or then == at + 1
    assert any(stage == len(techniques()[name].texts["en"].stages) for name, stage in plans)


def test_the_session_is_the_same_each_time(talk):
    lines = next(iter(CLIENTS.values())).lines[:6]
    assert [reply for _, reply, _ in talk(lines)] == [reply for _, reply, _ in talk(lines)]


@pytest.mark.parametrize(
    "lines",
    [
        ["ok"] * 40,
        ["I always ruin everything.", *["ok"] * 50],
        ["I always ruin everything."] * 40,
        ["I feel sad."] * 30,
        ["What do you mean?"] * 30,
        ["I don't want to do this."] * 30,
        ["I'm a loser.", "I don't know"] * 20,
        ["bye"] * 12,
    ],
)
def test_no_reply_is_given_twice(talk, lines):
    texts = [reply.text for _, reply, _ in talk(lines)]
    assert len(set(texts)) == len(texts)


def test_a_shrug_holds_the_stage_once_and_then_lets_the_question_go(talk):
    turns = talk(["I always ruin everything.", "I don't know.", "No idea.", "The report on Monday."])
    assert [view["technique_stage"][0] for _, _, view in turns] == [1, 1, 2, 3]


def test_a_refusal_changes_the_technique(talk):
    turns = talk(["I always ruin everything.", "I'd rather not talk about that."])
    first, second = (view["technique"] for _, _, view in turns)
    assert first != second


def test_a_quoted_line_is_the_clients_own(talk):
    turns = talk(["I had toast. I always ruin everything.", "Nobody ever calls me."])
    quotes = [reply.text for _, reply, _ in turns if "“" in reply.text]
    assert quotes
    assert all("“I always ruin everything" in text or "“Nobody ever calls me" in text for text in quotes)


def test_swearing_and_death_are_not_quoted(talk):
    for line in ("I'm a fucking loser.", "Everyone I love dies because of me."):
        ((_, reply, _),) = talk([line])
        assert reply.trace["detection"]["type"]
        assert "fuck" not in reply.text
        assert "dies" not in reply.text


def test_a_question_for_a_verdict_gets_none(talk):
    turns = talk(["It's all my fault that she left.", "Do you think I'm a bad mother?"])
    assert "one word" in turns[1][1].text or "verdict" in turns[1][1].text


# ── The single rules ────────────────────────────────────────────────────────


def chosen(target, log, current=None, client="Go on."):
    inputs = TechniqueInputs(target, (), log, current, Exchange("", client), "en")
    return json.loads(choose_by_table(inputs))["technique"]


def test_the_table_gives_the_first_technique_that_is_not_finished():
    table = distortion_types()["Labeling"].techniques
    assert chosen("Labeling", {}) == table[0]
    assert chosen("Labeling", {table[0]: Progress(5, 1)}) == table[1]


def test_when_all_are_finished_the_least_often_finished_starts_anew():
    table = distortion_types()["Labeling"].techniques
    log = {name: Progress(len(techniques()[name].texts["en"].stages), 2) for name in table}
    log[table[3]] = Progress(len(techniques()[table[3]].texts["en"].stages), 1)
    assert chosen("Labeling", log) == table[3]


@pytest.mark.parametrize(
    ("technique", "completed", "kept"),
    [
        ("Evidence-Based Questioning", 1, True),  # suits Labeling
        ("Decatastrophizing", 1, False),  # does not, and is hardly begun
        ("Decatastrophizing", 3, True),  # does not, but three of five stages are done
        ("Evidence-Based Questioning", 5, False),  # is finished
    ],
)
def test_a_technique_under_way_is_kept_while_it_makes_sense(technique, completed, kept):
    picked = chosen("Labeling", {technique: Progress(completed)}, technique)
    assert (picked == technique) is kept


def test_every_type_has_a_technique():
    for name in distortion_types():
        assert chosen(name, {}) in techniques()


def test_the_stage_follows_the_log():
    technique = techniques()["Pie Chart Technique"]
    stages = technique.texts["en"].stages
    for completed in range(6):
        inputs = StageInputs(technique, Progress(completed), Exchange("Why?", "The school."), "en")
        answer = json.loads(follow_log(inputs))
        assert answer["stage"] == min(completed + 1, 5)
        assert answer["example"] == stages[answer["stage"] - 1].example


@pytest.mark.parametrize(
    ("line", "insights"),
    [
        ("Hello!", []),
        ("Thanks.", []),
        ("What should I do?", []),
        ("I was late and my boss didn't greet me.",
         ["The client says that they were late and their boss didn't greet them."]),
        ("Well, I'm tired. We moved in June.", ["The client says that they moved in June."]),
        ("Anna said I am too strict.", ["The client says that Anna said they are too strict."]),
        ("Work was hard.", ["The client says that work was hard."]),
    ],
)  # fmt: skip
def test_insights_are_notes_in_the_third_person(line, insights):
    answer = json.loads(draw_insights(ExtractionInputs(Exchange("", line), "en")))
    assert answer == {"insights": insights}


def test_long_sentences_are_cut_in_a_note():
    (note,) = json.loads(draw_insights(ExtractionInputs(Exchange("", "I walked " + "on " * 30 + "."), "en")))[
        "insights"
    ]
    assert note.startswith("The client says that they walked on")
    endless = "I walked " + "far " * 200
    for note in json.loads(draw_insights(ExtractionInputs(Exchange("", endless), "en")))["insights"]:
        assert len(note) <= 300


@pytest.mark.parametrize(
    ("line", "number"),
    [
        ("About eighty percent.", "eighty"),
        ("I think about a six out of ten.", "six"),
        ("7", "7"),
        ("Maybe 40 %.", "40"),
        ("Two years ago.", None),
        ("I have three kids.", None),
        ("Two colleagues helped me.", None),
        ("Two good friends came by.", None),
        ("It was the sauce.", None),
    ],
)
def test_the_number_of_an_answer_is_found(line, number):
    assert number_in(read_line(line)) == number


def test_what_can_be_quoted():
    assert quotable("i'm such a loser...") == "I'm such a loser"
    assert quotable("Why me?") is None
    assert quotable("word " * 30) is None
    assert quotable("") is None
