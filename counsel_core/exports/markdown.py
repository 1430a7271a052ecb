"""A session as Markdown. Every word of a person or a model is escaped: it shows as it was written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from counsel_core.exports.document import Document, Entry, moment

# What can start markup anywhere, and what can do so where it touches a word: addresses, mentions.
_ANYWHERE = re.compile(r"([\\`*_{}\[\]<>#|~&$^=])")
_TOUCHING = re.compile(r"(?<=\w)\.(?=[^\W\d])|:(?=[^\s\d])|@(?=\S)")
_AT_START = re.compile(r"^(\s*)([-+]|\d+(?=[.)]))", re.MULTILINE)


def render_markdown(document: Document) -> str:
    """Return the Markdown of a document."""
    return "\n".join(_lines(document)) + "\n"


def escape(text: str) -> str:
    r"""Return a text whose every character shows as it is when Markdown is rendered, on one line or more.

    >>> print(escape("*No* [link](http://x.y), can't"))
    \*No\* \[link\](http\://x\.y), can't
    """
    lines = "\n".join(text.splitlines())
    escaped = _TOUCHING.sub(r"\\\g<0>", _ANYWHERE.sub(r"\\\1", lines))
    return _AT_START.sub(_guard_start, escaped)


def _guard_start(found: re.Match[str]) -> str:
    mark = found[2]
    # A digit cannot be escaped; a backslash before the dot that makes it a list can.
    return f"{found[1]}\\{mark}" if mark in "-+" else f"{found[1]}{mark}\\"


def _one_line(text: str) -> str:
    return escape(" ".join(text.split()))


def _quoted(text: str) -> Iterator[str]:
    lines = [line.strip() for line in escape(text).split("\n")]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        # A backslash keeps a line break; before an empty line it would show.
        yield f"> {line}\\" if line and following else f"> {line}".rstrip()


def _lines(document: Document) -> Iterator[str]:
    yield f"# {_one_line(document.title)}"
    yield from ("", f"**{_one_line(document.notice)}**")
    for banner in document.banners:
        yield from ("", f"> **{_one_line(banner)}**")
    yield ""
    yield from (f"- {label}: {_one_line(value)}" for label, value in document.facts)
    yield from ("", "## What was said")
    for entry in document.entries:
        yield from _entry(entry)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", document.state)), default=0))
    yield from ("", "## The agent's state at the end", "", f"{fence}text", document.state, fence)


def _entry(entry: Entry) -> Iterator[str]:
    when = f", {moment(entry.when)}" if entry.when else ""
    yield from ("", f"**{_one_line(entry.who)}**{when}", "")
    yield from _quoted(entry.text)
    if entry.remarks:
        yield from ("", *(f"- {_one_line(remark)}" for remark in entry.remarks))
