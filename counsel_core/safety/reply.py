"""The reply check: what an agent must not say to a client, whatever model wrote it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from counsel_core.errors import DataFileError
from counsel_core.records import LANGUAGES, Finding, Language
from counsel_core.safety.normalise import normalise
from counsel_core.safety.patterns import SAFETY_DATA, compile_finds, expand_lists, need, read_toml

_REACH = 160
"""How far before a phrase, in characters, the words that make it harmless may begin."""
_SENTENCE_END = re.compile(r"[.!?;。！？；\n]")


@dataclass(frozen=True)
class ReplyRule:
    """One thing a reply must not do, and what right before the phrase makes it harmless.

    A `quotable` rule leaves words between quotation marks alone: they are the client's, given back.
    """

    name: str
    regex: re.Pattern[str]
    unless: re.Pattern[str]
    examples: tuple[str, ...]
    counterexamples: tuple[str, ...]
    quotable: bool = False


def check_reply(text: str) -> tuple[Finding, ...]:
    """Return what a reply must not say: none if it may be shown. Both languages are always checked.

    Diagnosing, promising secrecy, discouraging other help, changing medication, means or methods,
    encouraging harm, claiming to be human, claiming to watch or to have contacted someone.

    Examples
    --------
    >>> check_reply("You clearly have depression.")
    (Finding(rule='diagnosis', evidence='You clearly have depression'),)
    >>> check_reply("Have you told your doctor how low you feel?")
    ()
    """
    plain = normalise(text)
    quotes = [place for place, letter in enumerate(plain.text) if letter == '"']
    found = {
        Finding(rule.name, plain.original(*match.span()).strip()): None
        for language in LANGUAGES
        for rule in load_reply_rules(language)
        for match in rule.regex.finditer(plain.text)
        if not rule.unless.search(_before(plain.text, match.start()))
        if not (rule.quotable and bisect_left(quotes, match.start()) % 2)
    }
    return tuple(found)


@cache
def load_reply_rules(language: Language) -> tuple[ReplyRule, ...]:
    """Read `data/safety/reply_<language>.toml`.

    Raises
    ------
    DataFileError
        A rule lacks a key or its regular expression is wrong.
    """
    return tuple(read_reply_rules(SAFETY_DATA / f"reply_{language}.toml"))


def read_reply_rules(path: Path) -> Iterator[ReplyRule]:
    """Read a file of rules; see `load_reply_rules`."""
    data = read_toml(path)
    words = expand_lists(path, data.get("words", {}), {})
    for entry in data.get("rule", []):
        name = need(path, entry, "name")
        if not (unless := need(path, entry, "unless")):
            raise DataFileError(path.name, f"the rule {name!r} needs at least one line in 'unless'")
        yield ReplyRule(
            name=name,
            regex=compile_finds(path, entry, words),
            unless=compile_finds(path, {**entry, "find": unless}, words),
            examples=tuple(need(path, entry, "examples")),
            counterexamples=tuple(need(path, entry, "counterexamples")),
            quotable=entry.get("quotable", False),
        )


def _before(text: str, start: int) -> str:
    """Return what stands before a phrase in its sentence, a bounded stretch of it."""
    before = text[max(0, start - _REACH) : start]
    return _SENTENCE_END.split(before)[-1]
