"""What tokens cost: by hand, from prices per million."""

from dataclasses import replace

import pytest

from counsel_core.llm.pricing import cost, cost_text
from counsel_core.records import ModelSpec
from counsel_core.runs.call_facts import totals

PRICED = ModelSpec(
    "m",
    "openai_compatible",
    "M",
    "remote",
    options={"price_input": 0.15, "price_output": 0.6, "price_currency": "USD"},
)


@pytest.mark.parametrize(
    ("prompt", "written", "expected"),
    [(1_000_000, 0, 0.15), (0, 1_000_000, 0.6), (2_000, 100, 0.00036), (0, 0, 0.0)],
)
def test_prices_are_of_a_million_tokens(prompt, written, expected):
    assert cost(PRICED, prompt, written) == pytest.approx(expected)


@pytest.mark.parametrize("options", [{}, {"price_input": 1.0}, {"price_output": 1.0}])
def test_without_both_prices_nothing_is_said(options):
    assert cost(replace(PRICED, options=options), 1_000, 1_000) is None


def test_a_price_of_nothing_is_a_price():
    free = replace(PRICED, options={"price_input": 0.0, "price_output": 0.0})
    assert cost(free, 10**9, 10**9) == 0.0


@pytest.mark.parametrize("location", ["rules", "process"])
def test_what_runs_in_this_process_costs_nothing(location):
    assert cost(replace(PRICED, location=location, options={}), 1_000, 1_000) == 0.0


def test_in_words():
    said = [cost_text(amount, PRICED) for amount in (None, 0.0, 0.00036, 0.04, 1234.5)]
    assert said == ["no price is known", "0.00 USD", "0.0004 USD", "0.04 USD", "1,234.50 USD"]


def test_totals_count_what_was_asked_and_what_came_from_the_cache_apart():
    asked = {"seconds": 1.0, "prompt_tokens": 1_000_000, "completion_tokens": 0, "cached": False}
    failed = {"seconds": 0.5, "prompt_tokens": None, "completion_tokens": None, "cached": False}
    estimated = {**asked, "completion_tokens": 1_000_000, "tokens_estimated": True}
    known = {**asked, "seconds": 0.0, "cached": True}
    old = {"seconds": 0.25, "prompt_tokens": 0, "completion_tokens": 0}  # of a run before there was a cache
    assert totals([asked, failed, estimated, known, old], PRICED) == {
        "calls": 4,
        "cached": 1,
        "seconds": 2.8,  # 1 + 0.5 + 1 + 0.25 to a tenth; that of the cache is none
        "prompt_tokens": 2_000_000,
        "completion_tokens": 1_000_000,
        "tokens_estimated": True,
        "cost": pytest.approx(2 * 0.15 + 0.6),
        "currency": "USD",
    }
    assert totals([asked], None)["cost"] is None
