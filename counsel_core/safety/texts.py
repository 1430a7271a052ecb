"""The fixed safety texts, from `data/safety/texts_*.toml`; no model has a part in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from counsel_core.records import LANGUAGES, Json, Language
from counsel_core.safety.patterns import SAFETY_DATA, read_toml
from counsel_core.safety.resources import UNKNOWN_REGION, load_resources

Subject = Literal["general", "self", "others", "danger", "another"]
"""Whom a text is about: anyone, the client, people the client may hurt, a client in danger, someone else."""

_SUBJECTS: Mapping[str, Subject] = {
    "suicide": "self",
    "self-harm": "self",
    "harm to others": "others",
    "abuse or danger": "danger",
    "fear for another": "another",
}


def subject_of(category: str | None) -> Subject:
    """Return the subject of a category of the risk check; what has none of its own is "general".

    >>> subject_of("self-harm")
    'self'
    """
    return _SUBJECTS.get(category or "", "general")


def concern_question(language: Language, *, subject: Subject = "general", seen: int = 0) -> str:
    """Return the direct, caring question that stands before the next reply when a concern rises.

    Asking plainly does not put the idea into anyone's head, and it opens the door to an answer
    (Dazzi et al. 2014, Psychological Medicine 44). `seen` varies the wording.
    """
    return _pick(_texts(language)["concern"][subject], seen)


def imminent_reply(
    language: Language,
    region: str = UNKNOWN_REGION,
    seen: int = 0,
    *,
    subject: Subject = "general",
    resources_file: Path | None = None,
) -> str:
    """Return the fixed reply to an imminent risk.

    It acknowledges, asks directly, gives the region's contacts, encourages contact with a person and
    distance from means, says what a program cannot do, and stays available. Every wording holds all
    of it; the wording changes with `seen`, the number of safety replies given before.

    Raises
    ------
    UnknownNameError
        There is no such region.
    """
    texts, fixed = _texts(language), _texts(language)["imminent"]
    contacts = load_resources(region, language, resources_file)
    colon = ": " if language == "en" else "："
    listed = [_pick(fixed["resources"], seen), *(f"- {one.name}{colon}{one.reach}" for one in contacts)]
    if not all(one.verified for one in contacts):
        listed.append(texts["unverified"].strip())
    between = " " if language == "en" else ""
    return "\n\n".join(
        (
            _pick(fixed["acknowledge"], seen) + between + _pick(fixed["ask"][subject], seen),
            "\n".join(listed),
            _pick(fixed["steps"][subject], seen),
            _pick(texts["program"], seen) + between + _pick(fixed["stay"], seen),
        )
    )


def blocked_reply(language: Language) -> str:
    """Return what stands in place of an agent's reply that the reply check held back."""
    return str(_texts(language)["blocked"]).strip()


def _pick(wordings: Sequence[str], seen: int) -> str:
    return wordings[seen % len(wordings)]


@cache
def _texts(language: Language) -> Json:
    return read_toml(SAFETY_DATA / f"texts_{language}.toml")


NOTICE: Mapping[Language, str] = {language: _texts(language)["notice"].strip() for language in LANGUAGES}
"""The standing notice: a research tool, not a medical device, not for people in crisis."""
