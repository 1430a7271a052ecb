"""Prompts are text files beside this module; here they become messages, each value a part of its own."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Literal

from counsel_core.records import Language, Message

_PLACE = re.compile(r"\{([a-z_]+)\}")
_ROLES: dict[str, Literal["system", "user"]] = {"=== system": "system", "=== user": "user"}

NOTHING: dict[Language, str] = {"en": "(nothing yet)", "zh": "（暂无）"}
_SPEAKERS: dict[Language, tuple[str, str]] = {
    "en": ("Counsellor: ", "Client: "),
    "zh": ("咨询师：", "来访者："),
}


def render(name: str, language: Language, **values: str) -> tuple[Message, ...]:
    """Return the messages of a prompt. A value is put in as it is: braces in it mean nothing."""
    messages = []
    for role, body in _prompt(name, language):
        parts = tuple(values[piece] if place else piece for place, piece in _pieces(body))
        messages.append(Message(role, tuple(part for part in parts if part)))
    return tuple(messages)


def render_fragment(name: str, language: Language, **values: str) -> str:
    """Return the text of a prompt file that is one section of another prompt."""
    body = _read(name, language)
    return "".join(values[piece] if place else piece for place, piece in _pieces(body))


def render_exchange(counsellor: str, client: str, language: Language) -> str:
    """Return one (counsellor, client) pair as the lines of a transcript."""
    first, second = _SPEAKERS[language]
    return (f"{first}{counsellor}\n" if counsellor else "") + f"{second}{client}"


def render_list(lines: tuple[str, ...], language: Language) -> str:
    """Return the lines as a list, or a word for its emptiness."""
    return "\n".join(f"- {line}" for line in lines) or NOTHING[language]


@cache
def prompts_hash(language: Language) -> str:
    """Return a short hash of all the prompts of a language."""
    digest = hashlib.sha256()
    for file in sorted(_folder(language).iterdir(), key=lambda entry: entry.name):
        digest.update(f"{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


@cache
def _prompt(name: str, language: Language) -> tuple[tuple[Literal["system", "user"], str], ...]:
    messages: list[tuple[Literal["system", "user"], list[str]]] = []
    for line in _read(name, language).splitlines(keepends=True):
        role = _ROLES.get(line.strip())
        if role:
            messages.append((role, []))
        else:
            messages[-1][1].append(line)
    return tuple((role, "".join(lines).strip("\n")) for role, lines in messages)


@cache
def _pieces(body: str) -> tuple[tuple[bool, str], ...]:
    # re.split with one group: text and names of places take turns.
    return tuple((number % 2 == 1, piece) for number, piece in enumerate(_PLACE.split(body)))


def _folder(language: Language) -> Traversable:
    return files(__package__) / "prompts" / language


@cache
def _read(name: str, language: Language) -> str:
    return (_folder(language) / f"{name}.txt").read_text(encoding="utf-8")
