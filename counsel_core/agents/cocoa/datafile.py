"""Checked reading of TOML data files: a wrong one is refused with file, key and reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counsel_core.errors import DataFileError
from counsel_core.records import Json
from counsel_core.toml_file import parse_toml

_WORDS = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a data file; every method reads one key or raises DataFileError."""

    file: str
    values: Json
    path: str = ""

    def text(self, key: str) -> str:
        """Return a text that is not empty."""
        value = self._get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"is {value!r}; it takes a text that is not empty")
        return value.strip()

    def whole(self, key: str) -> int:
        """Return a whole number from 1."""
        value = self._get(key)
        if type(value) is not int or value < 1:
            raise self.error(key, f"is {value!r}; it takes a whole number from 1")
        return value

    def truth(self, key: str) -> bool:
        """Return true or false."""
        value = self._get(key)
        if not isinstance(value, bool):
            raise self.error(key, f"is {value!r}; it takes true or false")
        return value

    def lines(self, key: str, at_least: int = 0) -> tuple[str, ...]:
        """Return a list of different texts."""
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
            raise self.error(key, "takes a list of texts, none of them empty")
        if len(value) < at_least:
            raise self.error(key, f"has {len(value)} entries; it takes at least {at_least}")
        twice = next((one for place, one in enumerate(value) if one in value[:place]), None)
        if twice is not None:
            raise self.error(key, f"has {twice!r} twice")
        return tuple(value)

    def word_lists(self, key: str) -> dict[str, tuple[str, ...]]:
        """Return the lists of words under a key, by their names; none if the key is missing."""
        lists = self.table(key) if key in self.values else Table(self.file, {})
        return {name: lists.lines(name, at_least=1) for name in lists.values}

    def patterns(self, key: str, words: Mapping[str, Sequence[str]]) -> tuple[re.Pattern[str], ...]:
        """Return a list of regular expressions; {name} in them stands for one of a list of words."""
        found = []
        for pattern in self.lines(key):
            try:
                found.append(re.compile(_expand(pattern, words)))
            except (re.error, KeyError, RecursionError) as error:
                raise self.error(key, f"{pattern!r} is no regular expression: {error}") from error
        return tuple(found)

    def any_of(self, key: str) -> re.Pattern[str]:
        """Return a list of words, each a regular expression, as one: any of them, whole."""
        joined = "|".join(self.lines(key, at_least=1))
        try:
            return re.compile(rf"\b(?:{joined})\b")
        except re.error as error:
            raise self.error(key, f"is no regular expression: {error}") from error

    def choice(self, key: str, choices: tuple[str, ...]) -> str:
        """Return a text that is one of the choices."""
        value = self.text(key)
        if value not in choices:
            raise self.error(key, f"is {value!r}; it takes one of: {', '.join(choices)}")
        return value

    def table(self, key: str) -> Table:
        """Return the table under a key."""
        value = self._get(key)
        if not isinstance(value, dict):
            raise self.error(key, "takes a table")
        return Table(self.file, value, self._place(key))

    def tables(self, key: str, at_least: int, at_most: int) -> tuple[Table, ...]:
        """Return a list of tables."""
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise self.error(key, "takes a list of tables")
        if not at_least <= len(value) <= at_most:
            raise self.error(key, f"has {len(value)} entries; it takes {at_least} to {at_most}")
        return tuple(
            Table(self.file, one, f"{self._place(key)}[{number}]") for number, one in enumerate(value, 1)
        )

    def error(self, key: str, reason: str) -> DataFileError:
        """Return the error for a key of this table."""
        return DataFileError(self.file, reason, key=self._place(key))

    def _get(self, key: str) -> Any:
        if key not in self.values:
            raise self.error(key, "is missing")
        return self.values[key]

    def _place(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key


def read_tables(folder: Path, besides: str = "") -> tuple[Table, ...]:
    """Read every TOML file of a folder in the order of their names, `besides` excepted.

    Raises
    ------
    DataFileError
        There is no file, or one is not TOML (its line is named) or not in UTF-8.
    """
    files = sorted(file for file in folder.glob("*.toml") if file.name != besides)
    if not files:
        raise DataFileError(str(folder), "holds no .toml file; restore the folder from the repository")
    return tuple(read_table(file) for file in files)


def read_table(file: Path) -> Table:
    """Read one TOML file. Raises DataFileError: it is missing, not TOML, or not in UTF-8."""
    try:
        return Table(str(file), parse_toml(file.read_bytes(), str(file)))
    except FileNotFoundError as error:
        raise DataFileError(str(file), "is missing; restore it from the repository") from error
    except OSError as error:
        raise DataFileError(str(file), f"cannot be read: {(error.strerror or str(error)).lower()}") from error


def _expand(pattern: str, words: Mapping[str, Sequence[str]]) -> str:
    return _WORDS.sub(lambda found: _expand(f"(?:{'|'.join(words[found[1]])})", words), pattern)
