"""A fence around words that a model is to read as data: no text can end the fence it stands in."""

from __future__ import annotations

import hashlib


def fence_for(text: str) -> str:
    """Return a marker that the text does not contain; the same text has the same one.

    Examples
    --------
    >>> fence_for("Hello.") == fence_for("Hello."), fence_for("Hello.") in "Hello."
    (True, False)
    """
    number = 0
    while True:
        digest = hashlib.sha256(f"{number}{text}".encode("utf-8", "surrogatepass")).hexdigest()
        if (marker := f"TEXT-{digest[:8]}") not in text:
            return marker
        number += 1
