"""The pattern files: what is looked for in a text, read and checked once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from counsel_core.errors import DataFileError
from counsel_core.records import RISK_LEVELS, Json, Language, RiskLevel
from counsel_core.settings import DATA
from counsel_core.toml_file import parse_toml

SAFETY_DATA = DATA / "safety"
CATEGORIES = (
    "suicide",
    "self-harm",
    "harm to others",
    "abuse or danger",
    "commanding voices",
    "fear for another",
)
SIGNS = ("means", "time", "preparation", "resolve", "retraction", "assent")
CONTEXTS = (
    "denial", "residue_before", "residue_after", "past", "recent", "hedge_before", "hedge_after", "fiction",
    "someone",
)  # fmt: skip

_LIST = re.compile(r"<(\w+)>")
_KEYS = {
    "name", "level", "category", "examples", "counterexamples",
    "sign", "raised_by", "past", "hedge", "deniable", "fiction", "someone",
}  # fmt: skip


@dataclass(frozen=True)
class Pattern:
    """One thing to look for, with examples it must find and, often, some it must leave alone.

    `sign` says that the phrase shows means, a time and so on; a pattern becomes imminent beside a sign
    that `raised_by` names. Where `past`, `hedge`, `fiction` are true, such words around the phrase lower
    its level; where `deniable` is, a denial right before it clears it; where `someone` is, somebody else
    has to be named before it in the sentence.
    """

    name: str
    level: RiskLevel
    category: str
    regex: re.Pattern[str]
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...] = ()
    sign: str = ""
    raised_by: frozenset[str] = frozenset()
    past: bool = False
    hedge: bool = False
    deniable: bool = True
    fiction: bool = False
    someone: bool = False


@dataclass(frozen=True)
class Idiom:
    """A harmless phrase that only sounds dangerous; it is blanked before the patterns look."""

    regex: re.Pattern[str]
    examples: tuple[str, ...]


@dataclass(frozen=True)
class PatternBook:
    """All that one language's file holds."""

    language: Language
    patterns: tuple[Pattern, ...]
    idioms: tuple[Idiom, ...]
    contexts: Mapping[str, re.Pattern[str]]


@cache
def load_patterns(language: Language) -> PatternBook:
    """Read `data/safety/risk_<language>.toml`.

    Raises
    ------
    DataFileError
        An entry lacks a key, has an unknown one, or its regular expression is wrong.
    """
    return read_patterns(SAFETY_DATA / f"risk_{language}.toml", language)


def read_patterns(path: Path, language: Language) -> PatternBook:
    """Read a pattern file; see `load_patterns`."""
    data = read_toml(path)
    words = expand_lists(path, data.get("words", {}), {})
    patterns = tuple(_pattern(path, entry, words) for entry in data.get("pattern", []))
    names = [pattern.name for pattern in patterns]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise DataFileError(path.name, f"the pattern names {sorted(doubled)} stand twice")
    idioms = tuple(
        Idiom(compile_finds(path, entry, words), tuple(need(path, entry, "examples")))
        for entry in data.get("idiom", [])
    )
    contexts = {
        name: compile_finds(path, {"find": lines}, words) for name, lines in data.get("context", {}).items()
    }
    if set(contexts) != set(CONTEXTS):
        raise DataFileError(path.name, f"[context] holds {sorted(contexts)}, expected {sorted(CONTEXTS)}")
    return PatternBook(language, patterns, idioms, contexts)


def read_toml(path: Path) -> Json:
    """Read a TOML file of the safety data.

    Raises
    ------
    DataFileError
        It is missing or no TOML.
    """
    try:
        return parse_toml(path.read_bytes(), path.name)
    except OSError as error:
        raise DataFileError(path.name, f"cannot be read: {error.strerror}") from error


def need(path: Path, entry: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key, or say that it is missing."""
    if key not in entry:
        shown = entry.get("name") or entry.get("find") or entry
        raise DataFileError(path.name, f"the entry {shown!r} has no {key!r}", key=key)
    return entry[key]


def expand_lists(path: Path, lists: Mapping[str, list[str]], known: Mapping[str, str]) -> dict[str, str]:
    """Turn each list of alternatives into one group; a list may use those before it as <name>."""
    groups = dict(known)
    for name, alternatives in lists.items():
        groups[name] = _put_in(path, "(?:" + "|".join(alternatives) + ")", groups)
    return groups


def compile_finds(path: Path, entry: Mapping[str, Any], words: Mapping[str, str]) -> re.Pattern[str]:
    """Compile the lines of `find`, any of which may match, with the lists of `with` and `words` put in."""
    lines = need(path, entry, "find")
    groups = expand_lists(path, entry.get("with", {}), words)
    try:
        return re.compile("|".join(_put_in(path, line, groups) for line in lines))
    except re.error as error:
        raise DataFileError(path.name, f"{lines} is no regular expression: {error}") from error


def _put_in(path: Path, line: str, groups: Mapping[str, str]) -> str:
    if unknown := set(_LIST.findall(line)) - set(groups):
        raise DataFileError(path.name, f"{line!r} uses the unknown list <{unknown.pop()}>")
    return _LIST.sub(lambda match: groups[match.group(1)], line)


def _pattern(path: Path, entry: Mapping[str, Any], words: Mapping[str, str]) -> Pattern:
    rest = {key: value for key, value in entry.items() if key not in {"find", "with"}}
    return read_pattern(path, rest, compile_finds(path, entry, words))


def read_pattern(path: Path, entry: Mapping[str, Any], regex: re.Pattern[str]) -> Pattern:
    """Read what an entry counts as; `regex` is what it looks for."""
    name = need(path, entry, "name")
    if unknown := set(entry) - _KEYS:
        raise DataFileError(path.name, f"the pattern {name!r} has the unknown keys {sorted(unknown)}")
    raised_by = frozenset(entry.get("raised_by", ()))
    _among(path, name, {need(path, entry, "level")}, RISK_LEVELS)
    _among(path, name, {need(path, entry, "category")}, CATEGORIES)
    _among(path, name, {entry["sign"]} if "sign" in entry else set(), SIGNS)
    _among(path, name, raised_by, SIGNS)
    return Pattern(
        name=name,
        level=entry["level"],
        category=entry["category"],
        regex=regex,
        examples=tuple(need(path, entry, "examples")),
        counterexamples=tuple(entry.get("counterexamples", ())),
        sign=entry.get("sign", ""),
        raised_by=raised_by,
        **{key: entry[key] for key in ("past", "hedge", "deniable", "fiction", "someone") if key in entry},
    )


def _among(path: Path, name: str, given: Set[str], choices: Sequence[str]) -> None:
    if wrong := given - set(choices):
        raise DataFileError(path.name, f"the pattern {name!r} has {sorted(wrong)}; use {', '.join(choices)}")
