"""Making an object fit a JSON schema where only the notation differs, and saying where it does not."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from counsel_core.errors import ReplyFormatError
from counsel_core.records import Json

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Schema = Mapping[str, Any]

_SEPARATORS = re.compile(r"[\s_\-–]+")
_SHOWN = 80


def fold(name: str) -> str:
    """Return a name without regard to case, spaces, hyphens and underscores.

    Examples
    --------
    >>> fold("All-or-Nothing thinking") == fold("all_or_nothing Thinking ")
    True
    """
    return _SEPARATORS.sub(" ", name).strip().casefold()


def fit(value: Json, schema: Schema) -> tuple[Json, tuple[str, ...]]:
    """Return the object in the schema's own spelling, and what was changed for that.

    Raises
    ------
    ReplyFormatError
        It does not fit; the message names the key, what it holds and what was expected.
    """
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    notes: dict[str, None] = {}
    fitted = _fit(_unwrap(value, schema, notes), schema, "", notes)
    error = best_match(Draft202012Validator(schema).iter_errors(fitted))
    if error is not None:
        english, chinese = _explain(error)
        raise ReplyFormatError(english, chinese)
    return fitted, tuple(notes)


def _unwrap(value: Json, schema: Schema, notes: dict[str, None]) -> Json:
    names = {fold(name) for name in schema.get("properties", {})}
    if len(value) == 1 and names:
        ((key, inner),) = value.items()
        if isinstance(inner, dict) and fold(key) not in names and names & {fold(str(name)) for name in inner}:
            notes[f"The answer stood inside the key {key!r}."] = None
            return inner
    return value


def _fit(value: Any, schema: Schema, name: str, notes: dict[str, None]) -> Any:
    if isinstance(value, dict) and "properties" in schema:
        return _fit_object(value, schema, notes)
    if isinstance(value, list) and isinstance(schema.get("items"), Mapping):
        return [_fit(item, schema["items"], name, notes) for item in value]
    fitted = _fit_scalar(value, schema)
    if type(fitted) is not type(value) or fitted != value:
        notes[f"{name or 'A value'}: {_short(value)} was read as {_short(fitted)}."] = None
    return fitted


def _fit_object(value: Json, schema: Schema, notes: dict[str, None]) -> Json:
    known = {fold(name): name for name in schema["properties"]}
    fitted: Json = {}
    for given, inner in value.items():
        name = given if given in schema["properties"] else known.get(fold(str(given)))
        if name is None and schema.get("additionalProperties", True) is False:
            notes[f"The unknown key {given!r} was left out."] = None
            continue
        if name is None:
            fitted[str(given)] = inner
            continue
        if name != given:
            notes[f"The key {given!r} was read as {name!r}."] = None
        fitted[name] = _fit(inner, schema["properties"][name], name, notes)
    return fitted


def _fit_scalar(value: Any, schema: Schema) -> Any:
    if isinstance(value, bool) or value is None or isinstance(value, dict | list):
        return value
    kinds = _kinds(schema)
    if isinstance(value, str):
        return _fit_text(value, kinds, schema.get("enum", ()))
    if isinstance(value, float) and "integer" in kinds and "number" not in kinds and value.is_integer():
        return int(value)
    if kinds and not kinds & {"integer", "number"} and "string" in kinds:
        return str(value)
    return value


def _fit_text(value: str, kinds: set[str], choices: Sequence[Any]) -> Any:
    named = {fold(choice): choice for choice in choices if isinstance(choice, str)}
    if fold(value) in named:
        return value if value in choices else named[fold(value)]
    if "null" in kinds and fold(value) in ("null", "none", ""):
        return None
    if kinds & {"integer", "number"} and "string" not in kinds:
        try:
            number = float(value)
        except ValueError:
            return value
        if math.isfinite(number):
            return int(number) if number.is_integer() else number
    return value


def _kinds(schema: Schema) -> set[str]:
    given = schema.get("type", ())
    return {given} if isinstance(given, str) else set(given)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def _explain(error: ValidationError) -> tuple[str, str]:
    """Say in English and in Chinese which key is wrong, what it holds and what was expected."""
    place = ".".join(str(step) for step in error.absolute_path) or "the object"
    place_zh = place if error.absolute_path else "对象"
    expected: Any = error.validator_value
    instance: Any = error.instance
    given = _short(instance)
    if error.validator == "required":
        missing = ", ".join(key for key in expected if key not in instance)
        return f"In {place}, missing: {missing}.", f"{place_zh}中缺少：{missing}。"
    if error.validator == "enum":
        listed = ", ".join(map(str, expected))
        return (
            f"{place} is {given}; it has to be one of: {listed}.",
            f"{place_zh}是{given}；必须是下列之一：{listed}。",
        )
    if error.validator == "type":
        kinds = expected if isinstance(expected, str) else " or ".join(expected)
        return (
            f"{place} is {given}; it has to be of type {kinds}.",
            f"{place_zh}是{given}；类型必须是{kinds}。",
        )
    return f"{place}: {error.message}.", f"{place_zh}不符合要求（{error.message}）。"
