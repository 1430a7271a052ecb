"""The guided rules for distortions: cues, hints, and nearness to prototype sentences. English only."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from counsel_core.agents.cocoa.canonical import canonical, without_others_thoughts, without_reports
from counsel_core.agents.cocoa.guided_reading import listen
from counsel_core.agents.cocoa.knowledge import DistortionType, distortion_types
from counsel_core.agents.cocoa.prototypes import prototypes
from counsel_core.language.embeddings import Vectors, minilm

FOUND = 0.5
"""From this score on a type counts as found."""
CUE, FURTHER_CUE, MOST_FURTHER_CUES, BESIDE_OTHERS = 0.6, 0.03, 2, 0.08
NEAR_ENOUGH, NEARNESS = 0.37, 0.34
NEAREST = 2
"""A type is as near as the mean of its nearest prototypes: one alone may share but a topic."""
NEAR_WITH_HINT, MARGIN_WITH_HINT = 0.42, 0.04
"""With a hint a type has to be this near, and by so much nearer than undistorted sentences."""
NEAR, MARGIN = 0.55, 0.15
"""Without one it has to be this near, and by this much nearer than they."""

# These turn on how a sentence is built (a feeling, therefore a fact), which nearness alone does not see.
_BUILT = (
    "All-or-Nothing Thinking",
    "Emotional Reasoning",
    "Personalizing",
    "Disqualifying the Positive",
    "Blaming",
)
# A report of what others say or think clears a line of the other types, but is what these are about.
_ABOUT_OTHERS = ("Mind Reading", "Disqualifying the Positive")
_SENTENCE_END = re.compile(r"(?<=[.!?;…])\s+|\n+")
_CLAUSE_END = re.compile(
    r"[.!?;…,]+\s+(?:and |so )?|\s+and (?=(?:i|i'\w+|he|she|they|it|no ?one|everyone)\b)"
)


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What speaks for a type: cosines with its prototypes and with undistorted sentences, cues, a hint."""

    near: float
    plain: float
    cues: int
    hint: bool
    vetoed: bool


def rank_distortions(text: str) -> list[tuple[str, float]]:
    """Return every type with a score from 0 to 1, the likeliest first; from `FOUND` on it is found.

    A cue gives 0.6, a further one 0.03 more (at most twice); nearness to the prototypes gives up to
    0.34. In a line without any cue a type gets 0.37 if a hint stands in it and it is near, or if it is
    the nearest of all and very near (not for types that turn on how a sentence is built). A vetoed type
    has its nearness alone. The weights were set on the tuning half of the labelled sentences in the
    tests.
    """
    found = _gather(canonical(text))
    nearest = max(found, key=lambda name: found[name].near)
    cued = [name for name, evidence in found.items() if evidence.cues and not evidence.vetoed]
    scores = {}
    for name, evidence in found.items():
        score = NEARNESS * min(1.0, max(0.0, (evidence.near - 0.2) / 0.5))
        if name in cued:
            score += CUE + FURTHER_CUE * min(evidence.cues - 1, MOST_FURTHER_CUES)
            # Beside another type a harsh name is mostly what that thought leads to.
            score -= BESIDE_OTHERS if name == "Labeling" and len(cued) > 1 else 0
        elif not cued and not evidence.vetoed and _is_near(name, evidence, nearest):
            score += NEAR_ENOUGH
        scores[name] = round(score, 4)
    _put_feelings_last(scores)
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


def _is_near(name: str, evidence: _Evidence, nearest: str) -> bool:
    apart = evidence.near - evidence.plain
    if evidence.hint and evidence.near >= NEAR_WITH_HINT and apart >= MARGIN_WITH_HINT:
        return True
    return name == nearest and name not in _BUILT and evidence.near >= NEAR and apart >= MARGIN


def _put_feelings_last(scores: dict[str, float]) -> None:
    """Rank a feeling that was found behind every thought that was."""
    types = distortion_types()
    thoughts = [score for name, score in scores.items() if score >= FOUND and types[name].eligible]
    for name, score in scores.items():
        if thoughts and score >= FOUND and not types[name].eligible:
            scores[name] = max(FOUND, min(score, round(min(thoughts) - FURTHER_CUE, 4)))


def _gather(line: str) -> dict[str, _Evidence]:
    heard = {True: without_others_thoughts(line), False: without_reports(line)}
    measured = {about_others: _measure(said) for about_others, said in heard.items()}
    found = {}
    for name, kind in distortion_types().items():
        about_others = name in _ABOUT_OTHERS
        near, plain = measured[about_others]
        found[name] = _weigh(kind, heard[about_others], near[name], plain)
    return found


def _weigh(kind: DistortionType, heard: str, near: float, plain: float) -> _Evidence:
    """Count what speaks for a type; what speaks against it in one clause does not clear the others."""
    vetoed = any(cue.search(heard) for cue in kind.not_cues)
    clauses = _CLAUSE_END.split(heard) if vetoed else [heard]
    clear = [clause for clause in clauses if not any(cue.search(clause) for cue in kind.not_cues)]
    cues = [cue for cue in kind.cues if any(cue.search(clause) for clause in clear)]
    return _Evidence(near, plain, len(cues), bool(kind.hints.search(heard)), vetoed and not cues)


def _measure(heard: str) -> tuple[dict[str, float], float]:
    """Return how near a line, or its nearest sentence, is to each type and to undistorted sentences."""
    pieces = [piece for piece in _SENTENCE_END.split(heard) if piece.strip()]
    rows = minilm().embed([heard] if len(pieces) < 2 else [heard, *pieces])
    by_type, plain = prototypes()
    nearness = {name: float(_near(rows, vectors).max()) for name, vectors in by_type.items()}
    return nearness, float(_near(rows, plain).max())


def _near(rows: Vectors, vectors: Vectors) -> Vectors:
    similarity = np.sort(rows @ vectors.T, axis=1)
    return np.asarray(similarity[:, -NEAREST:].mean(axis=1), dtype=np.float32)
