"""How well distortions are detected: labelled sentences, figures by type, those of the shipped rules."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from counsel_core.agents.cocoa.knowledge import distortion_types
from counsel_core.errors import DataFileError, UnknownNameError
from counsel_core.settings import DATA

Split = Literal["tuning", "untouched"]
SENTENCES = DATA / "distortions" / "labelled.tsv"
FIGURES = DATA / "distortions" / "figures.json"
NONE = "none"


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence with the types it may be read as, the likeliest first; none where it is not distorted."""

    sentence: str
    types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TypeFigures:
    """One type's figures. Shares are missing where nothing can be counted; each has its 95 % interval.

    `n` sentences have the type first, and of them `right` got a type that fits (recall); `found` sentences
    got the type, and of them `fitting` may be read as it (precision).
    """

    name: str
    n: int
    right: int
    found: int
    fitting: int
    recall: float | None
    recall_interval: tuple[float, float] | None
    precision: float | None
    precision_interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class DetectionFigures:
    """The figures of a detection over one split: by type, and over all.

    `recall` is the share of distorted sentences that got a type that fits; `false_alarms` the share of the
    undistorted that got one. `failed` sentences had no answer, and count as wrong.
    """

    split: str
    model: str
    distorted: int
    undistorted: int
    recall: float
    recall_interval: tuple[float, float]
    macro_recall: float
    false_alarms: float
    false_alarms_interval: tuple[float, float]
    failed: int
    types: tuple[TypeFigures, ...]
    confused: tuple[tuple[str, str, int], ...]


def load_labelled(split: str) -> tuple[Labelled, ...]:
    """Return the labelled sentences of a split; `untouched` ones were used for no cue, weight or prototype.

    Raises
    ------
    UnknownNameError
        There is no such split.
    """
    if split not in get_args(Split):
        raise UnknownNameError("split", split, get_args(Split))
    with SENTENCES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(
        Labelled(row["sentence"], () if row["types"] == NONE else tuple(row["types"].split("|")))
        for row in rows
        if row["split"] == split
    )


def evaluate_detection(
    rows: Sequence[Labelled], detect: Callable[[str], str | None], *, split: str, model: str
) -> DetectionFigures:
    """Return the figures of a detection.

    Parameters
    ----------
    detect
        Returns the type of a sentence, '' for none, None where no answer could be had.
    """
    answers = [detect(row.sentence) for row in rows]
    pairs = list(zip(rows, answers, strict=True))
    types = tuple(_figures_of(name, pairs) for name in distortion_types())
    distorted = [(row, given) for row, given in pairs if row.types]
    plain = [given for row, given in pairs if not row.types]
    right = sum(given in row.types for row, given in distorted)
    alarms = sum(bool(given) for given in plain)
    confused = Counter(
        (row.types[0] if row.types else NONE, given or NONE)
        for row, given in pairs
        if given is not None and (given not in row.types if row.types else given)
    )
    known = [one.recall for one in types if one.recall is not None]
    return DetectionFigures(
        split=split,
        model=model,
        distorted=len(distorted),
        undistorted=len(plain),
        recall=right / len(distorted),
        recall_interval=wilson(right, len(distorted)),
        macro_recall=sum(known) / len(known),
        false_alarms=alarms / len(plain),
        false_alarms_interval=wilson(alarms, len(plain)),
        failed=sum(given is None for given in answers),
        types=types,
        confused=tuple((*pair, n) for pair, n in confused.most_common(10)),
    )


def _figures_of(name: str, pairs: Sequence[tuple[Labelled, str | None]]) -> TypeFigures:
    own = [(row, given) for row, given in pairs if row.types[:1] == (name,)]
    found = [row for row, given in pairs if given == name]
    right = sum(given in row.types for row, given in own)
    fitting = sum(name in row.types for row in found)
    return TypeFigures(
        name=name,
        n=len(own),
        right=right,
        found=len(found),
        fitting=fitting,
        recall=right / len(own) if own else None,
        recall_interval=wilson(right, len(own)) if own else None,
        precision=fitting / len(found) if found else None,
        precision_interval=wilson(fitting, len(found)) if found else None,
    )


def wilson(count: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share (Wilson 1927), as statsmodels gives it.

    Examples
    --------
    >>> [round(edge, 3) for edge in wilson(5, 7)]
    [0.359, 0.918]
    """
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(count, of, method="wilson")
    return float(low), float(high)


def load_figures(file: Path = FIGURES) -> tuple[DetectionFigures, ...]:
    """Return the figures of the rules as shipped, of either split, without measuring them anew.

    Raises
    ------
    DataFileError
        The file is missing or damaged.
    """
    try:
        values = json.loads(file.read_bytes())
        return tuple(
            DetectionFigures(
                **_tuples({**value, "types": [TypeFigures(**_tuples(one)) for one in value["types"]]})
            )
            for value in values
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataFileError(str(file), f"it is missing or damaged ({error}); restore the file") from error


def _tuples(value: dict[str, Any]) -> dict[str, Any]:
    return {
        key: tuple(tuple(one) if isinstance(one, list) else one for one in given)
        if isinstance(given, list)
        else given
        for key, given in value.items()
    }


def figures_as_json(figures: DetectionFigures) -> dict[str, object]:
    """Return figures as JSON has them: lists for tuples."""
    value: dict[str, object] = json.loads(json.dumps(asdict(figures)))
    return value
