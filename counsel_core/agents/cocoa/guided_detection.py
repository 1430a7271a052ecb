"""The guided rules for distortions: cues and nearness to prototype sentences. English only."""

from __future__ import annotations

import re

import numpy as np

from counsel_core.agents.cocoa.canonical import canonical, without_others_thoughts, without_reports
from counsel_core.agents.cocoa.guided_reading import listen
from counsel_core.agents.cocoa.knowledge import DistortionType, distortion_types
from counsel_core.agents.cocoa.prototypes import prototypes
from counsel_core.language.embeddings import Vectors, minilm

FOUND = 0.5
"""From this score on a type counts as found."""
CUE, FURTHER_CUE, MOST_FURTHER_CUES = 0.6, 0.03, 2
NEAR_ENOUGH, NEARNESS = 0.35, 0.34
NEAREST = 2
"""A type is as near as the mean of its nearest prototypes: one alone may share but a topic."""
NEAR, MARGIN = 0.55, 0.15
"""Without a cue a type has to be this near, and by this much nearer than undistorted sentences."""

# These turn on how a sentence is built (a feeling, therefore a fact), which nearness does not see.
_BY_CUES_ALONE = (
    "All-or-Nothing Thinking",
    "Emotional Reasoning",
    "Personalizing",
    "Disqualifying the Positive",
    "Blaming",
)

_SENTENCE_END = re.compile(r"(?<=[.!?;…])\s+|\n+")
# A report of what others say or think clears a line of the other types, but is what these are about.
_ABOUT_OTHERS = ("Mind Reading", "Disqualifying the Positive")


def rank_distortions(text: str) -> list[tuple[str, float]]:
    """Return every type with a score from 0 to 1, the likeliest first; from `FOUND` on it is found.

    A cue gives 0.6, a further one 0.03 more (at most twice); nearness to the prototypes gives up to
    0.34; in a line without any cue the nearest type gets 0.35 if it is plainly nearer than undistorted
    sentences, unless it is one that cues alone can show. A veto of the type
    leaves only its nearness. The weights were set on the tuning half of the labelled sentences in the
    tests.
    """
    line = canonical(text)
    heard = {True: without_others_thoughts(line), False: without_reports(line)}
    measured = {about_others: _measure(said) for about_others, said in heard.items()}
    types = distortion_types()
    nearness = {name: measured[name in _ABOUT_OTHERS][0][name] for name in types}
    nearest = max(nearness, key=lambda name: nearness[name])
    plain = measured[nearest in _ABOUT_OTHERS][1]
    counts = {name: _count_cues(kind, heard[name in _ABOUT_OTHERS]) for name, kind in types.items()}
    scores: dict[str, float] = {}
    for name, count in counts.items():
        score = NEARNESS * min(1.0, max(0.0, (nearness[name] - 0.2) / 0.5))
        if count:
            score += CUE + FURTHER_CUE * min(count - 1, MOST_FURTHER_CUES)
        elif name == nearest and name not in _BY_CUES_ALONE and count == 0 and not any(counts.values()):
            plainly = nearness[name] >= NEAR and nearness[name] - plain >= MARGIN
            score += NEAR_ENOUGH if plainly else 0.0
        scores[name] = round(score, 4)
    return sorted(scores.items(), key=lambda pair: -pair[1])


def detect(text: str) -> tuple[str | None, int | None, list[tuple[str, float]]]:
    """Return the likeliest type and its severity from 1 to 5 (None, None: none is found), and the ranking.

    A feeling named is taken as the type only where no thought is found.
    """
    ranking = rank_distortions(text)
    found = [name for name, score in ranking if score >= FOUND]
    eligible = [name for name in found if distortion_types()[name].eligible]
    if not found:
        return None, None, ranking
    return (eligible or found)[0], rate_severity(text), ranking


def rate_severity(text: str) -> int:
    """Return a severity from 1 to 5 by plain cues.

    It is 2, and one more for each of: an absolute word, a strong word or exclamation mark, an attack on
    oneself; one less for a softening word.

    >>> rate_severity("I'm such a worthless idiot, I always ruin everything!")
    5
    >>> rate_severity("Maybe she was a bit annoyed with me.")
    1
    """
    line = canonical(text)
    absolute, strong, against_self, softened = (
        bool(listen("severity", name).search(line))
        for name in ("absolute", "strong", "against_self", "softened")
    )
    return min(5, max(1, 2 + absolute + (strong or "!" in line) + against_self - softened))


def _count_cues(kind: DistortionType, heard: str) -> int | None:
    """Return how many cues of a type a line has; None if the type is vetoed."""
    if any(cue.search(heard) for cue in kind.not_cues):
        return None
    return sum(bool(cue.search(heard)) for cue in kind.cues)


def _measure(heard: str) -> tuple[dict[str, float], float]:
    """Return how near a line, or its nearest sentence, is to each type and to undistorted sentences."""
    pieces = [piece for piece in _SENTENCE_END.split(heard) if piece.strip()]
    rows = minilm().embed([heard] if len(pieces) < 2 else [heard, *pieces])
    by_type, plain = prototypes()
    nearness = {name: float(_near(rows, prototypes).max()) for name, prototypes in by_type.items()}
    return nearness, float(_near(rows, plain).max())


def _near(rows: Vectors, prototypes: Vectors) -> Vectors:
    similarity = np.sort(rows @ prototypes.T, axis=1)
    return np.asarray(similarity[:, -NEAREST:].mean(axis=1), dtype=np.float32)
