"""What cards say of the models themselves."""

from __future__ import annotations

import pandas as pd

from counsel_core.llm.catalogue import save_model
from counsel_core.runs.answering import Reply
from counsel_core.runs.card_facts import measured_seconds, with_facts
from counsel_core.settings import Settings

CARDS = pd.DataFrame({"source": ["gpt", "cocoa@gpt", "cocoa"]})


def test_context_and_price_come_from_the_models_file(settings: Settings) -> None:
    options = {"price_input": 0.5, "price_output": 2, "price_currency": "USD"}
    url = "http://127.0.0.1:1/v1"
    entry = {"name": "gpt", "base_url": url, "model": "m", "context_length": 8192, "options": options}
    save_model(entry, settings)
    found = with_facts(CARDS, {"seconds an answer of gpt": "3.1 (median of 2, all tries counted)"}, settings)
    assert found["context_length"].to_list() == ["8,192", "8,192", ""]
    assert found["price"].to_list() == ["0.5 / 2 USD", "0.5 / 2 USD", ""]
    assert found["seconds_an_answer"].to_list() == ["3.1 (median of 2, all tries counted)", "", ""]


def test_a_models_file_that_cannot_be_read_leaves_them_empty(settings: Settings) -> None:
    settings.models_file.parent.mkdir(parents=True, exist_ok=True)
    settings.models_file.write_text("this is no TOML")
    assert with_facts(CARDS, {}, settings)["price"].to_list() == ["", "", ""]


def test_failed_and_blocked_without_calls_have_no_seconds() -> None:
    replies = [Reply("1", "gpt", error="no"), Reply("2", "gpt", "The safety text.", "imminent")]
    assert measured_seconds(replies) == {}
