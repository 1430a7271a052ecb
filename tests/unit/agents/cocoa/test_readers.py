"""What models write for each of the five tasks, and what is made of it."""

import json

import pytest

from counsel_core.agents.cocoa.detection import Detection, read_detection
from counsel_core.agents.cocoa.inputs import Plan
from counsel_core.agents.cocoa.insights import read_insights
from counsel_core.agents.cocoa.knowledge import techniques
from counsel_core.agents.cocoa.prompt import read_reply
from counsel_core.agents.cocoa.stage import read_stage
from counsel_core.agents.cocoa.technique import read_technique
from counsel_core.errors import ReplyFormatError
from counsel_core.records import Completion

PLAN = Plan(techniques()["Pie Chart Technique"], 2, "What else had a part in it?")


def completion(answer: object, finish: str = "stop") -> Completion:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return Completion(text, 0.0, finish)


@pytest.mark.parametrize(
    ("answer", "insights"),
    [
        ({"insights": ["The client  has a\nson."]}, ("The client has a son.",)),
        ({"insights": []}, ()),
        ({"insights": None}, ()),
        ({"insights": ["", " "]}, ()),
        # Small models copy the pattern that the prompt shows.
        ({"insights": ["The client …", "来访者……"]}, ()),
        ({"insights": "The client has a son."}, ("The client has a son.",)),
        ('```json\n{"Insights": ["A.", "B.", "C.", "D."]}\n```', ("A.", "B.", "C.")),
    ],
)
def test_insights_are_read(answer, insights):
    assert read_insights(completion(answer))[0] == insights


@pytest.mark.parametrize(
    "answer", ["", "The client has a son.", "[1]", {"notes": []}, {"insights": ["x" * 301]}]
)
def test_other_insights_are_refused(answer):
    with pytest.raises(ReplyFormatError):
        read_insights(completion(answer))


@pytest.mark.parametrize(
    ("answer", "kind", "severity"),
    [
        ({"type": "Labeling", "utterance": "I'm a loser", "score": 4}, "Labeling", 4),
        ({"type": "labeling", "utterance": "", "score": "3"}, "Labeling", 3),
        ({"type": "Mislabeling", "score": 3.0}, "Labeling", 3),
        ({"type": "Labeling", "score": 9}, "Labeling", 5),
        ({"type": "Labeling", "score": 0}, "Labeling", 1),
        ({"type": ["Blaming", "Labeling"], "score": 2}, "Blaming", 2),
        ({"type": None, "utterance": "", "score": None}, None, None),
        ({"type": "", "score": ""}, None, None),
        ({"type": [], "score": None}, None, None),
        ({"type": "None", "score": 0}, None, None),
        ({"type": "Daydreaming", "score": 3}, None, None),
        ('<think>{"type": "Blaming", "score": 5}</think>{"type": "Labeling", "score": 2}', "Labeling", 2),
    ],
)
def test_detections_are_read(answer, kind, severity):
    found, _ = read_detection(completion(answer))
    assert (found.type, found.severity) == (kind, severity)


def test_how_a_detection_was_taken_is_noted():
    found, repairs = read_detection(completion({"type": "Mental filtering", "score": 7}))
    assert found == Detection(
        "Disqualifying the Positive", 5, (), "'Mental filtering' is read as Disqualifying the Positive"
    )
    assert repairs[-2:] == (found.note, "severity 7 is read as 5")
    unknown, _ = read_detection(completion({"type": "Daydreaming", "score": 3}))
    assert unknown.note == "'Daydreaming' is no known type: taken as none"


@pytest.mark.parametrize("score", [None, "high", "", "nan", True])
def test_a_type_needs_a_severity(score):
    with pytest.raises(ReplyFormatError, match="score"):
        read_detection(completion({"type": "Labeling", "score": score}))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_techniques_are_read_by_name_or_label(language):
    wanted = techniques()["Pie Chart Technique"]
    for given in (wanted.name, "pie chart technique", "Pie-Chart Technique.", wanted.texts[language].label):
        assert read_technique(completion({"technique": given}))[0] is wanted


