"""The metrics of conversation, one a file; `metrics()` finds them."""

from __future__ import annotations

import sys
from functools import cache

from counsel_core.errors import UnknownNameError
from counsel_core.metrics._base import Metric
from counsel_core.registry import discover


@cache
def metrics() -> dict[str, Metric]:
    """Return every metric by its name."""
    return discover(sys.modules[__name__], Metric)


def find_metric(name: str) -> Metric:
    """Return one metric; UnknownNameError lists the names there are."""
    if name not in metrics():
        raise UnknownNameError("metric", name, metrics())
    return metrics()[name]
