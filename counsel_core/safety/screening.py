"""The rules of the risk check and what second opinions add: they can raise a level, never lower it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from counsel_core.errors import CounselError
from counsel_core.records import RISK_LEVELS, Risk, RiskLevel
from counsel_core.safety.likeness import weigh_likeness
from counsel_core.safety.risk import check_risk

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a second opinion says of an utterance: its level, the words it goes by, and who says so."""

    level: RiskLevel
    evidence: str
    who: str


SecondOpinion = Callable[[str, Sequence[str]], Opinion]
"""Called with an utterance and the client's earlier ones, oldest first."""


def by_likeness(text: str, previous: Sequence[str]) -> Opinion:
    """Return the opinion by likeness to labelled utterances; see `likeness`. It reads this line alone."""
    del previous
    found = weigh_likeness(text)
    sure = f"danger {found.danger:.2f}, imminent {found.imminent:.2f}"
    return Opinion(found.level, found.piece, f"likeness to labelled lines ({sure})")


STANDARD: tuple[SecondOpinion, ...] = (by_likeness,)
"""The second opinions that every line gets: local, deterministic, in a few milliseconds."""


def screen(
    text: str, *, previous: Sequence[str] = (), opinions: Sequence[SecondOpinion] | None = None
) -> Risk:
    """Return the risk of a client's utterance by the rules, raised by whichever opinion is graver.

    `opinions` are the STANDARD ones unless others are given. One that fails changes nothing: the rules
    stand. What is imminent already is asked of nobody.

    Examples
    --------
    >>> screen("The rent went up again.").level
    'none'
    >>> screen("I want to die.", opinions=()) == check_risk("I want to die.")
    True
    """
    risk = check_risk(text, previous=previous)
    for ask in STANDARD if opinions is None else opinions:
        if risk.level == "imminent":
            break
        try:
            opinion = ask(text, previous)
        except CounselError as error:
            _log.error("A second opinion failed, and the rules stand alone: %s", error)
            continue
        risk = raise_by(risk, opinion)
    return risk


def raise_by(risk: Risk, opinion: Opinion) -> Risk:
    """Return a risk as it is or, if an opinion is graver, at the opinion's level with its evidence."""
    if RISK_LEVELS.index(opinion.level) <= RISK_LEVELS.index(risk.level):
        return risk
    evidence = tuple(dict.fromkeys((*risk.evidence, opinion.evidence))) if opinion.evidence else risk.evidence
    return Risk(opinion.level, evidence, (*risk.opinions, f"{opinion.level} by {opinion.who}"))