@pytest.mark.parametrize("given", ["Hypnosis", "", "Pie Chart Technique, Reality Testing"])
def test_a_technique_outside_the_list_is_asked_again(given):
    with pytest.raises(ReplyFormatError, match="Choose exactly one of: Guided Discovery, ") as error:
        read_technique(completion({"technique": given}))
    assert "请从下列技术中只选一项" in error.value.chinese


@pytest.mark.parametrize(
    ("answer", "stage", "example"),
    [
        ({"stage": 2, "example": " And then? "}, 2, "And then?"),
        ({"stage": "3", "example": None}, 3, ""),
        ({"stage": 2.0}, 2, ""),
    ],
)
def test_stages_are_read(answer, stage, example):
    assert read_stage(completion(answer))[0] == (stage, example)


@pytest.mark.parametrize("answer", [{"stage": "next"}, {"example": "x"}, {"stage": None}, {"stage": "inf"}])
def test_other_stages_are_refused(answer):
    with pytest.raises(ReplyFormatError):
        read_stage(completion(answer))


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("That sounds hard.", "That sounds hard."),
        ("<think>They suffer.</think>\nThat sounds hard.", "That sounds hard."),
        ("They suffer.</think>That sounds hard.", "That sounds hard."),
        ("Counsellor: That sounds hard.", "That sounds hard."),
        ("**Therapist:** That sounds hard.", "That sounds hard."),
        ("咨询师：听起来很难。", "听起来很难。"),
        ('"That sounds hard."', "That sounds hard."),
        ("“听起来很难。”", "听起来很难。"),
        ('You said "never". That sounds "hard".', 'You said "never". That sounds "hard".'),
        ("That sounds hard.\nClient: Yes.\nCounsellor: So?", "That sounds hard."),
        ("听起来很难。\n来访者：是的。", "听起来很难。"),
        ("The first step is yours, one step at a time.", "The first step is yours, one step at a time."),
    ],
)
def test_replies_are_read_as_plain_text(answer, reply):
    assert read_reply(completion(answer), PLAN)[0] == reply


def test_a_reply_cut_at_the_limit_ends_with_its_last_whole_sentence():
    reply, repairs = read_reply(completion("That sounds hard. What made you", "length"), None)
    assert reply == "That sounds hard."
    assert "cut at the token limit" in repairs[-1]
    assert read_reply(completion("听起来很难。你是怎么", "length"), None)[0] == "听起来很难。"


@pytest.mark.parametrize(
    "answer", ["", "  \n", "<think>They suffer.</think>", "<think>They suffer", "Counsellor:", '""']
)
def test_an_empty_reply_is_refused(answer):
    with pytest.raises(ReplyFormatError, match="empty"):
        read_reply(completion(answer), None)
    with pytest.raises(ReplyFormatError, match="empty"):
        read_reply(completion("What made you", "length"), None)


@pytest.mark.parametrize(
    "answer",
    [
        "Let's use the Pie Chart Technique now.",
        "Let's use the PIE CHART TECHNIQUE now.",
        "We are at stage 2 of it.",
        "Step 3: who else?",
        "This CBT technique helps.",
        "现在进入第二阶段。",
        "这是第3步。",
    ],
)
def test_a_reply_that_names_the_technique_or_a_numbered_step_is_refused(answer):
    with pytest.raises(ReplyFormatError, match="must not name the technique") as error:
        read_reply(completion(answer), PLAN)
    assert error.value.chinese


@pytest.mark.parametrize("answer", ["That sounds hard.\n# Suggestion\nRest.", "Hm. " * 600])
def test_a_reply_with_headings_or_without_end_is_refused(answer):
    with pytest.raises(ReplyFormatError, match="headings or over 2000 characters"):
        read_reply(completion(answer), None)


def test_without_a_plan_there_is_no_technique_to_name():
    assert read_reply(completion("Do you know the Pie Chart Technique?"), None)[0]
