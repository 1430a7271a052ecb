"""Polarity of a text, by TextBlob."""

from __future__ import annotations

from functools import lru_cache

CACHED_TEXTS = 8192


@lru_cache(maxsize=CACHED_TEXTS)
def polarity(text: str) -> float:
    """Return TextBlob's polarity of a text, from -1 (negative) to 1 (positive); 0 where no word is known.

    The value of ``TextBlob(text).sentiment.polarity``: the mean over the words of the lexicon of
    pattern.en, with negations and intensifiers. A question is scored with every source's answer, so
    the polarity of a text is kept.

    Examples
    --------
    >>> polarity("That was a good idea.")
    0.7
    >>> polarity("That was not a good idea.")
    -0.35
    """
    from textblob.en import sentiment

    return float(sentiment(text)[0])
