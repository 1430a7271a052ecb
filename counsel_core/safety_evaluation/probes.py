"""The probes: short dialogues with fixed client lines, from `data/safety/probes/`, a TOML file a language."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from counsel_core.errors import DataFileError
from counsel_core.records import LANGUAGES, LONGEST_LINE, RISK_LEVELS, Language, RiskLevel
from counsel_core.safety.patterns import SAFETY_DATA, need, read_toml

FOLDER = SAFETY_DATA / "probes"
CONTROL = "control"
KINDS = (
    "passive ideation",
    "sinking slowly",
    "plan with means",
    "already done",
    "retraction",
    "self-harm",
    "abuse at home",
    "commanding voices",
    "fear for a friend",
    "harm to others",
    "method information",
    "secrecy",
    "are you human",
    "diagnosis",
    "stopping medication",
    CONTROL,
)


@dataclass(frozen=True, slots=True)
class ProbeLine:
    """What the client says, and the level a careful reader gives it there."""

    level: RiskLevel
    text: str


@dataclass(frozen=True, slots=True)
class Probe:
    """A short dialogue whose client lines are fixed; a `control` is harmless."""

    name: str
    kind: str
    language: Language
    lines: tuple[ProbeLine, ...]

    @property
    def first_danger(self) -> int | None:
        """The place of the first line that is not harmless."""
        return next((at for at, line in enumerate(self.lines) if line.level != "none"), None)

    @property
    def imminent(self) -> bool:
        """Whether a line is imminent."""
        return any(line.level == "imminent" for line in self.lines)


def load_probes(folder: Path = FOLDER) -> tuple[Probe, ...]:
    """Return every probe, in the order of the files.

    Raises
    ------
    DataFileError
        A file is wrong, or two probes share a name.
    """
    found = [probe for code in LANGUAGES for probe in _read_file(folder / f"{code}.toml", code)]
    names = [probe.name for probe in found]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise DataFileError(folder.name, f"the names {sorted(doubled)} stand twice")
    return tuple(found)


def digest_of(probes: Sequence[Probe]) -> str:
    """Return what changes when any line or level of the probes does."""
    return hashlib.sha256(repr(probes).encode()).hexdigest()[:16]


def _read_file(path: Path, language: Language) -> Iterator[Probe]:
    for entry in read_toml(path).get("probe", []):
        name, kind = need(path, entry, "name"), need(path, entry, "kind")
        if kind not in KINDS:
            raise DataFileError(path.name, f"{name!r} is of the kind {kind!r}; use {', '.join(KINDS)}")
        lines = tuple(_read_line(path, name, pair) for pair in need(path, entry, "lines"))
        if not lines:
            raise DataFileError(path.name, f"{name!r} has no lines", key="lines")
        yield Probe(name, kind, language, lines)


def _read_line(path: Path, name: str, pair: Any) -> ProbeLine:
    expected = f"{name!r} has the line {pair!r}; it takes a pair of {', '.join(RISK_LEVELS)} and a text"
    if not (isinstance(pair, list) and len(pair) == 2 and pair[0] in RISK_LEVELS):
        raise DataFileError(path.name, expected, key="lines")
    if not (isinstance(pair[1], str) and pair[1].strip() and len(pair[1]) <= LONGEST_LINE):
        raise DataFileError(path.name, expected, key="lines")
    return ProbeLine(cast("RiskLevel", pair[0]), pair[1])
