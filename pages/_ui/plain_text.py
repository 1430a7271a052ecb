"""Words that a user or a model wrote, made safe for places that read Markdown.

Whole texts are shown with `st.text`, which reads no Markdown at all. Labels, titles and captions do
read it: whatever somebody else wrote goes through `as_text` on its way there.
"""

from __future__ import annotations

import re
import string

WORD_JOINER = "\u2060"
_PUNCTUATION = re.compile("([" + re.escape(string.punctuation) + "])")
# After parsing, Streamlit still turns addresses into links, :names: into emoji and arrows into signs.
_JOINED = re.compile(r"(www(?=\\\.)|\\[:@<>=~-])", re.IGNORECASE)
_INVISIBLE = re.compile("[\u0000-\u0008\u000b-\u001f\u007f\u202a-\u202e\u2066-\u2069]")


def as_text(words: str, limit: int | None = None) -> str:
    r"""Return Markdown that shows `words` as they are, on one line, cut at `limit` characters.

    Every mark of Markdown is escaped (so directives, formulas, HTML, images and links stay words),
    and an invisible joiner breaks what Streamlit would rewrite after parsing.

    Examples
    --------
    >>> as_text("1 * 2")
    '1 \\* 2'
    >>> as_text("one\n\ntwo  three")
    'one two three'
    >>> as_text("a long title", limit=6)
    'a lon…'
    """
    line = " ".join(_INVISIBLE.sub("", words).split())
    if limit is not None and len(line) > limit:
        line = line[: limit - 1].rstrip() + "…"
    return _JOINED.sub(r"\1" + WORD_JOINER, _PUNCTUATION.sub(r"\\\1", line))


def shorten(words: str, limit: int) -> str:
    """Return `words` on one line of at most `limit` characters, for places that show plain text."""
    line = " ".join(words.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
