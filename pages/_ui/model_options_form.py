"""The options of a model's entry that have a field; those without one are kept as they are."""

from __future__ import annotations

from typing import Any

import streamlit as st

FORMATS = {
    "schema": "JSON by a schema (found out by itself if it refuses)",
    "json": "JSON, without a schema",
    "none": "neither: it is asked in words",
}
_PRICES = {"price_input": "read", "price_output": "written"}
_LIMITS = {
    "at_once": ("Calls at once", 1, "How many requests are sent to it at the same time."),
    "retries": ("Tries after a passing fault", 0, "429, 500 and the like; with growing pauses."),
    "stall_seconds": ("Seconds without a sign of life", 1, "After so long it is given up."),
    "total_seconds": ("Seconds for a whole answer", 1, "After so long it is given up."),
}


def options_form(given: dict[str, Any], of: str) -> dict[str, Any]:
    """Show the fields and return the options; an empty field leaves its option out."""
    found: dict[str, Any] = {}
    names = list(FORMATS)
    form = st.selectbox(
        "Structured answers",
        names,
        index=names.index(given.get("response_format", "schema")),
        format_func=FORMATS.__getitem__,
        key=f"model_format_{of}",
        help="How it can be asked for an answer in a form. What it refuses is not asked of it again.",
    )
    if form != "schema" or "response_format" in given:
        found["response_format"] = form
    left, middle, right = st.columns(3)
    for column, (key, what) in zip((left, middle), _PRICES.items(), strict=True):
        found[key] = column.number_input(
            f"Price of a million tokens {what}",
            min_value=0.0,
            value=_number(given.get(key), float),
            placeholder="unknown",
            key=f"model_{key}_{of}",
        )
    found["price_currency"] = right.text_input(
        "Currency",
        given.get("price_currency", ""),
        max_chars=10,
        placeholder="USD",
        key=f"model_currency_{of}",
    )
    for column, (key, (label, least, help_text)) in zip(st.columns(4), _LIMITS.items(), strict=True):
        found[key] = column.number_input(
            label,
            min_value=least,
            value=_number(given.get(key), int),
            placeholder="usual",
            step=1,
            help=help_text,
            key=f"model_{key}_{of}",
        )
    kept = {key: value for key, value in given.items() if key not in found}
    return kept | {key: value for key, value in found.items() if value not in (None, "")}


def _number(value: Any, kind: type[Any]) -> Any:
    return None if value is None else kind(value)
