"""Where in a TOML file a key stands: tomllib tells values but not their lines."""

from __future__ import annotations

import re

Path = tuple[str | int, ...]

_HEADER = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:"[^"]*"|'[^']*'|[^\s"'=#\[\]{},]+)+)\s*=""")
_NAME = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^."'\s]+))\s*\.?""")


def line_of(text: str, path: Path) -> int | None:
    r"""Return the line (from 1) of the key at `path`, or of the nearest table around it.

    >>> line_of('title = "x"\n[[stages]]\nnumber = 1', ("stages", 0, "number"))
    3
    """
    lines = _lines(text)
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path)


def _lines(text: str) -> dict[Path, int]:
    found: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    open_quote = ""
    for number, line in enumerate(text.split("\n"), start=1):
        if open_quote:
            open_quote = "" if open_quote in line else open_quote
            continue
        if header := _HEADER.match(line):
            table = _table(_names(header[2]), counts, array=header[1] == "[[")
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            found.setdefault((*table, *_names(key[1])), number)
            open_quote = next((q for q in ('"""', "'''") if line.count(q) % 2), "")
    return found


def _table(names: Path, counts: dict[Path, int], *, array: bool) -> Path:
    """Return the path of a header: every array of tables on the way stands for its last entry."""
    path: Path = ()
    for depth, name in enumerate(names):
        path = (*path, name)
        if array and depth == len(names) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _names(dotted: str) -> Path:
    return tuple(next(part for part in match if part) for match in _NAME.findall(dotted) if any(match))
