"""The options of a model's entry: what there is, and what a value of each kind has to be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

OPTIONS: dict[str, str] = {
    "connect_seconds": "seconds",
    "stall_seconds": "seconds",
    "total_seconds": "seconds",
    "retries": "count",
    "at_once": "calls",
    "response_format": "format",
    "extra_body": "table",
    "price_input": "price",
    "price_output": "price",
    "price_currency": "text",
}
"""The options of a model and their kinds: limits, what the server supports, prices per million tokens.

`at_once` is how many calls may be open at its server (8 unless it is given; 1 makes them wait for each
other). What a run costs is computed from the prices (`pricing`).
"""

RESPONSE_FORMATS = ("schema", "json", "none")


def expectation(kind: str, value: Any) -> str:
    """Say what a value of that kind has to be; '' if it is."""
    number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    checks = {
        "seconds": (number and 0 < value <= 86_400, "a number of seconds above 0, at most 86400"),
        "count": (isinstance(value, int) and number and 0 <= value <= 10, "a whole number from 0 to 10"),
        "calls": (isinstance(value, int) and number and 1 <= value <= 256, "a whole number from 1 to 256"),
        "format": (value in RESPONSE_FORMATS, f"one of {', '.join(RESPONSE_FORMATS)}"),
        "table": (isinstance(value, Mapping), "a table"),
        "price": (number and value >= 0, "a price per million tokens, at least 0"),
        "text": (isinstance(value, str), "a text"),
    }
    fits, expected = checks[kind]
    return "" if fits else expected
