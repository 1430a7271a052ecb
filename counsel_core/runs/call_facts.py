"""What a run keeps of the calls it made, and what they come to."""

from __future__ import annotations

from collections.abc import Iterable

from counsel_core.llm.pricing import cost, currency
from counsel_core.records import Json, ModelCall, ModelSpec


def call_facts(call: ModelCall) -> Json:
    """Return what is kept of a call beside its words."""
    return {
        "task": call.task,
        "model": call.model,
        "seconds": round(call.seconds, 3),
        "prompt_tokens": call.prompt_tokens,
        "completion_tokens": call.completion_tokens,
        "tokens_estimated": call.tokens_estimated,
        "cached": call.cached,
        "error": call.error,
    }


def totals(calls: Iterable[Json], spec: ModelSpec | None) -> Json:
    """Return what kept calls come to. Those from the cache are counted apart: they cost nothing again.

    `cost` is None where no price is known, or a part of the calls did not say their tokens; `spec` is the
    model as its entry names it now, None if there is none any more.

    Examples
    --------
    >>> spec = ModelSpec("m", "x", "M", "remote", options={"price_input": 1, "price_output": 2})
    >>> asked = {"seconds": 0.5, "prompt_tokens": 1000, "completion_tokens": 10, "cached": False}
    >>> totals([asked, {**asked, "seconds": 0.0, "cached": True}], spec)["cost"]
    0.00102
    """
    every = list(calls)
    asked = [call for call in every if not call.get("cached")]
    read = sum(call["prompt_tokens"] or 0 for call in asked)
    written = sum(call["completion_tokens"] or 0 for call in asked)
    return {
        "calls": len(asked),
        "cached": len(every) - len(asked),
        "seconds": round(sum(call["seconds"] for call in asked), 1),
        "prompt_tokens": read,
        "completion_tokens": written,
        "tokens_estimated": any(call.get("tokens_estimated") for call in asked),
        "cost": None if spec is None else cost(spec, read, written),
        "currency": "" if spec is None else currency(spec),
    }
