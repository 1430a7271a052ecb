"""Guided rules: what a client's line amounts to in a session of cognitive behavioural therapy."""

from __future__ import annotations

import re
from functools import cache

from counsel_core.agents._phrases import read_families
from counsel_core.agents._reflection import plain_words
from counsel_core.agents._utterance import Line
from counsel_core.agents.cocoa.canonical import canonical

MOST_WORDS_AROUND_A_NUMBER = 12
MOST_WORDS_OF_A_BARE_NUMBER = 4
MOST_WORDS_AT_A_LOSS = 12
MOST_WORDS_QUOTED = 20


@cache
def listen(section: str, name: str) -> re.Pattern[str]:
    """Return the pattern of what to listen for, as whole words of a canonical line."""
    entries = read_families("counsel_core.agents.cocoa", "words_en.toml")[section][name]
    return re.compile(rf"\b(?:{'|'.join(entries)})\b")


def greets(line: Line) -> bool:
    """Whether the client says hello and tells nothing yet."""
    short = len(line.text.split()) <= MOST_WORDS_AT_A_LOSS
    return short and bool(listen("line", "greeting").match(canonical(line.text)))


def is_at_a_loss(line: Line) -> bool:
    """Whether the client says no more than that they do not know how to begin or what to say."""
    return len(line.text.split()) <= MOST_WORDS_AT_A_LOSS and _hears(line, "at_a_loss")


def refuses(line: Line) -> bool:
    """Whether the client does not want to go on with what is being done."""
    return _hears(line, "refuses")


def asks_for_a_verdict(line: Line) -> bool:
    """Whether the client asks the counsellor what kind of person they are."""
    return _hears(line, "asks_for_a_verdict")


def holds(line: Line) -> bool:
    """Whether the line leaves the question as it was: a shrug, thanks, a greeting, a question back.

    A line that speaks of danger does so too: it was answered with a question about safety.
    """
    if line.in_danger:
        return True
    if line.content:
        return False
    return bool(line.questions) or line.answer in ("unsure", "thanks", "greeting", "farewell")


def is_balanced(line: Line) -> bool:
    """Whether the client says something that a hard thought would leave out."""
    return bool(line.content) and _hears(line, "balanced")


def is_hurting(line: Line) -> bool:
    """Whether the client says that it hurts."""
    return _hears(line, "hurting")


def tells_a_loss(line: Line) -> bool:
    """Whether the client tells of somebody's death."""
    return _hears(line, "loss")


def number_in(line: Line) -> str | None:
    """Return the number that a short line answers with, as it stands there.

    >>> from counsel_core.agents._utterance import read_line
    >>> number_in(read_line("On a scale from zero to ten, maybe a four."))
    'four'
    """
    words = len(line.text.split())
    rated = words <= MOST_WORDS_OF_A_BARE_NUMBER or _hears(line, "rated")
    if words > MOST_WORDS_AROUND_A_NUMBER or not rated:
        return None
    text = listen("line", "scale").sub(" ", canonical(line.text))
    counted = listen("line", "counted")
    found = [
        match[0]
        for match in listen("line", "numbers").finditer(text)
        if not counted.match(text[match.end() :].lstrip())
    ]
    return found[-1] if found else None


def quotable(sentence: str) -> str | None:
    """Return a sentence without its final stop if it can be quoted back to the client, else None.

    Long sentences, questions, swearing and words of death and violence are not quoted.
    """
    words = plain_words(sentence).strip().rstrip(".!… ,;")
    if (
        listen("line", "unquotable").search(canonical(words))
        or not words
        or "?" in words
        or len(words.split()) > MOST_WORDS_QUOTED
    ):
        return None
    words = re.sub(r"\bim\b", "I'm", re.sub(r"\bi\b", "I", words), flags=re.IGNORECASE)
    return words[:1].upper() + words[1:].replace("“", "").replace("”", "").replace('"', "'")


def _hears(line: Line, name: str) -> bool:
    return bool(listen("line", name).search(canonical(line.text)))
