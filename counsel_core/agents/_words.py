"""The words that the guided rules know, read from the text file beside this module."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources


@cache
def _file() -> dict[str, dict[str, str | list[str]]]:
    text = resources.files(__package__).joinpath("words_en.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def words(section: str, name: str) -> frozenset[str]:
    """Return a list of plain words as a set."""
    return frozenset(str(_file()[section][name]).split())


@cache
def entries(section: str, name: str) -> tuple[str, ...]:
    """Return a list of entries in the order of the file."""
    return tuple(_file()[section][name])


def any_of(section: str, name: str) -> str:
    """Return the entries of a list as one regular expression: any of them, as whole words."""
    return rf"\b(?:{'|'.join(entries(section, name))})\b"


@cache
def pattern(section: str, name: str) -> re.Pattern[str]:
    """Return `any_of` compiled, without regard to case."""
    return re.compile(any_of(section, name), re.IGNORECASE)
