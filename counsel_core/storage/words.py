"""What people type, made fit to be stored and shown."""

from __future__ import annotations

import hashlib
import unicodedata

from counsel_core.errors import InputError
from counsel_core.storage.schema import clean


def read_typed(text: str, what: str, *, longest: int, shortest: int = 1, one_line: bool = False) -> str:
    r"""Return typed text without control characters and outer blanks; line breaks become one kind.

    >>> read_typed(" It's\x07 the rent.\r\n", "message", longest=100)
    "It's the rent."

    Raises
    ------
    InputError
        Nothing visible was typed, or less or more than allowed.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if one_line:
        lines = " ".join(lines.split())
    typed = "".join(character for character in clean(lines) if _belongs(character)).strip()
    visible = sum(unicodedata.category(character)[0] not in "ZC" for character in typed)
    if not visible:
        raise InputError(f"The {what} is empty. Write something, then send it.")
    if visible < shortest:
        raise InputError(f"The {what} is {typed!r}; it takes at least {shortest} characters.")
    if len(typed) > longest:
        raise InputError(
            f"The {what} has {len(typed):,} characters; at most {longest:,} are allowed. Shorten it."
        )
    return typed


def _belongs(character: str) -> bool:
    return character in "\n\t" or unicodedata.category(character) != "Cc"


def digest(text: str) -> str:
    """Return a hash of words that stands for them where words must not be: 32 hex digits."""
    return hashlib.blake2b(clean(text).encode(), digest_size=16).hexdigest()
