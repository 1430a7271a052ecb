"""The texts a metric reads in each preset, and why one cannot be scored."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Set
from functools import lru_cache

from counsel_core.datasets.text import clean
from counsel_core.language.recognise import is_english
from counsel_core.metrics._base import MetricContext, Scored, ScoreInput
from counsel_core.records import Preset

PAPER = "A Novel Nuanced Conversation Evaluation Framework for Large Language Models in Mental Health"

_HALVES = re.compile("[\ud800-\udfff]")
_mended = lru_cache(maxsize=8192)(clean)


def read(text: str | None, preset: Preset) -> str:
    """Return a text as the preset reads it: as given, or mended.

    Half of a surrogate pair is no character, and no encoder takes it: it becomes U+FFFD.
    """
    if text is None:
        return ""
    text = text if text.isascii() else _HALVES.sub("\ufffd", text)
    return text if preset == "paper" else _mended(text)


def guarded(
    score: Callable[[ScoreInput, MetricContext], Scored], needs: Set[str] = frozenset()
) -> Callable[[ScoreInput, MetricContext], Scored]:
    """Return a metric's function over the texts of the preset, with what no metric can score taken out.

    That is a text that is not there and, in preset `standard`, one that is not English.
    """

    def guarded_score(given: ScoreInput, context: MetricContext) -> Scored:
        texts = ScoreInput(
            read(given.answer, context.preset),
            read(given.question, context.preset) if given.question is not None else None,
            read(given.reference, context.preset) if given.reference is not None else None,
        )
        needed = [("answer", texts.answer)]
        needed += [(name, getattr(texts, name) or "") for name in ("question", "reference") if name in needs]
        for name, text in needed:
            if not text.strip():
                return Scored(None, f"there is no {_NAMES[name]}")
        for name, text in needed:
            if context.preset == "standard" and not is_english(text):
                return Scored(None, f"the {_NAMES[name]} is not in English")
        return score(texts, context)

    return guarded_score


_NAMES = {"answer": "answer text", "question": "question text", "reference": "reference answer"}


def sigmoid(x: float) -> float:
    """Return 1/(1+exp(−x)), for any size of x.

    Examples
    --------
    >>> sigmoid(0.0), sigmoid(-1e9), sigmoid(1e9)
    (0.5, 0.0, 1.0)
    """
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    small = math.exp(x)
    return small / (1 + small)
