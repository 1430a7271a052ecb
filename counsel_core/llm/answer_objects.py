"""Where the JSON objects are in a model's answer: past thinking, prose and code fences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from counsel_core.llm.loose_json import Extent, UnreadableError, read_value

_READ_CHARACTERS, _FAILED_STARTS = 1_000_000, 500
_REPAIRED_CHARACTERS = 20_000

_START = re.compile(r"[{｛]|[\[［](?=\s*[{｛])")
_ESCAPED = re.compile(r'\s*[{\[]\s*\\"')
_LINE_START = re.compile(r"\n\s*[{｛\[［]")
_THINK = re.compile(r"\s*<(think|thinking|thought|reasoning)>", re.IGNORECASE)
_THINK_END = re.compile(r"</(think|thinking|thought|reasoning)>", re.IGNORECASE)
_FENCES = re.compile(r"[\s`~]*(?:json5?|python|javascript)?[\s`~]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """One object or array in an answer, and the repairs that reading it took."""

    value: Any
    repairs: tuple[str, ...]
    extent: Extent = "whole"


def find_objects(text: str) -> tuple[Found, ...]:
    """Return the objects and arrays in an answer, in their order; nested ones belong to their outer one.

    Prose, code fences and a think-block before them are passed over. Time grows with the length.

    Examples
    --------
    >>> [found.value for found in find_objects('<think>{}</think> So: {"a": 1} or ```{"a": 2}```')]
    [{'a': 1}, {'a': 2}]
    """
    whole = _strict(f'"{text}"' if _ESCAPED.match(text) else text)
    if isinstance(whole, str):
        inner = find_objects(whole) if whole != text else ()
        return tuple(replace(f, repairs=("JSON written as a text was read.", *f.repairs)) for f in inner)
    if isinstance(whole, dict | list):
        return (Found(whole, ()),)
    answer, thought = _without_thinking(text)
    return tuple(
        replace(
            found, repairs=(("Thinking before the answer was left out.",) if thought else ()) + found.repairs
        )
        for found in _scan(answer)
    )


def _strict(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _without_thinking(text: str) -> tuple[str, bool]:
    """Return what comes after the thinking; all of it where there is none."""
    opened = _THINK.match(text)
    closed = _THINK_END.search(text, opened.end() if opened else 0)
    if opened and not closed:
        return "", True
    # Some servers swallow the opening tag; a closing one inside the object is the client's text.
    if closed and (opened or ("{" in text[closed.end() :] and not _scan_holds(text, closed.start()))):
        return text[closed.end() :], True
    return text, False


def _scan_holds(text: str, position: int) -> bool:
    return any(start <= position < end for start, end, _ in _spans(text))


def _scan(text: str) -> Iterator[Found]:
    for start, end, found in _spans(text):
        yield replace(found, repairs=(*_around(text[:start], text[end:]), *found.repairs))


def _spans(text: str) -> Iterator[tuple[int, int, Found]]:
    at, spent, failed = 0, 0, 0
    while (match := _START.search(text, at)) and spent < _READ_CHARACTERS and failed < _FAILED_STARTS:
        start = match.start()
        try:
            reading = read_value(text, start)
        except UnreadableError as error:
            at, spent, failed = start + 1, spent + error.at - start, failed + 1
            continue
        yield start, reading.end, Found(reading.value, reading.repairs, reading.extent)
        at = reading.end
        if reading.extent == "cut":
            # What follows an open quote may be the client's words: only a new line can start anew.
            spent += reading.end - start
            line = _LINE_START.search(text, start + 1)
            at = line.end() - 1 if line else reading.end


def _around(before: str, after: str) -> tuple[str, ...]:
    if not before.strip() and not after.strip():
        return ()
    if _FENCES.fullmatch(before) and _FENCES.fullmatch(after):
        return ("The code fence around the JSON was left out.",)
    return ("Text around the JSON was left out.",)


def mended_objects(text: str) -> Iterator[Found]:
    """Yield what json_repair makes of a short answer that no other way could read."""
    import json_repair

    answer, _ = _without_thinking(text)
    start, end = answer.find("{"), answer.rfind("}") + 1
    if start < 0 or not start < end <= start + _REPAIRED_CHARACTERS:
        return
    try:
        mended: Any = json_repair.loads(answer[start:end], logging=True, skip_json_loads=True)
    except (ValueError, RecursionError):
        return
    value, log = mended
    # An unterminated text was cut, whatever can be made of it.
    if isinstance(value, dict) and not any("missed the closing quote" in step["text"] for step in log):
        repairs = ("Broken JSON was mended by json_repair.",)
        yield Found(value, (*_around(answer[:start], answer[end:]), *repairs))
