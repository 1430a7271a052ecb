"""Whom to contact in an emergency, by region; unconfirmed entries are shown as such."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from counsel_core.errors import DataFileError, UnknownNameError
from counsel_core.records import LANGUAGES, Language
from counsel_core.safety.patterns import SAFETY_DATA, need, read_toml

RESOURCES_FILE = SAFETY_DATA / "resources.toml"
UNKNOWN_REGION = "unknown"


@dataclass(frozen=True, slots=True)
class Resource:
    """One contact: its name, how to reach it, who publishes it, and whether the deployer confirmed it."""

    name: str
    reach: str
    source: str
    verified: bool


def regions(language: Language = "en", path: Path | None = None) -> dict[str, str]:
    """Return the label of every named region by its code; the region "unknown" is not among them.

    Parameters
    ----------
    language
        The language of the labels.
    path
        A file of the user's own, laid over the one that comes with the project. It need not exist.

    Examples
    --------
    >>> regions()["uk"]
    'United Kingdom'
    """
    return {code: found[language][0] for code, found in _all(path).items() if code != UNKNOWN_REGION}


def load_resources(
    region: str = UNKNOWN_REGION, language: Language = "en", path: Path | None = None
) -> tuple[Resource, ...]:
    """Return the contacts of a region, emergency services first; `path` as for `regions`.

    Raises
    ------
    UnknownNameError
        There is no such region.
    DataFileError
        The user's file is wrong.

    Examples
    --------
    >>> [resource.reach for resource in load_resources("uk")][:2]
    ['call 999', 'call 116 123']
    """
    found = _all(path)
    if region not in found:
        raise UnknownNameError("region", region, found)
    return found[region][language][1]


_Region = dict[Language, tuple[str, tuple[Resource, ...]]]


def _all(path: Path | None) -> dict[str, _Region]:
    shipped = _shipped()
    return {**shipped, **_read(path)} if path is not None and path.is_file() else shipped


@cache
def _shipped() -> dict[str, _Region]:
    return _read(RESOURCES_FILE)


def _read(path: Path) -> dict[str, _Region]:
    found: dict[str, _Region] = {}
    for entry in read_toml(path).get("region", []):
        code, label = need(path, entry, "code"), need(path, entry, "label")
        entries = need(path, entry, "entry")
        if not entries:
            raise DataFileError(path.name, f"the region {code!r} has no entry; give it at least one")
        found[code] = {
            language: (_said(path, label, language), tuple(_resource(path, one, language) for one in entries))
            for language in LANGUAGES
        }
    return found


def _resource(path: Path, entry: Mapping[str, Any], language: Language) -> Resource:
    source, verified = need(path, entry, "source"), need(path, entry, "verified")
    if not isinstance(verified, bool) or not str(source).strip():
        raise DataFileError(path.name, f"the entry {entry!r} needs a source and verified = true or false")
    name, reach = need(path, entry, "name"), need(path, entry, "reach")
    return Resource(_said(path, name, language), _said(path, reach, language), str(source), verified)


def _said(path: Path, words: str | Mapping[str, str], language: Language) -> str:
    """Return the words of a language: a plain string serves both."""
    said = words if isinstance(words, str) else words.get(language, "")
    if not isinstance(said, str) or not said.strip():
        raise DataFileError(path.name, f"{words!r} has no words for {language!r}", key=language)
    return said
