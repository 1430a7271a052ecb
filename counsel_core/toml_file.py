"""TOML that people write: parsed, or refused with file, line and reason; and values written as TOML."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from typing import Any

from counsel_core.errors import DataFileError
from counsel_core.records import Json

_LINE = re.compile(r"\(at line (\d+)")


def parse_toml(content: bytes, file: str) -> Json:
    r"""Parse the bytes of a TOML file; `file` is what errors call it. A byte order mark is passed over.

    Raises
    ------
    DataFileError
        It is not UTF-8 or not TOML; the line is named.

    Examples
    --------
    >>> parse_toml(b"\xef\xbb\xbfstages = [1, 2]", "p.toml")
    {'stages': [1, 2]}
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataFileError(file, "it is not UTF-8; save the file as UTF-8", line=line) from error
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise DataFileError(file, "it is not valid TOML: its brackets are nested too deep") from error
    except ValueError as error:  # tomllib's own error is one; a number of thousands of digits raises another
        place = _LINE.search(str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        reason = str(error).split(" (at")[0].split(";")[0]
        raise DataFileError(file, f"it is not valid TOML: {reason}", line=line) from error


def toml_pairs(items: Iterable[tuple[str, Any]]) -> list[str]:
    """Return keys with their values, a line each."""
    return [f"{_key(key)} = {toml_value(value)}\n" for key, value in items]


def toml_value(value: Any) -> str:
    """Return a value as TOML writes it.

    Examples
    --------
    >>> toml_value({"a b": [True, 1.5, "x"]})
    '{"a b" = [true, 1.5, "x"]}'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {toml_value(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml_value(inner) for inner in value) + "]"
    return str(value)  # numbers, dates and times are written in TOML as Python writes them


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _quoted(key)


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for one character that JSON leaves as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
