"""One-shot answers: everyone answers each question once, and nothing unchecked is an answer."""

from __future__ import annotations

import threading

import pytest

from counsel_core.errors import InputError, ProviderUnavailableError, RunError, UnknownNameError
from counsel_core.records import REFERENCE, ModelRequest
from counsel_core.runs import answering
from counsel_core.runs.answering import Respondent, answer_dataset, read_respondents
from counsel_core.safety.texts import imminent_reply
from tests.fakes_conversation import FakeModel
from tests.fakes_runs import dataset_of

ASKED = dataset_of(
    ("I feel sad about my rent.", {REFERENCE: "Talk to a friend."}),
    (None, {REFERENCE: "Sleep."}),
    ("My boss shouts at me.", {REFERENCE: "Rest.", "fake": "An answer of before."}),
)
FAKE = read_respondents(["fake"], [])


@pytest.fixture
def use_model(monkeypatch):
    """Lets every model that is opened be the given one."""

    def use(model: FakeModel) -> FakeModel:
        monkeypatch.setattr(answering, "open_model", lambda name, settings: model)
        return model

    return use


def texts(answered, source="fake"):
    return {one.item: (one.text, one.blocked) for one in answered.dataset.answers if one.source == source}


def test_a_model_gets_the_question_alone_and_answers_what_it_has_not_answered(use_model, settings, tmp_path):
    model = use_model(FakeModel(lambda request: "That sounds hard."))
    answered = answer_dataset(ASKED, FAKE, settings, tmp_path / "j")
    assert texts(answered) == {"q1": ("That sounds hard.", False), "q3": ("An answer of before.", False)}
    ((message,),) = [request.messages for request in model.requests]
    assert (message.role, message.content) == ("user", "I feel sad about my rent.")
    assert (answered.without_question, answered.left, answered.failed) == (1, 0, ())
    assert answered.dataset.answers[: len(ASKED.answers)] == ASKED.answers


def test_agents_answer_by_rules_from_a_fresh_state(settings, tmp_path):
    who = read_respondents(["guided"], ["sudosys", "cocoa", "plain"])
    answered = answer_dataset(ASKED, who, settings, tmp_path / "j")
    assert answered.failed == ()
    for source in ("guided", "sudosys", "cocoa", "plain"):
        said = texts(answered, source)
        assert set(said) == {"q1", "q3"}
        assert all(text and not blocked for text, blocked in said.values())
    # the bare model and the plain agent with rules are the same thing under two names
    assert texts(answered, "guided") == texts(answered, "plain")


def test_an_imminent_risk_is_answered_by_the_fixed_text_and_asked_of_nobody(use_model, settings, tmp_path):
    model = use_model(FakeModel())
    data = dataset_of(("I am going to kill myself tonight.", {REFERENCE: "Call for help now."}))
    answered = answer_dataset(data, FAKE, settings, tmp_path / "j")
    assert texts(answered) == {"q1": (imminent_reply("en"), True)}
    assert (model.requests, answered.blocked) == ([], 1)


def test_a_reply_that_must_not_be_shown_is_asked_for_once_more_then_blocked(use_model, settings, tmp_path):
    replies = iter(["You clearly have depression.", "That sounds hard."])
    use_model(FakeModel(lambda request: next(replies)))
    assert texts(answer_dataset(ASKED, FAKE, settings, tmp_path / "a"))["q1"] == ("That sounds hard.", False)
    worse = use_model(FakeModel(lambda request: f"You clearly have depression. {len(worse.requests)}"))
    answered = answer_dataset(ASKED, FAKE, settings, tmp_path / "b")
    assert texts(answered)["q1"] == ("You clearly have depression. 2", True)
    assert '"blocked": "diagnosis: You clearly have depression' in (tmp_path / "b").read_text()


def test_resumed_it_asks_for_nothing_twice_but_for_what_failed(use_model, settings, tmp_path):
    data = dataset_of(*((f"Question {n}?", {REFERENCE: "r"}) for n in range(6)))

    def fails_once(request: ModelRequest) -> str:
        if "3" in request.messages[-1].content:
            raise ProviderUnavailableError("away")
        return "Tell me more."

    use_model(FakeModel(fails_once))
    first = answer_dataset(data, FAKE, settings, tmp_path / "j")
    assert [(one.item, one.error) for one in first.failed] == [("q4", "away")]
    model = use_model(FakeModel(lambda request: "I see."))
    second = answer_dataset(data, FAKE, settings, tmp_path / "j")
    assert len(model.requests) == 1
    assert [text for text, _ in texts(second).values()] == ["Tell me more."] * 3 + ["I see."] + [
        "Tell me more."
    ] * 2
    assert second.failed == ()


def test_repeated_failures_end_one_respondent_and_not_the_next(use_model, settings, tmp_path, monkeypatch):
    data = dataset_of(*((f"Question {n}?", {REFERENCE: "r"}) for n in range(30)))

    def refuse(request: ModelRequest) -> str:
        raise ProviderUnavailableError("the server is away.")

    models = {"down": FakeModel(refuse), "up": FakeModel(lambda request: "I see.")}
    monkeypatch.setattr(answering, "open_model", lambda name, settings: models[name])
    answered = answer_dataset(data, read_respondents(["down", "up"], []), settings, tmp_path / "j")
    assert len(texts(answered, "up")) == 30
    (word,) = answered.stopped
    assert word.startswith("down: Stopped after 5 failures in a row; the last one: the server is away.")
    assert len(answered.failed) + answered.left == 30
    assert answered.left > 0


def test_other_work_in_the_same_journal_is_refused(use_model, settings, tmp_path):
    use_model(FakeModel())
    answer_dataset(ASKED, FAKE, settings, tmp_path / "j")
    with pytest.raises(RunError, match="another plan"):
        answer_dataset(ASKED, [*FAKE, Respondent("x", "plain", "x")], settings, tmp_path / "j")


def test_cancelled_it_keeps_what_it_has(use_model, settings, tmp_path):
    data = dataset_of(*((f"Question {n}?", {REFERENCE: "r"}) for n in range(40)))
    cancel = threading.Event()
    use_model(FakeModel(lambda request: "I see."))
    answered = answer_dataset(
        data, FAKE, settings, tmp_path / "j", cancel=cancel, listen=lambda done, total: cancel.set()
    )
    assert 0 < len(texts(answered)) < 40
    assert answered.left == 40 - len(texts(answered))


@pytest.mark.parametrize(
    ("models", "agents", "error"),
    [
        ([], [], InputError),
        ([], ["nobody"], UnknownNameError),
        ([REFERENCE], [], InputError),
    ],
)
def test_who_cannot_answer_is_refused(models, agents, error):
    with pytest.raises(error):
        read_respondents(models, agents)


def test_an_agent_may_have_a_model():
    assert read_respondents([], ["cocoa@qwen"]) == (Respondent("cocoa@qwen", "cocoa", "qwen"),)
