"""Guided rules: whether a sentence is a choice, and a short name for it in the client's words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from counsel_core.agents import _words
from counsel_core.agents._reflection import plain_words, turn_round
from counsel_core.agents._utterance import pattern, split_sentences
from counsel_core.agents.sudosys.evidence import STEM, naming_words

LONGEST_NAME = 8
SHORT_WORDS = 5
BRIEF_WORDS = 14

_HEDGE = re.compile(
    r"^(?:(?:yes|yeah|ok|okay|well|so|then|maybe|probably|definitely|honestly|hm+|right|and|but|no),? )*"
    r"(?:(?:i|i'd) (?:think|guess|suppose|believe|feel|say|would say)(?: that)?,? )?"
    r"(?:it would be |it's |maybe )?",
    re.I,
)
_VERBS = (
    r"(?:is|are|would|seems?|sounds?|feels?|looks?|should|comes?|worr(?:y|ies)|bothers?|weighs?|makes?|appeals?"
    r"|themselves|itself|first|really|definitely|costs?|keeps?|gets?)"
)
_TAIL = re.compile(
    r"[,;]? (?:i (?:think|guess|suppose)|definitely|probably|first|mostly|please|because .*|since .*|then"
    r"|together with .*|those two|for now|myself|with you)$",
    re.I,
)
_CHOSEN = (
    re.compile(
        r"\b(?:let's|let us|(?:i'd|i would|i should) like to|i want to|i'd|i would|i'll|we could|rather|i)"
        r" (?:do|start (?:with|on)|begin with|go (?:for|with)|focus on|look at|talk about|work on|take|try"
        r"|choose|pick|decide (?:on|for)|solve|sort out|tackle|prefer) (.+)$",
        re.I,
    ),
    re.compile(
        r"^(.+?),? (?:i'd|i would|i'll|i want to|let's)(?: like to)? (?:start|begin|go)"
        r" (?:there|with (?:that|those|it|them))\b",
        re.I,
    ),
    re.compile(
        r"^(?:if i'm honest|honestly|to be honest|in the end|really)\b,? (?:i (?:think|guess|suppose) )?it's"
        r" ((?:the|my|our) [\w' ]+)",
        re.I,
    ),
    re.compile(rf"^(.+?) {_VERBS}\b", re.I),
    re.compile(
        r"(?:^what|^the \w+|choose|pick|one thing|,).* (?:is|it's|would be) ((?:the|my|our|that) .+)$", re.I
    ),
)
_NOUNS_TOO = {"work", "help", "need", "live", "call", "talk", "calls"}
_NO_NAME = re.compile(
    r"^the (?:\w+est |main |only |first |whole |most \w+ )?things?$"
    r"|\b(?:i|i'\w+|we|he|she|they|it|it's|there|there's|theres|that's|which|what|you|who|if|when|not|don't|can't|could|was|were|is|are"
    r"|have|has|one|ones|nothing|everything|both|all|those|these|this|that)\b",
    re.I,
)


_SMALL = {"the", "a", "an", "my", "our", "that", "this", "then", "first", "with", "thing", "to", "definitely"}
_HEDGED = re.compile(r"\b(?:i think|i guess|i suppose|definitely|i'd say)\b", re.I)


def choice_name(text: str) -> str | None:
    """Return what a client names when they choose, in the second person; None if it is not plain.

    >>> choice_name("I think the rent is the most urgent thing.")
    'the rent'
    >>> choice_name("If I have to choose, it's the nights.")
    'the nights'
    >>> choice_name("That's how I am.") is None
    True
    """
    for sentence in split_sentences(plain_words(text)):
        plain = _HEDGE.sub("", sentence.strip(" .!,;…"))
        found = (form.search(plain) for form in _CHOSEN)
        for name in (plain, *(match[1] for match in found if match)):
            if named := _name(name):
                return named
    return None


def _name(text: str) -> str | None:
    name = re.split(r"[,;:–—]| - | because | since | so ", text)[0].strip()
    for _ in range(2):
        name = _TAIL.sub("", name).strip(" ,.")
    words = name.split()
    if not 1 <= len(words) <= LONGEST_NAME or _NO_NAME.search(name):
        return None
    acts = _words.words("reflection", "finite") - _NOUNS_TOO
    if re.search(rf"\b{_VERBS}\b| again$", name, re.I) or any(word.lower() in acts for word in words[1:]):
        return None
    return turn_round(name)


def names_one(text: str, sources: Sequence[str], *, least: int) -> bool:
    """Whether a text names one of several things that were told: shortly, sharing `least` words, or two.

    An addition, or one more possibility, is no choice.
    """
    plain = plain_words(text).lower()
    if pattern("additive").search(plain) or re.match(
        r"(?:i|we|he|she|they|or|my|there|maybe|it|that|this)\b", plain
    ):
        return False
    stems = {word[:STEM] for word in naming_words(text)}
    shared = stems & {word[:STEM] for source in sources for word in naming_words(source)}
    short = len(re.split(r",? because\b|,", plain)[0].split()) <= SHORT_WORDS
    return (short and len(shared) >= least) or (len(plain.split()) <= BRIEF_WORDS and len(shared) > 1)


def echoes_one(text: str, sources: Sequence[str]) -> bool:
    """Whether a text says no more than a part of one thing that was told.

    >>> echoes_one("So, one stop.", ["I could ride just one stop and get off."])
    True
    """
    bare = _TAIL.sub("", _HEDGE.sub("", plain_words(text).lower().strip(" .!,;…")))
    words = [word for word in re.findall(r"[\w']+", bare) if word not in _SMALL]
    shared = any(
        {word[:STEM] for word in words}
        <= {word[:STEM] for word in re.findall(r"[\w']+", plain_words(source).lower())}
        for source in sources
    )
    return 1 <= len(words) <= SHORT_WORDS and max(map(len, words)) > 2 and shared


def names_plainly(text: str, sources: Sequence[str], *, strict: bool) -> bool:
    """Whether a text is a choice by its form: "the nights, I think", or no more than "The driving.".

    `strict`: what is named alone has to have been told before.
    """
    named = choice_name(text) is not None
    told = {word[: STEM - 1] for source in sources for word in naming_words(source)}
    plain = plain_words(text)
    only = re.fullmatch(r"(?:the|my) [\w']+(?: [\w']+){0,2}[.!]?", plain, re.I)
    known = bool(told & {word[: STEM - 1] for word in naming_words(text)})
    ranked_first = re.match(r"[\w' ]+ first\b(?:[.,!]|$)", plain, re.I)
    hedged = _HEDGED.search(text) and (known or not sources)
    return named and bool((only and (known or not strict)) or ranked_first or hedged)


def is_hedged(text: str) -> bool:
    """Whether a text says "I think", "I guess" and the like, as those do who choose."""
    return bool(_HEDGED.search(text))
