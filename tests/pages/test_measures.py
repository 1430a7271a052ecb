"""Small texts and tables of the widgets; their examples are checked here, outside the doctest paths."""

from __future__ import annotations

import doctest
from datetime import UTC, datetime
from types import ModuleType

import pandas as pd
import pytest

from counsel_core.records import Turn
from pages._ui import downloads, measures, model_form, plain_text, topic_panel
from pages._ui.downloads import csv_bytes
from pages._ui.measures import tokens_text


@pytest.mark.parametrize("module", [downloads, measures, model_form, plain_text, topic_panel])
def test_the_examples_hold(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_can_act_as_a_formula(start: str) -> None:
    # OWASP, CSV injection: these characters begin a formula in spreadsheet programs.
    table = csv_bytes(pd.DataFrame({"said": [f"{start}cmd|' /C calc'!A0"]}))
    assert f"'{start}cmd".encode() in table


def test_numbers_stay_numbers() -> None:
    assert csv_bytes(pd.DataFrame({"n": [-1.5]})) == b"\xef\xbb\xbfn\n-1.5\n"


def test_tokens_are_a_dash_when_unknown_and_marked_when_estimated() -> None:
    turn = Turn("s", 1, "answered", "hello", datetime.now(UTC))
    assert tokens_text(turn) == "— tokens"
    counted = Turn("s", 1, "answered", "hello", datetime.now(UTC), prompt_tokens=1200, completion_tokens=30)
    assert tokens_text(counted) == "1,200 + 30 tokens"
    guessed = Turn(
        "s",
        1,
        "answered",
        "hello",
        datetime.now(UTC),
        prompt_tokens=12,
        completion_tokens=3,
        tokens_estimated=True,
    )
    assert tokens_text(guessed) == "≈ 12 + 3 tokens"
