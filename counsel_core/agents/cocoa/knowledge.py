"""What CoCoA knows of its field: distortion types, techniques and support strategies, from data files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol, TypeVar

from counsel_core.agents.cocoa.datafile import Table, read_table, read_tables
from counsel_core.errors import DataFileError
from counsel_core.records import Language
from counsel_core.settings import DATA

LANGUAGES: tuple[Language, ...] = ("en", "zh")
FAMILIES = ("Cognitive Restructuring", "Behavioral Activation", "Self-Assertiveness Training", "Exposure")
MIN_PROTOTYPES = 10
MIN_STAGES, MAX_STAGES = 3, 6
_WORDS = "words.toml"


@dataclass(frozen=True, slots=True)
class DistortionText:
    """A distortion type in one language."""

    label: str
    definition: str


@dataclass(frozen=True, slots=True)
class DistortionType:
    """A type of cognitive distortion, and what the guided rules recognise it by.

    `eligible` is false for a type that is stored but by default not treated; `techniques` lists
    those that fit, the best first. A cue speaks for the type, a hint only beside nearness to the
    prototypes, and a match of `not_cues` vetoes it.
    """

    name: str
    order: int
    aliases: tuple[str, ...]
    eligible: bool
    techniques: tuple[str, ...]
    texts: Mapping[Language, DistortionText]
    prototypes: tuple[str, ...]
    cues: tuple[re.Pattern[str], ...]
    hints: re.Pattern[str]
    not_cues: tuple[re.Pattern[str], ...]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a technique; `example` is what a counsellor might say in it."""

    name: str
    goal: str
    example: str


@dataclass(frozen=True, slots=True)
class TechniqueText:
    """A technique in one language, with its stages in order."""

    label: str
    what: str
    helps: str
    stages: tuple[Stage, ...]


@dataclass(frozen=True, slots=True)
class Technique:
    """A technique of cognitive behavioural therapy."""

    name: str
    order: int
    family: str
    texts: Mapping[Language, TechniqueText]


@dataclass(frozen=True, slots=True)
class StrategyText:
    """A support strategy in one language."""

    label: str
    what: str
    example: str


@dataclass(frozen=True, slots=True)
class Strategy:
    """A strategy of emotional support conversation (Liu et al. 2021)."""

    name: str
    order: int
    texts: Mapping[Language, StrategyText]


@cache
def techniques(folder: Path = DATA / "techniques") -> dict[str, Technique]:
    """Return the techniques by name, in their order (Lee et al. 2024, appendices B.3 and D).

    Raises
    ------
    DataFileError
        A file is wrong: file, key and reason are named.
    """
    return _load(folder, _technique)


@cache
def strategies(folder: Path = DATA / "strategies") -> dict[str, Strategy]:
    """Return the support strategies by name, in their order (appendix D); errors as `techniques`."""
    return _load(folder, _strategy)


@cache
def distortion_types(folder: Path = DATA / "distortions") -> dict[str, DistortionType]:
    """Return the distortion types by name, in their order (appendix D); errors as `techniques`."""
    shared = read_table(folder / _WORDS).word_lists("words")
    return _load(folder, lambda table: _distortion(table, shared), besides=_WORDS)


@cache
def undistorted(file: Path = DATA / "distortions" / "undistorted.txt") -> tuple[str, ...]:
    """Return everyday sentences without a distortion, a line each: what prototypes are told apart from.

    Raises
    ------
    DataFileError
        The file is missing, empty or not UTF-8.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    except UnicodeDecodeError as error:
        raise DataFileError(str(file), "is not UTF-8; save the file as UTF-8") from error
    if not any(line.strip() for line in lines):
        raise DataFileError(str(file), "holds no sentence; restore it from the repository")
    return tuple(line.strip() for line in lines if line.strip())


def eligible_types(negative_feeling: bool) -> tuple[str, ...]:
    """Return the types that may become cd*, in the list's order."""
    return tuple(name for name, kind in distortion_types().items() if kind.eligible or negative_feeling)


def find_type(given: str) -> tuple[str | None, str]:
    """Return the type that a model's word means (None: no distortion), and a note where one is due.

    Case, quotes, hyphens and a plural ending do not matter; aliases come from the data files.

    Examples
    --------
    >>> find_type("labeling")
    ('Labeling', '')
    >>> find_type("None")
    (None, '')
    >>> find_type("Mislabeling")
    ('Labeling', "'Mislabeling' is read as Labeling")
    """
    key = _plain(given)
    if key in _NONE:
        return None, ""
    for kind in distortion_types().values():
        if key in {_plain(kind.name), *(_plain(text.label) for text in kind.texts.values())}:
            return kind.name, ""
    for kind in distortion_types().values():
        if key in map(_plain, kind.aliases):
            return kind.name, f"{given.strip()!r} is read as {kind.name}"
    return None, f"{given.strip()!r} is no known type: taken as none"


_NONE = {"", "none", "null", "na", "no", "nodistortion", "nocognitivedistortion", "unknown", "无", "没有"}


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum()).removesuffix("s")


class _Ordered(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def order(self) -> int: ...


T = TypeVar("T", bound=_Ordered)


def _load(folder: Path, read: Callable[[Table], T], besides: str = "") -> dict[str, T]:
    found: dict[int, T] = {}
    names: set[str] = set()
    for table in read_tables(folder, besides):
        entry = read(table)
        if entry.order in found:
            raise table.error("order", f"is {entry.order}, as in {found[entry.order].name!r}")
        if entry.name in names:
            raise table.error("name", f"is {entry.name!r}, as in another file")
        found[entry.order] = entry
        names.add(entry.name)
    return {found[order].name: found[order] for order in sorted(found)}


def _technique(table: Table) -> Technique:
    texts: dict[Language, TechniqueText] = {}
    for language in LANGUAGES:
        part = table.table(language)
        stages = part.tables("stages", MIN_STAGES, MAX_STAGES)
        texts[language] = TechniqueText(
            part.text("label"),
            part.text("what"),
            part.text("helps"),
            tuple(Stage(one.text("name"), one.text("goal"), one.text("example")) for one in stages),
        )
    if len({len(text.stages) for text in texts.values()}) > 1:
        raise table.error("stages", "differ in number between the languages")
    return Technique(table.text("name"), table.whole("order"), table.choice("family", FAMILIES), texts)


def _strategy(table: Table) -> Strategy:
    texts: dict[Language, StrategyText] = {}
    for language in LANGUAGES:
        part = table.table(language)
        texts[language] = StrategyText(part.text("label"), part.text("what"), part.text("example"))
    return Strategy(table.text("name"), table.whole("order"), texts)


def _distortion(table: Table, shared: Mapping[str, tuple[str, ...]]) -> DistortionType:
    texts: dict[Language, DistortionText] = {}
    for language in LANGUAGES:
        part = table.table(language)
        texts[language] = DistortionText(part.text("label"), part.text("definition"))
    fitting = table.lines("techniques", at_least=1)
    for name in fitting:
        if name not in techniques():
            raise table.error("techniques", f"names {name!r}; choose among: {', '.join(techniques())}")
    english = table.table("en")
    words = {**shared, **english.word_lists("words")}
    return DistortionType(
        name=table.text("name"),
        order=table.whole("order"),
        aliases=table.lines("aliases"),
        eligible=table.truth("eligible"),
        techniques=fitting,
        texts=texts,
        prototypes=english.lines("prototypes", at_least=MIN_PROTOTYPES),
        cues=english.patterns("cues", words),
        hints=english.any_of("hints"),
        not_cues=english.patterns("not_cues", words),
    )
