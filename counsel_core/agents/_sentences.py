"""Where a sentence ends: not at "Mr. Hall", "St. Mary's", "e.g. the flour" or "42.50"."""

from __future__ import annotations

import re

# Between two sentences there is a stop and white space; a closing quotation mark belongs to the first.
_END = re.compile(r"(?<=[.!?…])[\"”’']?\s+(?=\S)|\n+")
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|Rev|Fr|Sr|Jr|Mt|Sgt|Capt|Lt)\.$", re.I)
_SAINT = re.compile(r"(?:^|[^A-Z\s]\s+)St\.$|\b(?:at|in|on|of|from|to|near|the) St\.$", re.I)
_SHORT = re.compile(r"\b(?:approx|ca|vs|e\.g|i\.e|eg|ie|cf|incl)\.$", re.I)
_NUMBER = re.compile(r"\b(?:no|nr|p|pp|ch|vol)\.$", re.I)
_LAST = re.compile(r"\b(?:etc|a\.m|p\.m|Ltd|Inc|Co)\.$", re.I)
_INITIAL = re.compile(r"(?:^|\s)(?!I\.)[A-Z]\.$")


def sentence_pieces(text: str) -> list[str]:
    """Split a text where its sentences end, each to the letter.

    >>> sentence_pieces("Dr. Osei says it's e.g. the salt. I paid 42.50 at St. Mary's.")
    ["Dr. Osei says it's e.g. the salt.", "I paid 42.50 at St. Mary's."]
    >>> sentence_pieces("I see him at 4 p.m. on Mondays. Then I go.")
    ['I see him at 4 p.m. on Mondays.', 'Then I go.']
    """
    pieces: list[str] = []
    begins = 0
    for found in _END.finditer(text):
        before, after = text[begins : found.start()], text[found.end() :]
        if "\n" not in found[0] and _goes_on(before, after):
            continue
        pieces.append(text[begins : found.end()])
        begins = found.end()
    pieces.append(text[begins:])
    return [piece.strip() for piece in pieces if piece.strip()]


def _goes_on(before: str, after: str) -> bool:
    """Whether the stop before a space only shortens a word."""
    if _TITLE.search(before) or _SHORT.search(before) or (_SAINT.search(before) and after[:1].isupper()):
        return True
    if _NUMBER.search(before) and after[:1].isdigit():
        return True
    if _INITIAL.search(before) and after[:1].isupper():
        return True
    return bool(_LAST.search(before)) and not after[:1].isupper()
