"""An agent's state as an outline in words, for people; the JSON export holds it as it is."""

from __future__ import annotations

from collections.abc import Iterator

from counsel_core.records import Json


def outline(state: Json) -> str:
    """Return the lines of a state, each part below its name and further in.

    >>> topics = {"in_your_control": "asking", "outside": ""}
    >>> print(outline({"stage": 2, "topics": topics}))
    Stage: 2
    Topics
      In your control: asking
      Outside: —
    """
    return "\n".join(_lines(state, ""))


def _lines(value: object, inset: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from _part(named(str(key)), part, inset)
    elif isinstance(value, list):
        for number, part in enumerate(value, start=1):
            yield from _part(str(number), part, inset)


def _part(name: str, part: object, inset: str) -> Iterator[str]:
    if not isinstance(part, dict | list) or not part:
        yield f"{inset}{name}: {written(part)}"
    else:
        yield f"{inset}{name}"
        yield from _lines(part, f"{inset}  ")


def written(value: object) -> str:
    """Return one value in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value in (None, "", [], {}):
        return "—"
    return " ".join(str(value).split())


def named(key: str) -> str:
    """Return a key as a name to read."""
    words = key.replace("_", " ").strip()
    return words[:1].upper() + words[1:]
