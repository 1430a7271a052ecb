"""The second text: what preset `standard` reads instead of a text as it was given."""

from __future__ import annotations

import html
import re
import unicodedata

_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
_INVISIBLE = re.compile("[\u00ad\u200b\u2060\ufeff]")
# A mark holds no "<", so that a search stays linear in the text.
_MARK = re.compile(r"<!--|-->|<(/?)([a-zA-Z][a-zA-Z0-9:]*)\b[^<>]*>")
_ENTITY = re.compile(r"&(?:[a-zA-Z][a-zA-Z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_BLOCKS = re.compile(
    "address|article|aside|blockquote|br|caption|dd|div|dl|dt|figure|figcaption|footer|form|h[1-6]|header|hr|li"
    "|main|nav|ol|option|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    "a|abbr|audio|b|base|big|body|button|canvas|center|cite|code|col|colgroup|del|details|em|embed|fieldset|font"
    "|head|html|i|iframe|img|input|ins|kbd|label|legend|link|mark|meta|noscript|object|o:p|param|path|picture|q"
    "|s|samp|script|select|small|source|span|strike|strong|style|sub|sup|svg|template|textarea|time|title|tt|u"
    "|var|video|wbr",
    re.IGNORECASE,
)
_UNSEEN = frozenset(("script", "style"))
_LOST_SPACE = re.compile(r"(?<=[a-z])([.!?])(?=[A-Z])")
_WORD = re.compile(r"\S+")
_OF_AN_ADDRESS = ("@", "://", "www.")

NO_BREAK, LOST, MARKUP = "no-break spaces", "lost spaces between sentences", "HTML"


def clean(text: str) -> str:
    r"""Return the text with its typing and export faults mended; the words stay as they are.

    HTML marks are removed (what stood in script and style as well), entities read, no-break spaces made
    spaces, spaces lost between sentences put back ("end.Next", not within a web address), and curly
    apostrophes made straight.

    Examples
    --------
    >>> clean("<p>You aren\u2019t\u00a0alone.Many people <b>feel</b> so.</p>")
    "You aren't alone. Many people feel so."
    >>> clean("I <3 www.LivingYes.org")
    'I <3 www.LivingYes.org'
    """
    text = _INVISIBLE.sub("", _SPACES.sub(" ", _read_entities(_without_marks(text))))
    text = text.replace("\u2019", "'").replace("\u2018", "'")
    return _with_lost_spaces(text).strip()


def flaws(text: str) -> tuple[str, ...]:
    """Return what `clean` would mend in a text and a report should tell.

    Examples
    --------
    >>> flaws("It ends.Next comes <i>this</i>.")
    ('lost spaces between sentences', 'HTML')
    """
    found = []
    if "\u00a0" in text:
        found.append(NO_BREAK)
    if _LOST_SPACE.search(text):
        found.append(LOST)
    if any(_is_mark(mark) for mark in _MARK.finditer(text)) or _ENTITY.search(text):
        found.append(MARKUP)
    return tuple(found)


def clean_topic(topic: str) -> str:
    r"""Return a topic without stray spaces and invisible characters; its spelling stays.

    Examples
    --------
    >>> clean_topic("  self\u00a0 esteem\u200b ")
    'self esteem'
    """
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFC", topic)).split())


def _is_mark(mark: re.Match[str]) -> bool:
    """Return whether it is HTML: "<sigh>" is a word of the writer's."""
    name = mark[2] or ""
    return mark[0] == "<!--" or bool(_BLOCKS.fullmatch(name) or _OTHERS.fullmatch(name))


def _without_marks(text: str) -> str:
    """Remove HTML marks in one pass; an unclosed script or comment hides nothing."""
    kept: list[str] = []
    hidden_by, hidden_from, end = "", 0, 0
    for mark in _MARK.finditer(text):
        name = (mark[2] or mark[0]).lower()
        closes = bool(hidden_by) and name == hidden_by and (bool(mark[1]) or name == "-->")
        if not closes and not _is_mark(mark):
            continue
        kept.append(text[end : mark.start()])
        end = mark.end()
        if closes:
            del kept[hidden_from:]
            hidden_by = ""
        elif not hidden_by and (name == "<!--" or (name in _UNSEEN and not mark[1])):
            hidden_by, hidden_from = ("-->" if name == "<!--" else name), len(kept)
        elif _BLOCKS.fullmatch(name):
            kept.append("\n" if name in {"p", "br", "div"} else " ")
    return "".join((*kept, text[end:]))


def _read_entities(text: str) -> str:
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text)


def _with_lost_spaces(text: str) -> str:
    def mended(word: re.Match[str]) -> str:
        if any(sign in word[0].lower() for sign in _OF_AN_ADDRESS):
            return word[0]
        return _LOST_SPACE.sub(r"\1 ", word[0])

    return _WORD.sub(mended, text) if _LOST_SPACE.search(text) else text
