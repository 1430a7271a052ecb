"""Sentences of an English text, by nupunkt."""

from __future__ import annotations

import re

# A line goes on where the next begins in lower case: it was wrapped by an editor.
_LINE_END = re.compile(r"\n\s*\n|\n(?!\s*[a-z])")
_ADDRESS = re.compile(r"(?:https?://|www\.|\S+@)\S*", re.IGNORECASE)
# "(so).Next", "so".Next", "so...Next": what `datasets.text.clean` leaves, which mends "so.Next" only.
_LOST_SPACE = re.compile(r"(?<=[^\s.])(\.{2,}|[)\]\"”'A-Z][.!?]|[.!?][)\]\"”'])(?=[A-Z][a-z' ])")


def split(text: str) -> list[str]:
    """Return the sentences of a text in order; a new line ends a sentence, an empty text has none.

    nupunkt is Punkt (Kiss and Strunk 2006) with a trained list of abbreviations. It needs a space between
    sentences; lost ones are put back. A text wrapped at a width is joined.

    Examples
    --------
    >>> split("I saw Dr. Smith (again).He was kind!")
    ['I saw Dr. Smith (again).', 'He was kind!']
    """
    from nupunkt import sent_tokenize

    lines = (_LOST_SPACE.sub(r"\1 ", " ".join(line.split())) for line in _LINE_END.split(text))
    found = (str(sentence).strip() for line in lines if line for sentence in sent_tokenize(line))
    return [sentence for sentence in found if sentence]


def without_addresses(text: str) -> str:
    """Return the text without web and mail addresses, which are no prose.

    Examples
    --------
    >>> without_addresses("See www.example.org for more.")
    'See  for more.'
    """
    return _ADDRESS.sub("", text)
