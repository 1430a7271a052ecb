"""What a run will cost is what it then does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from counsel_core.llm.catalogue import save_model
from counsel_core.metrics import find_metric
from counsel_core.metrics._judging import build_request
from counsel_core.records import REFERENCE, ModelSpec
from counsel_core.runs.estimate import TOKENS_A_RATING, estimate, judge_cost
from counsel_core.runs.plan import make_plan
from counsel_core.runs.units import read_units
from tests.fakes_runs import dataset_of


def test_calls_are_answers_with_a_question_times_judged_metrics_times_repeats() -> None:
    dataset = dataset_of(
        ("Why?", {REFERENCE: "So.", "gpt": "Well."}), (None, {REFERENCE: "Yes.", "gpt": "No."})
    )
    names = ["agreeability", "active_listening", "recycling", "intra_sentiment"]
    found = estimate(dataset, [REFERENCE, "gpt"], names, repeats=3)
    # two answers have a question; four have a text
    assert found.scores == {"judge": 4, "text": 2 + 4}
    assert found.calls == 12
    # "Why?" + "So." and "Why?" + "Well.": 16 characters, for 2 metrics and 3 repeats, 4 a token
    assert found.tokens == 16 * 2 * 3 / 4
    assert (found.answers, found.blocked) == (4, 0)


def test_equal_pairs_are_counted_once_and_blocked_answers_not() -> None:
    dataset = dataset_of(("Why?", {REFERENCE: "So.", "a": "Same.", "b": "Same.", "c": "Bad."}))
    answers = tuple(replace(one, blocked=one.source == "c") for one in dataset.answers)
    found = estimate(replace(dataset, answers=answers), dataset.sources, ["recycling"])
    assert (found.answers, found.blocked, found.scores, found.calls) == (3, 1, {"text": 2}, 0)


def test_only_the_chosen_sources_count() -> None:
    dataset = dataset_of(("Why?", {REFERENCE: "So.", "gpt": "Well."}))
    names = ["recycling", "emotion_consistency"]
    found = estimate(dataset, ["gpt"], names)
    tasks = read_units(dataset, ["gpt"]).tasks([find_metric(name) for name in names])
    assert sum(found.scores.values()) == len(tasks) == 2


PRICED = ModelSpec("j", "openai_compatible", "J", "remote", options={"price_input": 2.0, "price_output": 8.0})


def test_the_cost_is_that_of_all_that_is_read_and_written_and_unknown_without_a_price() -> None:
    dataset = dataset_of(("Why?", {REFERENCE: "So.", "gpt": "Well."}))
    given = {"dataset": dataset, "sources": [REFERENCE, "gpt"], "names": ["agreeability"], "repeats": 3}
    found = estimate(**given, judge=PRICED)
    # What a judge is sent for 2 answers, 3 times each: counted from the requests themselves.
    requests = [
        build_request("agreeability", "Why?", answer, deterministic=False) for answer in ("So.", "Well.")
    ]
    characters = sum(len(message.content) for request in requests for message in request.messages)
    assert found.tokens + found.instructions == pytest.approx(characters * 3 / 4, abs=1)
    assert found.written == 6 * TOKENS_A_RATING
    assert found.cost == pytest.approx((characters * 3 / 4 * 2 + found.written * 8) / 1e6, rel=0.01)
    assert estimate(**given).cost is None
    assert estimate(**given, judge=replace(PRICED, options={"price_input": 2.0})).cost is None


def test_the_line_that_a_command_shows_names_the_cost_or_that_no_price_is_known(settings) -> None:
    save_model({"name": "j", "base_url": "http://127.0.0.1:1/v1", "model": "m"}, settings)
    dataset = dataset_of(("Why?", {REFERENCE: "So.", "gpt": "Well."}))
    plan = make_plan(dataset, app=settings, names=["agreeability"], judge="j")
    said = judge_cost(dataset, plan, settings)
    assert said.startswith("judge: 2 calls, about ")
    assert said.endswith("expected cost: no price is known")
    options = {"price_input": 1000.0, "price_output": 0.0, "price_currency": "EUR"}
    save_model({"name": "j", "base_url": "http://127.0.0.1:1/v1", "model": "m", "options": options}, settings)
    said = judge_cost(dataset, plan, settings)
    read = int(said.split("about ")[1].split(" tokens")[0].replace(",", ""))
    assert said.endswith(f"expected cost: {read / 1000:.2f} EUR")
