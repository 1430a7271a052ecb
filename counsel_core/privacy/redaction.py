"""Placeholders in the place of identifiers, put in before a text leaves and taken out of what comes back."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from counsel_core.privacy.identifiers import find_identifiers

_PLACEHOLDER = re.compile(r"\[\s*([A-Za-z]{2,10})\s*(\d{1,6})\s*\]")


@dataclass(frozen=True)
class Redaction:
    """Which placeholder stands for what, for one request: the same original always has the same one."""

    originals: Mapping[str, str]
    words: tuple[str, ...]

    def redact(self, text: str) -> str:
        """Return a text with its identifiers replaced."""
        placeholders = {original: placeholder for placeholder, original in self.originals.items()}
        kept, done = [], 0
        for one in find_identifiers(text, self.words):
            kept += [text[done : one.start], placeholders[one.text]]
            done = one.end
        return "".join((*kept, text[done:]))

    def restore(self, text: str, *, in_json: bool = False) -> str:
        """Return an answer with the originals put back, however the model spaced or cased a placeholder."""
        if not self.originals:
            return text
        escape: Callable[[str], str] = (
            (lambda word: json.dumps(word, ensure_ascii=False)[1:-1]) if in_json else str
        )

        def original(match: re.Match[str]) -> str:
            key = f"[{match[1].upper()} {int(match[2])}]"
            return escape(self.originals[key]) if key in self.originals else match.group()

        return _PLACEHOLDER.sub(original, text)


def build_redaction(texts: Iterable[str], words: Iterable[str] = ()) -> Redaction:
    """Return the redaction of some texts that are sent together.

    No placeholder is used that one of the texts holds already: it would come back as something else.

    Examples
    --------
    >>> redaction = build_redaction(["Write to ann@example.org."])
    >>> redaction.redact("Write to ann@example.org."), redaction.restore("To [email 1]?")
    ('Write to [EMAIL 1].', 'To ann@example.org?')
    """
    given, named = list(texts), tuple(words)
    there = {(match[1].upper(), int(match[2])) for text in given for match in _PLACEHOLDER.finditer(text)}
    originals: dict[str, str] = {}
    known: set[str] = set()
    counts: dict[str, int] = {}
    for text in given:
        for one in find_identifiers(text, named):
            if one.text in known:
                continue
            known.add(one.text)
            number = counts.get(one.kind, 0) + 1
            while (one.kind, number) in there:
                number += 1
            counts[one.kind] = number
            originals[f"[{one.kind} {number}]"] = one.text
    return Redaction(originals, named)
