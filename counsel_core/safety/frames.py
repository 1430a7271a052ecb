"""Frames: things that are harmless alone and dangerous side by side, as pills and "take them all tonight"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from counsel_core.errors import DataFileError
from counsel_core.records import Language
from counsel_core.safety.patterns import (
    SAFETY_DATA,
    Pattern,
    compile_finds,
    expand_lists,
    need,
    read_pattern,
    read_toml,
)

_SENTENCE = re.compile(r"[.!?;。\n]+")
_REACH = 240
"""How far, in characters, a denial is looked for before a part."""
_KEYS = {"parts", "unless", "apart", "earlier"}

Span = tuple[int, int]


@dataclass(frozen=True)
class Part:
    """One thing a frame is made of, as a means or a time; `deniable` where "not" before it undoes it."""

    regex: re.Pattern[str]
    deniable: bool = True


@dataclass(frozen=True)
class Frame:
    """Parts that mean danger when all of them stand close together.

    `pattern` says what the frame counts as. The parts stand at most `apart` sentences from the first; where
    `earlier` is true, all but the first may stand in the client's last lines. A phrase of `unless` in one
    of the sentences, or between them, clears it.
    """

    pattern: Pattern
    parts: tuple[Part, ...]
    unless: tuple[re.Pattern[str], ...] = ()
    apart: int = 1
    earlier: bool = False


@cache
def load_frames(language: Language) -> tuple[Frame, ...]:
    """Read `data/safety/frames_<language>.toml`, which may use the word lists of `risk_<language>.toml`.

    Raises
    ------
    DataFileError
        An entry lacks a key, has an unknown one, names an unknown part, or a regular expression is wrong.
    """
    risk = SAFETY_DATA / f"risk_{language}.toml"
    words = expand_lists(risk, read_toml(risk).get("words", {}), {})
    return read_frames(SAFETY_DATA / f"frames_{language}.toml", words)


def read_frames(path: Path, words: Mapping[str, str]) -> tuple[Frame, ...]:
    """Read a file of frames; see `load_frames`."""
    data = read_toml(path)
    words = expand_lists(path, data.get("words", {}), words)
    undeniable = set(data.get("undeniable", ()))
    parts = {
        name: Part(compile_finds(path, {"find": lines}, words), name not in undeniable)
        for name, lines in data.get("part", {}).items()
    }
    frames = tuple(_frame(path, entry, parts) for entry in data.get("frame", []))
    names = [frame.pattern.name for frame in frames]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise DataFileError(path.name, f"the frame names {sorted(doubled)} stand twice")
    return frames


def _frame(path: Path, entry: Mapping[str, Any], parts: Mapping[str, Part]) -> Frame:
    named, unless = need(path, entry, "parts"), entry.get("unless", [])
    if unknown := {*named, *unless} - set(parts):
        raise DataFileError(
            path.name, f"the frame {entry.get('name')!r} uses the unknown parts {sorted(unknown)}"
        )
    rest = {key: value for key, value in entry.items() if key not in _KEYS}
    return Frame(
        pattern=read_pattern(path, rest, parts[named[0]].regex),
        parts=tuple(parts[name] for name in named),
        unless=tuple(parts[name].regex for name in unless),
        apart=entry.get("apart", 1),
        earlier=entry.get("earlier", False),
    )


class Reading:
    """A plain text cut into sentences, in which each part is looked for once."""

    def __init__(self, text: str, denial: re.Pattern[str]) -> None:
        self.text = text
        self._denial = denial
        self._ends = [match.end() for match in _SENTENCE.finditer(text)]
        self._found: dict[Part, dict[int, Span]] = {}

    def find(self, part: Part) -> dict[int, Span]:
        """Return, by the number of the sentence, where a part first stands in it without being denied."""
        if part not in self._found:
            found: dict[int, Span] = {}
            for match in part.regex.finditer(self.text):
                number = bisect_right(self._ends, match.start())
                if number not in found and not (part.deniable and self._denied(match.start())):
                    found[number] = match.span()
            self._found[part] = found
        return self._found[part]

    def sentences(self, first: int, last: int) -> str:
        """Return the text of the sentences from the first up to and with the last."""
        start = self._ends[first - 1] if first else 0
        return self.text[start : self._ends[last] if last < len(self._ends) else len(self.text)]

    def _denied(self, place: int) -> bool:
        start = max(
            place - _REACH, self._ends[number - 1] if (number := bisect_right(self._ends, place)) else 0
        )
        return bool(self._denial.search(self.text[start:place]))


def find_frames(
    reading: Reading, frames: Sequence[Frame], earlier: Sequence[Reading] = ()
) -> Iterator[tuple[Frame, tuple[Span, ...], str]]:
    """Yield each frame whose parts are there, with where they stand and the sentences they stand in."""
    for frame in frames:
        for number in reading.find(frame.parts[0]):
            if found := _complete(frame, reading, number, earlier):
                yield frame, *found
                break


def _complete(
    frame: Frame, reading: Reading, number: int, earlier: Sequence[Reading]
) -> tuple[tuple[Span, ...], str] | None:
    """Find the other parts around the sentence that holds the first: their places, and the sentences."""
    spans = [reading.find(frame.parts[0])[number]]
    touched = [number]
    context = ""
    for part in frame.parts[1:]:
        found = reading.find(part)
        near = [other for other in found if abs(other - number) <= frame.apart]
        if near:
            closest = min(near, key=lambda other: abs(other - number))
            touched.append(closest)
            spans.append(found[closest])
            continue
        before = [line for line in earlier if line.find(part)] if frame.earlier else []
        if not before:
            return None
        context += before[-1].text + " "
    around = context + reading.sentences(min(touched), max(touched))
    if any(unless.search(around) for unless in frame.unless):
        return None
    return tuple(spans), around
