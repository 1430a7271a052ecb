"""How good the risk check is: labelled utterances, recall by level, false alarms by category, the misses."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, cast

from counsel_core.errors import DataFileError
from counsel_core.records import LANGUAGES, RISK_LEVELS, Language, Risk, RiskLevel
from counsel_core.safety.patterns import SAFETY_DATA

LABELLED = SAFETY_DATA / "labelled_utterances.csv"
BY_OTHERS = SAFETY_DATA / "labelled_by_others.csv"
"""Lines and labels of two authors who knew neither rules nor other lines: nothing was set by them."""

FIGURES = SAFETY_DATA / "figures.json"
COLUMNS = ("half", "language", "level", "category", "feature", "text")
Half = Literal["tune", "untouched"]
HALVES: tuple[Half, ...] = ("untouched", "tune")
"""`untouched` lines were used for no pattern, weight or threshold: theirs are the figures."""

TARGETS: Mapping[str, float] = {
    "imminent_raised": 1.0,
    "imminent_as_imminent": 0.95,
    "concern_raised": 0.97,
    "concern_not_imminent": 0.85,
    "none_kept": 0.92,
}
"""What the project aims at on the untouched half, as shares."""

ABOUT: Mapping[str, str] = {
    "imminent_raised": "imminent, raised at all",
    "imminent_as_imminent": "imminent, seen as imminent",
    "concern_raised": "concern, raised at all",
    "concern_not_imminent": "concern, not taken for imminent",
    "none_kept": "harmless, left alone",
}

Check = Callable[[str], Risk]


@dataclass(frozen=True, slots=True)
class LabelledUtterance:
    """A client's line with the level a careful reader gives it."""

    half: str
    language: Language
    level: RiskLevel
    category: str
    feature: str
    text: str


@dataclass(frozen=True, slots=True)
class Share:
    """`count` of `n`, and the 95 % interval of the share (Wilson); without any, the interval is missing."""

    count: int
    n: int
    low: float | None
    high: float | None

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.count / self.n if self.n else None


@dataclass(frozen=True)
class Measured:
    """What a check found: `outcomes` pairs each utterance with the level that was found."""

    name: str
    outcomes: tuple[tuple[LabelledUtterance, RiskLevel], ...]

    def shares(
        self, language: str | None = None, category: str | None = None, feature: str | None = None
    ) -> dict[str, Share]:
        """Return the five shares of TARGETS, of all utterances or of a part."""
        chosen = [
            (one.level, found)
            for one, found in self.outcomes
            if language in (None, one.language)
            and category in (None, one.category)
            and feature in (None, one.feature)
        ]
        wanted: dict[str, tuple[RiskLevel, tuple[RiskLevel, ...]]] = {
            "imminent_raised": ("imminent", ("concern", "imminent")),
            "imminent_as_imminent": ("imminent", ("imminent",)),
            "concern_raised": ("concern", ("concern", "imminent")),
            "concern_not_imminent": ("concern", ("none", "concern")),
            "none_kept": ("none", ("none",)),
        }
        return {
            key: share(
                sum(label == level and found in good for label, found in chosen),
                sum(label == level for label, _ in chosen),
            )
            for key, (level, good) in wanted.items()
        }

    @property
    def misses(self) -> tuple[tuple[LabelledUtterance, RiskLevel], ...]:
        """The dangerous utterances that were found less grave than they are, the gravest first."""
        order = RISK_LEVELS.index
        missed = [(one, found) for one, found in self.outcomes if order(found) < order(one.level)]
        return tuple(sorted(missed, key=lambda pair: (-order(pair[0].level), order(pair[1]))))

    @property
    def false_alarms(self) -> tuple[tuple[LabelledUtterance, RiskLevel], ...]:
        """The harmless utterances that were raised."""
        return tuple(pair for pair in self.outcomes if pair[0].level == "none" and pair[1] != "none")

    def categories(self) -> list[str]:
        """Return the categories in the order in which they come."""
        return list(dict.fromkeys(one.category for one, _ in self.outcomes))


def read_labelled(path: Path = LABELLED) -> tuple[LabelledUtterance, ...]:
    """Read a file of labelled utterances: CSV with the columns of COLUMNS.

    Raises
    ------
    DataFileError
        It cannot be read, a column is missing, or a line has an unknown level or language.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            missing = set(COLUMNS) - set(rows.fieldnames or ())
            if missing:
                raise DataFileError(path.name, f"it lacks the columns {sorted(missing)}; it takes {COLUMNS}")
            return tuple(_read_row(path, rows.line_num, row) for row in rows)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(path.name, f"it cannot be read: {error}") from error


def _read_row(path: Path, line: int, row: Mapping[str, str | None]) -> LabelledUtterance:
    values = {key: (row[key] or "").strip() for key in COLUMNS}
    for key, choices in (("level", RISK_LEVELS), ("language", LANGUAGES)):
        if values[key] not in choices:
            reason = f"it is {values[key]!r}; it takes {' or '.join(choices)}"
            raise DataFileError(path.name, reason, line=line, key=key)
    if not values["text"]:
        raise DataFileError(path.name, "it is empty", line=line, key="text")
    return LabelledUtterance(**cast("Any", values))


def measure(
    utterances: Iterable[LabelledUtterance], check: Check, name: str, half: str | None = None
) -> Measured:
    """Run a check over labelled utterances, of one half or of all.

    Raises
    ------
    DataFileError
        There is none of that half.
    """
    chosen = [one for one in utterances if half in (None, one.half)]
    if not chosen:
        raise DataFileError("labelled utterances", f"there is none of the half {half!r}")
    return Measured(name, tuple((one, check(one.text).level) for one in chosen))


def share(count: int, n: int) -> Share:
    """Return a share with its 95 % Wilson interval.

    >>> share(9, 10)
    Share(count=9, n=10, low=0.595..., high=0.982...)
    """
    if not n:
        return Share(0, 0, None, None)
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(count, n, method="wilson")
    # At the borders the interval's edge is the share itself, but for the last bit.
    edges = min(float(low), count / n), max(float(high), count / n)
    return Share(count, n, *(round(edge, 6) for edge in edges))


def write_figures(measured: Mapping[str, Sequence[Measured]], path: Path = FIGURES) -> None:
    """Write the totals of each half and check, for the page: no utterance is in them."""
    told = {half: [totals_of(one) for one in checks] for half, checks in measured.items()}
    path.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def totals_of(measured: Measured) -> dict[str, Any]:
    """Return a measurement as JSON: the five shares, by language too, and what is kept of each category."""
    parts: dict[str, dict[str, Share]] = {"all": measured.shares()}
    parts |= {code: measured.shares(language=code) for code in LANGUAGES}
    alarms = {name: measured.shares(category=name)["none_kept"] for name in measured.categories()}
    return {
        "check": measured.name,
        "shares": {part: {key: asdict(one) for key, one in shares.items()} for part, shares in parts.items()},
        "kept_by_category": {name: asdict(one) for name, one in alarms.items() if one.n},
    }


def load_figures(path: Path = FIGURES) -> dict[str, list[dict[str, Any]]]:
    """Return the totals that ship, by half; DataFileError where the file is missing or damaged."""
    try:
        found: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataFileError(path.name, f"it cannot be read: {error}; restore it") from error
    return found
