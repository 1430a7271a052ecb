"""What calls of a model cost, where its entry names prices."""

from __future__ import annotations

from counsel_core.records import ModelSpec

NO_PRICE = "no price is known"


def cost(spec: ModelSpec, prompt_tokens: int, completion_tokens: int) -> float | None:
    """Return what so many tokens cost, in the currency of the entry; None where a price is not known.

    Rules, and files that run in this process, cost nothing. A server on this machine may pass words on to
    one that charges for them: without a price nothing is said of it.

    Examples
    --------
    >>> prices = {"price_input": 0.5, "price_output": 2}
    >>> priced = ModelSpec("m", "openai_compatible", "M", "remote", options=prices)
    >>> cost(priced, 2_000_000, 500_000), cost(ModelSpec("n", "openai_compatible", "N", "loopback"), 1, 1)
    (2.0, None)
    """
    if spec.location in ("rules", "process"):
        return 0.0
    reading: float | None = spec.options.get("price_input")
    writing: float | None = spec.options.get("price_output")
    if reading is None or writing is None:
        return None
    return (reading * prompt_tokens + writing * completion_tokens) / 1e6


def currency(spec: ModelSpec) -> str:
    """Return the currency of a model's prices; '' where its entry does not say."""
    return str(spec.options.get("price_currency", ""))


def cost_text(amount: float | None, spec: ModelSpec) -> str:
    """Return an amount in words.

    Examples
    --------
    >>> spec = ModelSpec("m", "openai_compatible", "M", "remote", options={"price_currency": "USD"})
    >>> cost_text(1.5, spec), cost_text(0.0004, spec), cost_text(None, spec)
    ('1.50 USD', '0.0004 USD', 'no price is known')
    """
    if amount is None:
        return NO_PRICE
    digits = f"{amount:,.2f}" if amount >= 0.01 or not amount else f"{amount:.1g}"
    return f"{digits} {currency(spec)}".strip()
