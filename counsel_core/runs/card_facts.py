"""What is known of the models themselves, for their cards: context length, price, measured seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import pandas as pd

from counsel_core.errors import DataFileError
from counsel_core.llm.model_file import read_models
from counsel_core.records import ModelSpec
from counsel_core.runs.answering import Reply
from counsel_core.settings import Settings

_SECONDS = "seconds an answer of "


def measured_seconds(replies: Sequence[Reply]) -> dict[str, str]:
    """Return for each source how long its answers took, as a data set's `about` keeps it.

    An answer from the cache took no time, and says nothing of the model: it is not counted.

    Examples
    --------
    >>> calls = [{"seconds": 1.0}], [{"seconds": 2.0}, {"seconds": 3.0}]
    >>> measured_seconds([Reply(str(n), "gpt", "Hello.", calls=tuple(call)) for n, call in enumerate(calls)])
    {'seconds an answer of gpt': '3.0 (median of 2, all tries counted)'}
    """
    taken: dict[str, list[float]] = {}
    for reply in replies:
        if reply.text and reply.calls and not any(call.get("cached") for call in reply.calls):
            taken.setdefault(reply.source, []).append(sum(call["seconds"] for call in reply.calls))
    return {
        f"{_SECONDS}{source}": f"{median(seconds):.1f} (median of {len(seconds)}, all tries counted)"
        for source, seconds in taken.items()
    }


def is_measured(name: str) -> bool:
    """Tell whether a key of a data set's `about` is of `measured_seconds`."""
    return name.startswith(_SECONDS)


def with_facts(cards: pd.DataFrame, about: Mapping[str, str], settings: Settings) -> pd.DataFrame:
    """Return the cards with what the models' file and the data set know of each source; '' where nothing is.

    A source is looked up in the models' file by its name, or by what follows the @ of an agent's.
    """
    try:
        models = {spec.name: spec for spec in read_models(settings.models_file).models}
    except DataFileError:
        models = {}
    found = [models.get(source.rpartition("@")[2]) for source in cards["source"]]
    return cards.assign(
        context_length=[f"{one.context_length:,}" if one and one.context_length else "" for one in found],
        price=[_price(one) if one else "" for one in found],
        seconds_an_answer=[about.get(f"{_SECONDS}{source}", "") for source in cards["source"]],
    )


def _price(spec: ModelSpec) -> str:
    given = [spec.options.get("price_input"), spec.options.get("price_output")]
    if given == [None, None]:
        return ""
    said = " / ".join("?" if one is None else f"{one:g}" for one in given)
    return f"{said} {spec.options.get('price_currency', '')}".strip()
