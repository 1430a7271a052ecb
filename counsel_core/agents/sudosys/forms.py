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
