"""Sample clients: prepared lines that are played one by one, from `data/clients/`, one TOML file each.

A file holds `label`, `agent`, `language`, `about` and `lines`; its name is the client's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counsel_core.errors import DataFileError
from counsel_core.records import LONGEST_LINE, Language, Turn
from counsel_core.settings import DATA
from counsel_core.toml_file import parse_toml

FOLDER = DATA / "clients"

_LANGUAGES: dict[str, Language] = {"en": "en", "zh": "zh"}
_TEXTS = ("label", "agent", "about")
_KEYS = (*_TEXTS, "language", "lines")


@dataclass(frozen=True, slots=True)
class SampleClient:
    """A prepared client whose lines are played one by one. Written for this project; no real person."""

    name: str
    label: str
    agent: str
    language: Language
    about: str
    lines: tuple[str, ...]


def load_clients(folder: Path = FOLDER) -> dict[str, SampleClient]:
    """Return every sample client by name.

    Raises
    ------
    DataFileError
        A file is wrong; it is named with the line or the key, and what is expected there.
    """
    return {file.stem: read_client(file.name, file.read_bytes()) for file in sorted(folder.glob("*.toml"))}


def read_client(file: str, content: bytes) -> SampleClient:
    """Read one client's file; `file` is its name, which names the client too. Raises DataFileError."""
    data = parse_toml(content, file)
    if unknown := [key for key in data if key not in _KEYS]:
        raise DataFileError(file, f"this key is not known; there are {', '.join(_KEYS)}", key=unknown[0])
    texts = {key: _read_text(file, key, data.get(key)) for key in _TEXTS}
    language = _read_text(file, "language", data.get("language"))
    if language not in _LANGUAGES:
        raise DataFileError(file, f"it is {language!r}; it takes {' or '.join(_LANGUAGES)}", key="language")
    lines = data.get("lines")
    if not isinstance(lines, list) or not lines:
        raise DataFileError(file, "it takes a list of one line or more", key="lines")
    spoken = tuple(_read_text(file, f"lines[{at}]", line) for at, line in enumerate(lines, start=1))
    return SampleClient(name=Path(file).stem, language=_LANGUAGES[language], lines=spoken, **texts)


def _read_text(file: str, key: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise DataFileError(file, "it is missing or empty; it takes a text", key=key)
    if len(value) > LONGEST_LINE:
        raise DataFileError(file, f"it has {len(value):,} characters; at most {LONGEST_LINE:,}", key=key)
    return value.strip()


def next_line(client: SampleClient, turns: Sequence[Turn]) -> str | None:
    """Return what a client says next after a session's turns; None when all is said.

    Lines that a person typed in between do not count: the client goes on where it was.
    """
    said = sum(turn.author == "sample client" for turn in turns)
    return client.lines[said] if said < len(client.lines) else None
