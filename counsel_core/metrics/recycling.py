"""Recycling: the share of the answer's words that the question used."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, lru_cache
from pathlib import Path

from counsel_core.errors import DataFileError
from counsel_core.metrics._base import Metric, MetricContext, Scored, ScoreInput
from counsel_core.metrics._texts import PAPER, guarded
from counsel_core.records import Preset
from counsel_core.settings import DATA

NEEDS = frozenset({"question"})
FLUFF_FILE = DATA / "metrics" / "fluff_words.txt"

_SPACED = re.compile(r"\S+")
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


@cache
def fluff_words(file: Path = FLUFF_FILE) -> frozenset[str]:
    """Return the words of a fluff file: one a line, `#` begins a remark.

    Raises
    ------
    DataFileError
        It cannot be read, or a line holds more than a word.
    """
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise DataFileError(
            str(file), f"the fluff words cannot be read ({error}); restore the file"
        ) from error
    words: set[str] = set()
    for number, line in enumerate(lines, start=1):
        entry = line.split("#", maxsplit=1)[0].split()
        if len(entry) > 1:
            raise DataFileError(
                str(file), f"{' '.join(entry)!r} is more than a word; write one a line", line=number
            )
        words.update(word.lower() for word in entry)
    return frozenset(words)


def spans(text: str, preset: Preset) -> list[tuple[int, int, str]]:
    """Return where the tokens of a text begin and end, and each in lower case.

    Examples
    --------
    >>> spans("Feel sad?", "paper")
    [(0, 4, 'feel'), (5, 9, 'sad?')]
    >>> spans("Feel sad?", "standard")
    [(0, 4, 'feel'), (5, 8, 'sad')]
    """
    pattern = _SPACED if preset == "paper" else _WORD
    return [(found.start(), found.end(), found[0].lower()) for found in pattern.finditer(text)]


def tokens(text: str, preset: Preset) -> list[str]:
    """Return the tokens of a text in lower case: between spaces (`paper`), or words (`standard`)."""
    found = text.split() if preset == "paper" else _WORD.findall(text)
    return [token.lower() for token in found]


@lru_cache(maxsize=4096)
def question_tokens(question: str, preset: Preset) -> frozenset[str]:
    """Return the different tokens of a question."""
    return frozenset(tokens(question, preset))


def fluff_of(context: MetricContext) -> Collection[str]:
    """Return the fluff words of a run: its own where it has some, else those of the file."""
    given = context.settings.get("fluff")
    return fluff_words() if given is None else _as_set(tuple(given))


@lru_cache(maxsize=8)
def _as_set(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word.lower() for word in words)


def _score(given: ScoreInput, context: MetricContext) -> Scored:
    fluff = fluff_of(context)
    known = question_tokens(given.question or "", context.preset)
    counted = [token for token in tokens(given.answer, context.preset) if token not in fluff]
    recycled = [token for token in counted if token in known]
    detail = {"counted": len(counted), "recycled": len(recycled), "words": sorted(set(recycled))}
    if counted:
        return Scored(len(recycled) / len(counted), detail=detail)
    if context.preset == "paper":
        return Scored(0.0, detail=detail)
    return Scored(None, "it has no word that is not fluff", detail)


RECYCLING = Metric(
    name="recycling",
    label="Recycling",
    description="The share of the answer's words, fluff words left out, that the question used: key words "
    "taken up again.",
    source=f"{PAPER}, section 4.2.5, Algorithm 5",
    bounds=(0.0, 1.0),
    scale=1.0,
    work="text",
    needs=NEEDS,
    differs='`paper` cuts at white space, so that punctuation stays with a word ("sad?" is not "sad"), '
    "and gives 0 where only fluff words are left. `standard` compares words without punctuation, "
    "with straight apostrophes; an answer of fluff words alone is missing. The fluff words are a "
    "file that you may edit.",
    score=guarded(_score, NEEDS),
)
