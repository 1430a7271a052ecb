"""A client's line in the one spelling that the cues are written for."""

from __future__ import annotations

import re

_SPELLINGS: tuple[tuple[str, str], ...] = (
    (r"[’‘`´]", "'"),
    (r"[“”]", '"'),
    # Apostrophes left out
    (r"\bim\b", "i'm"),
    (r"\bive\b", "i've"),
    (r"\b(do|does|did|is|was|ca|wo|would|could|should|have|has|had|are|were|must)nt\b", r"\1n't"),
    (r"\b(they|you)re\b", r"\1're"),
    (r"\b(he|she|that|what|there)s\b", r"\1's"),
    # Short forms
    (r"\bi am\b", "i'm"),
    (r"\b(i|you|they|we) have (?=been|never|always|done|failed|ruined|lost|become|blown|made)", r"\1've "),
    (r"\bcan ?not\b", "can't"),
    (r"\bwill not\b", "won't"),
    (r"\b(do|does|did|is|was|would|could|should|have|has|had|are|were|must) not\b", r"\1n't"),
    (r"\b(i|you|he|she|it|they|we|that|this|there) will\b", r"\1'll"),
    (r"\b(he|she|it|that|there|what|who) is\b", r"\1's"),
    (r"\b(you|they|we) are\b", r"\1're"),
    # Casual spellings
    (r"\bgonna\b", "going to"),
    (r"\bwanna\b", "want to"),
    (r"\bgotta\b", "have to"),
    (r"\b(?:cuz|bc|cos|coz|'cause)\b", "because"),
    (r"\bppl\b", "people"),
    (r"\bu\b", "you"),
    (r"\bur\b", "your"),
    (r"\bnoone\b|\bno-one\b", "no one"),
    (r"\bsomebody\b", "someone"),
    (r"\banybody\b", "anyone"),
)
_RULES = tuple((re.compile(pattern), spelling) for pattern, spelling in _SPELLINGS)

# One's own head and gut are nobody else.
_OWN = r"(?!gut|heart|head|mind|brain|body|instinct|feelings?\b)"
_SOMEONE = rf"(?:(?:my|the|his|her|our) {_OWN}[\w-]+(?: [\w-]+)?|he|she|they|people|everyone|someone)"
_END = r".*?(?=,? but\b|[.!?;]|$)"
_SAYS = (
    r"(?:says?|said|told (?:me|us|him|her)|tells (?:me|us)|claims?|claimed|insists?|keeps? saying|"
    r"called|calls|used to (?:say|tell me|call|think))"
)
_THINKS = r"(?:thinks|feels|believes|is (?:sure|convinced|afraid)|worries)"
# "I don't think I can" hedges a thought, it does not deny one.
_NOT_HEDGED = r"(?! (?:like a|i (?:can|could|will|'ll|belong|fit)))"
_REPORTED = re.compile(
    rf"\b{_SOMEONE} (?:always |once |often |sometimes |just |also )?{_SAYS}(?: that)? {_END}"
    rf"|\bi (?:used to|no longer|don't) (?:\w+ )?(?:think|believe|feel)\b{_NOT_HEDGED}{_END}"
)
_THOUGHT_BY_OTHERS = re.compile(
    rf"\b(?:my|the|his|her) [\w-]+(?: [\w-]+)? (?:told me |says |said )?{_THINKS} (?:that |like )?"
    rf"(?:she|he|they|her|his|their)\b{_END}"
)


def canonical(text: str) -> str:
    """Return a line in lower case with straight apostrophes, short forms and single spaces.

    >>> canonical("I am sure they’re gonna laugh, cuz im dumb")
    "i'm sure they're going to laugh, because i'm dumb"
    """
    text = text.lower()
    for pattern, spelling in _RULES:
        text = pattern.sub(spelling, text)
    return " ".join(text.split())


def without_others_thoughts(text: str) -> str:
    """Leave out what others are said to think of themselves, in a canonical line.

    >>> without_others_thoughts("my roommate thinks she's going to fail every exam, but i'm calm.")
    ", but i'm calm."
    """
    return _THOUGHT_BY_OTHERS.sub(" ", text).strip()


def without_reports(text: str) -> str:
    """Leave out what others are reported to say or to think, in a canonical line.

    >>> without_reports("my mother always says i'm a failure, but now i know better.")
    ', but now i know better.'
    """
    return _REPORTED.sub(" ", without_others_thoughts(text)).strip()
