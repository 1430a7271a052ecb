"""The long table of scores: one row for each answer and metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counsel_core.records import Score

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("item", "topic", "source", "metric", "value", "reason", "position")


def scores_frame(scores: Sequence[Score]) -> pd.DataFrame:
    """Return scores as a frame, in their order; a missing value is NaN and has its reason.

    `item`, `topic`, `source`, `metric` and `reason` hold text (`topic` None where there is none),
    `value` floats, `position` whole numbers that tell apart several answers of one source.
    """
    import pandas as pd

    rows = {name: [getattr(score, name) for score in scores] for name in COLUMNS}
    frame = pd.DataFrame({name: pd.Series(rows[name], dtype="object") for name in COLUMNS})
    return frame.astype({"value": "float64", "position": "int64"})
