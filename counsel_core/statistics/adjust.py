"""Correction of several tests at once."""

from __future__ import annotations

import math
from collections.abc import Sequence


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """Adjust p values by Holm's step-down method (1979); None and NaN are no tests and stay None.

    Held against ``statsmodels.stats.multitest.multipletests``, which computes it.

    Examples
    --------
    >>> [round(p, 3) if p is not None else p for p in holm([0.01, None, 0.04, 0.03])]
    [0.03, None, 0.06, 0.06]
    """
    from statsmodels.stats.multitest import multipletests

    tested = [p for p in ps if p is not None and not math.isnan(p)]
    if not tested:
        return [None] * len(ps)
    adjusted = iter(multipletests(tested, method="holm")[1].tolist())
    return [None if p is None or math.isnan(p) else next(adjusted) for p in ps]
