"""An agent's state as an outline in words, for people; the JSON export holds it as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from counsel_core.records import Json

# How an agent remembers what it has said already, without the words.
_FINGERPRINT = re.compile(r"[0-9a-f]{8}")


def outline(state: Json) -> str:
    """Return the lines of a state, each part below its name and further in.

    >>> topics = {"in_your_control": "asking", "outside": ""}
    >>> print(outline({"stage": 2, "topics": topics, "said": ["0a1b2c3d"]}))
    Stage: 2
    Topics
      In your control: asking
      Outside: —
    Said: 1 fingerprint, in the JSON export
    """
    return "\n".join(_lines(state, ""))


def _lines(value: object, inset: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _part(_name(str(key)), part, inset)
    elif isinstance(value, list):
        for number, part in enumerate(value, start=1):
            yield from _part(str(number), part, inset)


def _part(name: str, part: object, inset: str) -> Iterator[str]:
    if not isinstance(part, dict | list) or not part:
        yield f"{inset}{name}: {_written(part)}"
    elif all(_FINGERPRINT.fullmatch(str(one)) for one in part):
        yield f"{inset}{name}: {len(part)} fingerprint{'s' * (len(part) > 1)}, in the JSON export"
    else:
        yield f"{inset}{name}"
        yield from _lines(part, f"{inset}  ")


def _written(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in (None, "", [], {}):
        return "—"
    return " ".join(str(value).split())


def _name(key: str) -> str:
    words = key.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
