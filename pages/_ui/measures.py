"""How times and counts are written under a reply."""

from __future__ import annotations

from datetime import datetime

from counsel_core.records import ModelCall, Turn


def seconds_text(seconds: float | None) -> str:
    """Write a duration.

    Examples
    --------
    >>> seconds_text(0.004), seconds_text(1.26), seconds_text(75.0), seconds_text(None)
    ('< 0.01 s', '1.26 s', '75 s', '— s')
    """
    if seconds is None:
        return "— s"
    if seconds < 0.01:
        return "< 0.01 s"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.2f} s"


def tokens_text(made: Turn | ModelCall) -> str:
    """Write how many tokens went in and came out; a dash where the model does not say."""
    if made.prompt_tokens is None or made.completion_tokens is None:
        return "— tokens"
    about = "≈ " if made.tokens_estimated else ""
    return f"{about}{made.prompt_tokens:,} + {made.completion_tokens:,} tokens"


def date_text(moment: datetime) -> str:
    """Write a moment in the reader's own time zone, to the minute."""
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")


def count_text(count: int, noun: str) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> count_text(1, "turn"), count_text(0, "turn")
    ('1 turn', '0 turns')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
