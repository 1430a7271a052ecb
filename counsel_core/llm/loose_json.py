"""JSON as language models write it: one object read from a position, whatever its punctuation.

Only the structure is read loosely (quotes, commas, colons, brackets, comments, Python's literals). What
stands inside a quoted text survives to the character. A text whose closing quote never comes was cut.
"""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass, field
from typing import Any, Literal

Extent = Literal["whole", "unclosed", "cut"]

MAX_DEPTH = 60
_QUOTES = "\"'“”‘’＂「」『』"
_CLOSERS = {'"': '"', "'": "'", "＂": "＂", "「": "」", "『": "』"}
_CLOSERS |= dict.fromkeys("“”", '”“"') | dict.fromkeys("‘’", "’‘'")
_COMMA, _COLON = ",，、;；", ":："
_OPEN, _CLOSE, _OPEN_LIST, _CLOSE_LIST = "{｛", "}｝", "[［", "]］"
_LITERALS = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nan": None}
_FULL_WIDTH = str.maketrans("０１２３４５６７８９＋－．−", "0123456789+-.-")

_BLANK = re.compile(r"(?:[\s\ufeff\u200b]+|//[^\n]*|/\*.*?\*/|#[^\n]*)", re.DOTALL)
_NUMBER = re.compile(r"[+\-＋－−]?[\d.．]+(?:[eE][+-]?\d+)?")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(r"[^\W\d][\w-]{0,80}")
_ESCAPE = re.compile(r'\\(u[0-9a-fA-F]{4}|.)|"', re.DOTALL)
_NO_PYTHON_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*\\(?![\n\\'\"abfnrtvxNuU0-3]|[4-7](?![0-7]{2}))")

_ENDING = rf"\Z|[{re.escape(_CLOSE + _CLOSE_LIST)}]|```|//|/\*|#\s"
_KEY = rf"[{_QUOTES}][^{_QUOTES}\n]{{1,80}}[{_QUOTES}]\s*[{_COLON}]"
_BARE_KEY = rf"[^\W\d]\w{{0,60}}\s*[{_COLON}]"
_KEY_TEXT = re.compile(
    rf"[{_QUOTES}](?:\\.|[^{_QUOTES}\\\n]){{0,200}}(?:[{_QUOTES}](?=\s*(?:[{_COLON}]|\Z))|\Z)", re.DOTALL
)
# A quote ends a text only where the structure goes on after it; others belong to the text.
_AFTER_VALUE = re.compile(rf"\s*(?:{_ENDING}|[{_COMMA}]?\s*(?:{_ENDING}|{_KEY}))")
_AFTER_BARE_VALUE = re.compile(rf"\s*(?:{_ENDING}|[{_COMMA}]?\s*(?:{_ENDING}|{_KEY}|{_BARE_KEY}))")
_NEXT_ITEM = rf"[{_QUOTES}{re.escape(_OPEN + _OPEN_LIST)}\d]|null|None"
_AFTER_ITEM = re.compile(rf"\s*(?:{_ENDING}|[{_COMMA}]\s*(?:{_ENDING}|{_NEXT_ITEM}))|\s+[{_QUOTES}]")

_PROMISING = re.compile(
    rf"[{_OPEN}]\s*(?:[{_QUOTES}{_CLOSE}]|//|/\*|#|{_BARE_KEY})|[{re.escape(_OPEN_LIST)}]"
)
_NO_COMMA = "A missing comma was added."
_STRICT, _RAW = json.JSONDecoder(), json.JSONDecoder(strict=False)


class UnreadableError(ValueError):
    """The text from `start` on is not an object or array, however loosely read; `at` is where it fails."""

    def __init__(self, at: int) -> None:
        self.at = at
        super().__init__(f"unreadable at character {at}")


@dataclass(frozen=True, slots=True)
class Reading:
    """An object or array, where it ends in the text, and the repairs it took, as short sentences."""

    value: Any
    end: int
    repairs: tuple[str, ...] = ()
    extent: Extent = "whole"


def read_value(text: str, start: int) -> Reading:
    r"""Read the object or array that starts at `start`: strictly, as a Python literal, or loosely.

    Raises
    ------
    UnreadableError
        What stands there is neither.

    Examples
    --------
    >>> read_value("{'reply': 'I can\\'t', }", 0).value
    {'reply': "I can't"}
    >>> read_value('{“reply”：“好的，我们慢慢来”}', 0).value
    {'reply': '好的，我们慢慢来'}
    >>> read_value('{"reply": "I hear', 0).extent
    'cut'
    """
    if not _PROMISING.match(text, start):
        raise UnreadableError(start)
    for decoder, repairs in ((_STRICT, ()), (_RAW, ("Raw line breaks or tabs in a text were kept.",))):
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        return Reading(value, end, repairs)
    reader = _Reader(text, start)
    value = reader.container(1)
    # Python joins texts without a comma between them; here a comma was forgotten.
    if reader.extent == "whole" and _NO_COMMA not in reader.notes:
        exact = _python_literal(text[start : reader.at])
        if exact is not None:
            return Reading(exact, reader.at, ("Python notation was read as JSON.",))
    return Reading(value, reader.at, tuple(reader.notes), reader.extent)


def _python_literal(text: str) -> Any:
    if _NO_PYTHON_ESCAPE.search(text):  # Python would warn of them, and they are no Python anyway
        return None
    try:
        value = ast.literal_eval(text)
        json.dumps(value, allow_nan=False)  # sets, bytes, complex numbers: not JSON
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


@dataclass
class _Reader:
    """Reads from `at` on; `notes` keeps each repair once, in the order they were needed."""

    text: str
    at: int
    notes: dict[str, None] = field(default_factory=dict)
    extent: Extent = "whole"

    def container(self, depth: int) -> dict[str, Any] | list[Any]:
        if depth > MAX_DEPTH:
            raise UnreadableError(self.at)
        if self._here() in _OPEN_LIST:
            self._step(_OPEN_LIST)
            return self._items(depth)
        self._step(_OPEN)
        return self._members(depth)

    def _members(self, depth: int) -> dict[str, Any]:
        members: dict[str, Any] = {}
        count = 0
        while not self._ends(_CLOSE, depth, count):
            count += 1
            bare = self._here() not in _QUOTES
            key = self._word() if bare else self._key()
            self._skip_blank()
            if not self._here():
                continue
            self._step(_COLON)
            self._skip_blank()
            members[key] = self._value(depth, _AFTER_BARE_VALUE if bare else _AFTER_VALUE)
        return members

    def _items(self, depth: int) -> list[Any]:
        items: list[Any] = []
        while not self._ends(_CLOSE_LIST, depth, len(items)):
            items.append(self._value(depth, _AFTER_ITEM))
        return items

    def _ends(self, closers: str, depth: int, count: int) -> bool:
        """Pass commas; tell whether the object or list ends here, by its bracket or without it."""
        commas = self._skip_commas()
        here = self._here()
        if here and here in closers:
            self._step(closers)
            if commas:
                self._note("A comma too many was removed.")
            return True
        if not here or self.text.startswith("```", self.at):
            self.extent = "unclosed" if self.extent == "whole" else self.extent
            self._note("Missing closing brackets were added.")
            return True
        if here in _CLOSE + _CLOSE_LIST:
            self._note("A bracket of the wrong kind was replaced.")
            self.at += depth == 1  # else it closes what this stands in
            return True
        if commas != min(count, 1):
            self._note(_NO_COMMA if count and not commas else "A comma too many was removed.")
        return False

    def _skip_commas(self) -> int:
        commas = 0
        self._skip_blank()
        while self._here() and self._here() in _COMMA:
            commas += 1
            self._step(_COMMA)
            self._skip_blank()
        return commas

    def _value(self, depth: int, after: re.Pattern[str]) -> Any:
        here = self._here()
        if not here or here in _COMMA + _CLOSE + _CLOSE_LIST:
            self._note("A missing value was read as null.")
            return None
        if here in _QUOTES:
            return self._string(after)
        if here in _OPEN + _OPEN_LIST:
            return self.container(depth + 1)
        number = _NUMBER.match(self.text, self.at)
        return self._number(number) if number else self._literal()

    def _number(self, match: re.Match[str]) -> float | int:
        written = match[0].translate(_FULL_WIDTH)
        try:
            value = float(written) if set(written) & set(".eE") else int(written)
        except ValueError as error:
            raise UnreadableError(self.at) from error
        if not _PLAIN_NUMBER.fullmatch(match[0]):
            self._note("A number in another notation was read as one.")
        self.at = match.end()
        return value

    def _literal(self) -> Any:
        start = self.at
        word = self._word()
        if word.lower() not in _LITERALS:
            raise UnreadableError(start)
        if word not in ("true", "false", "null"):
            self._note("Literals of another language were read as JSON.")
        return _LITERALS[word.lower()]

    def _word(self) -> str:
        match = _WORD.match(self.text, self.at)
        if match is None:
            raise UnreadableError(self.at)
        self.at = match.end()
        self._skip_blank()
        if self._here() and self._here() in _COLON:
            self._note("Keys without quotes were quoted.")
        return match[0]

    def _key(self) -> str:
        match = _KEY_TEXT.match(self.text, self.at)
        if match is None:
            raise UnreadableError(self.at)
        if match.end() == len(self.text):
            self.at, self.extent = match.end(), "cut"
            return ""
        if match[0][0] != '"':
            self._note("Quotation marks were replaced by JSON's.")
        self.at = match.end()
        return self._decoded(match[0][1:-1])

    def _string(self, after: re.Pattern[str]) -> str:
        opener = self.text[self.at]
        if opener != '"':
            self._note("Quotation marks were replaced by JSON's.")
        mark = opener * 3 if self.text.startswith(opener * 3, self.at) else opener
        closers = f"{mark}" if len(mark) == 3 else f"[{_CLOSERS[opener]}]"
        start, unescaped = self.at + len(mark), False
        for match in re.compile(rf"\\.|{closers}", re.DOTALL).finditer(self.text, start):
            if match[0][0] == "\\":
                continue
            end = after.match(self.text, match.end())
            if end and not (unescaped and end.end() == len(self.text) and not end[0].strip()):
                self.at = match.end()
                return self._decoded(self.text[start : match.start()])
            unescaped = True
            self._note("Unescaped quotation marks in a text were kept.")
        self.at, self.extent = len(self.text), "cut"
        return ""

    def _decoded(self, written: str) -> str:
        decoded: str = json.loads(f'"{_ESCAPE.sub(_escaped, written)}"', strict=False)
        return decoded

    def _skip_blank(self) -> None:
        while match := _BLANK.match(self.text, self.at):
            if not match[0][0].isspace() and match[0][0] in "/#":
                self._note("A comment was removed.")
            self.at = match.end()

    def _step(self, accepted: str) -> None:
        """Pass over one character of the structure."""
        here = self._here()
        if not here or here not in accepted:
            raise UnreadableError(self.at)
        if here != accepted[0]:
            self._note("Full-width or other punctuation was replaced by JSON's.")
        self.at += 1

    def _here(self) -> str:
        return self.text[self.at : self.at + 1]

    def _note(self, sentence: str) -> None:
        self.notes[sentence] = None


def _escaped(match: re.Match[str]) -> str:
    """Write one escape, or one bare double quote, so that JSON's own reader understands it."""
    if match[0] == '"':
        return '\\"'
    if len(match[1]) > 1 or match[1] in '"\\/bfnrt':
        return match[0]
    return match[1] if match[1] in _QUOTES else f"\\\\{match[1]}"
