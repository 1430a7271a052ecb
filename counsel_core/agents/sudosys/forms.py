"""Guided rules: forms of sentences that weigh, choose, confirm or add, whatever they are about."""

from __future__ import annotations

import re

from counsel_core.agents._reflection import plain_words
from counsel_core.agents._utterance import pattern
from counsel_core.agents.sudosys.protocol import Topic

WEIGHS = re.compile(
    r"\b(?:but|though|tho|although|only|however|because|would|means|takes?|costs?|risk|downside|won't|wont)\b",
    re.I,
)
CHOOSES = re.compile(
    r"\b(?:i'll|i will|(?:i'd|i would) (?:like to )?(?:go|start|begin|choose|pick|take|try|do|say)"
    r"|i (?:choose|pick|prefer|want to (?:try|do|start|begin)|decide)|let's)\b",
    re.I,
)
CONFIRMS = re.compile(
    r"(?:yes|yeah|yep|correct|exactly|right|m+[- ]?h+m+|that's (?:it|right|the one))\b"
    r"(?: (?:the|that) one|,? start there)?(?:[,.]? (?:please|exactly|that|let's|i)\b.*)?[.!]*$",
    re.I,
)
"""After a choice: that it is the right one. It tells nothing new."""
OWN = re.compile(r"\b(?:i|i'\w+|i[md]|me|my|myself|we|our)\b", re.I)
ONE_MORE = re.compile(
    r"^(?:maybe|perhaps|or|also|plus)\b(?! (?:start|begin|go) (?:with|for))|\banother\b", re.I
)
DOUBTS = re.compile(
    r"\b(?:but|though|tho|although|only|however|scar\w+|afraid|frighten\w*|dread\w*|embarrass\w*|risk)\b",
    re.I,
)
OTHERS = re.compile(r"(?:the|my|our|his|her|she|he|they|it|there|mrs?|dr)\b", re.I)
"""Begins a sentence about somebody else, or about a thing."""
THANKS = re.compile(r"(?:many )?(?:thanks|thank you)(?: [\w ]{0,12})?[.!]*", re.I)

REFUSES = re.compile(
    r"(?:(?:no|well|please|look|honestly|but|and|okay|ok|i said|really)[,.]? )*"
    r"(?:don't (?:make|ask|force|push) me\b.{0,20}"
    r"|(?:i )?(?:won't|can't|cannot|don't want to|refuse to|would rather not|i'd rather not)"
    r" (?:choose|decide|pick|say|answer|think|talk)"
    r"(?: (?:one|any|that|this|it|now|anything|between them|about (?:that|this|it|what i \w+)))*"
    r"|(?:i )?(?:have no|haven't got any|don't have any|haven't any|see no)"
    r" (?:ideas?|clue|answers?|preferences?)"
    r"|(?:none|neither) of (?:these|those|them|it|that)|no ideas?|nothing(?: at all)?"
    r"|you (?:choose|decide|pick)"
    r"|(?:just )?tell me what to do|that's your job\b.{0,16}|whatever you (?:say|think|want))[.!?]*",
    re.I,
)
"""Says no to what was asked. It answers nothing, and is no choice."""
CLOSES = re.compile(r"(?:no[,.]? )?that's (?:the lot|all|it|everything|about it|all of it)\b.*", re.I)
"""Ends a list, though it may name again what was on it."""


def tells_nothing(text: str) -> bool:
    """Whether a sentence holds nothing to be kept: it refuses what was asked, or ends a list.

    >>> tells_nothing("Don't make me choose."), tells_nothing("None of these.")
    (True, True)
    >>> tells_nothing("I can't decide whether to leave my husband.")
    False
    """
    plain = plain_words(text).strip()
    return bool(REFUSES.fullmatch(plain) or CLOSES.fullmatch(plain))


_HINDRANCE = re.compile(r"\b(?:obstacles?|barriers?|setbacks?|difficult\w*|hinder\w*|in the way)\b", re.I)


def holds_obstacles(topic: Topic) -> bool:
    """Whether a topic, by its key or by what it is about, is for what gets in the way."""
    return bool(_HINDRANCE.search(topic.key.replace("_", " ")) or _HINDRANCE.search(topic.about))


def is_setback(text: str) -> bool:
    """Whether a text tells of a try that came to nothing.

    >>> is_setback("I tried to phone the landlord but I lost my nerve.")
    True
    >>> is_setback("I tried it, and it worked.")
    False
    """
    return bool(pattern("setback").search(plain_words(text)))


def is_obstacle(text: str) -> bool:
    """Whether a text tells what got, or could get, in the way."""
    return is_setback(text) or bool(pattern("doubt").search(plain_words(text).lower()))
