"""Simplicity: how hard the answer is to read."""

from __future__ import annotations

from dataclasses import asdict

from counsel_core.language.readability import Readability, measure
from counsel_core.language.recognise import is_english
from counsel_core.language.sentences import split, without_addresses
from counsel_core.metrics._base import Metric, MetricContext, Scored, ScoreInput
from counsel_core.metrics._texts import PAPER, guarded
from counsel_core.records import Preset

FEWEST_WORDS = 100


def sentences(text: str, preset: Preset) -> list[str]:
    """Return what a preset counts as sentences: lines (`paper`), or sentences without web addresses."""
    if preset == "paper":
        return [line for line in text.split("\n") if line]
    return split(without_addresses(text))


def read_level(text: str, preset: Preset) -> Readability | None:
    """Return the readability of a text; None without a word."""
    return measure(text if preset == "paper" else sentences(text, preset))


def _read(given: ScoreInput, context: MetricContext) -> Scored:
    found = read_level(given.answer, context.preset)
    if found is None:
        return Scored(None, "there is no word in it")
    return Scored(found.grade if context.preset == "paper" else found.ease, detail=asdict(found))


_read_guarded = guarded(_read)


def _score(given: ScoreInput, context: MetricContext) -> Scored:
    # Counted in the text as given, so that both presets score the same answers.
    pieces = len(given.answer.split(" "))
    foreign = context.preset == "standard" and not is_english(given.answer)
    if pieces <= FEWEST_WORDS and given.answer.strip() and not foreign:
        return Scored(None, f"it has {pieces} words; more than {FEWEST_WORDS} are needed")
    return _read_guarded(given, context)


SIMPLICITY = Metric(
    name="simplicity",
    label="Simplicity",
    description="Readability of answers of more than 100 words: Kincaid's grade (`paper`, lower is simpler) "
    "or Flesch's reading ease (`standard`, higher is simpler).",
    source=f"{PAPER}, section 4.2.4, Algorithm 4; Flesch 1948; Kincaid et al. 1975; readability 0.3.1",
    bounds=(None, None),
    scale=1 / 100,
    work="text",
    needs=frozenset(),
    differs="The paper describes reading ease and computes the grade, of text in which only a new line "
    "ends a sentence: a whole answer counts as one, and grades lie near 87. `paper` does the "
    "same. `standard` gives the reading ease of text split into sentences, web addresses left "
    "out, and keeps the grade beside it. The two run in opposite directions.",
    score=_score,
    beside={"ease": "Flesch reading ease", "grade": "Kincaid grade"},
)
