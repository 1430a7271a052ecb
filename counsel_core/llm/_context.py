"""The room in a model's context: what surely does not fit is not sent, and an answer gets what is left."""

from __future__ import annotations

from dataclasses import replace

from counsel_core.errors import ContextOverflowError
from counsel_core.records import ModelRequest, ModelSpec

SURELY = 1.3
"""The estimate may be off by that factor; a prompt that is longer still does not fit for certain."""

LEAST_ANSWER = 64
"""Tokens; where fewer are left the server decides, for the estimate is not that exact."""

_A_MESSAGE = 4
"""Tokens that the marks around a message take, roughly."""


def estimate_tokens(text: str) -> int:
    """Return a rough number of tokens: four Latin characters make one, and so does one Chinese character.

    Examples
    --------
    >>> estimate_tokens("a word or two"), estimate_tokens("慢慢来")
    (4, 3)
    """
    latin = sum(character < "\u2e80" for character in text)
    return (latin + 3) // 4 + len(text) - latin


def estimate_prompt(request: ModelRequest) -> int:
    """Return a rough number of a prompt's tokens."""
    return estimate_tokens("".join(message.content for message in request.messages))


def fit_context(request: ModelRequest, spec: ModelSpec) -> ModelRequest:
    """Return a request whose answer may be no longer than the context leaves room for.

    Raises
    ------
    ContextOverflowError
        The prompt is surely longer than the context; nothing is sent.
    """
    if spec.context_length is None:
        return request
    prompt = estimate_prompt(request) + _A_MESSAGE * len(request.messages)
    if prompt > SURELY * spec.context_length:
        raise ContextOverflowError(
            f"The prompt has about {prompt:,} tokens, and {spec.label} reads {spec.context_length:,} "
            "(context_length in its entry): nothing was sent. Choose a model with a longer context, or "
            "start a new session."
        )
    left = spec.context_length - prompt
    return replace(request, max_tokens=left) if LEAST_ANSWER <= left < request.max_tokens else request
