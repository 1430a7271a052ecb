"""The proxies: they order what anyone would order, and say that they are proxies."""

from __future__ import annotations

import pytest

from counsel_core.errors import InputError
from counsel_core.language.embeddings import minilm
from counsel_core.metrics import find_metric
from counsel_core.metrics._base import MetricContext, ScoreInput
from counsel_core.metrics.agreeability_proxy import stances

QUESTION = "I am so angry. My father makes me do my homework every evening."
CONTEXT = MetricContext("paper", embedder=minilm())
both = pytest.mark.parametrize("name", ["agreeability_proxy", "active_listening_proxy"])


def _value(name: str, answer: str) -> float:
    value = find_metric(name).score(ScoreInput(answer, QUESTION), CONTEXT).value
    assert value is not None
    return value


def test_agreement_lies_above_disagreement() -> None:
    agrees = _value("agreeability_proxy", "You are right to be angry. I think your plan is a good idea.")
    disagrees = _value(
        "agreeability_proxy", "I think you are mistaken. I would not do that, it is a bad idea."
    )
    assert disagrees < 5 < agrees


def test_taking_up_the_question_lies_above_talking_of_something_else() -> None:
    listens = _value(
        "active_listening_proxy", "Your father wants homework from you, and that makes you angry."
    )
    drifts = _value("active_listening_proxy", "The weather will be fine this weekend.")
    assert drifts < 3
    assert listens > 5


def test_the_question_itself_has_the_highest_value() -> None:
    assert _value("active_listening_proxy", QUESTION) == pytest.approx(10, abs=1e-4)


def test_the_stances_are_as_many_on_either_side() -> None:
    agree, disagree = stances()
    assert len(agree) == len(disagree) == len({*agree, *disagree}) / 2


@both
def test_what_was_compared_is_kept(name: str) -> None:
    detail = find_metric(name).score(ScoreInput("I see.", QUESTION), CONTEXT).detail
    assert detail["encoder"] == minilm().name


@both
def test_without_an_encoder_it_says_so(name: str) -> None:
    with pytest.raises(InputError, match="encoder"):
        find_metric(name).score(ScoreInput("I see.", QUESTION), MetricContext("paper"))
