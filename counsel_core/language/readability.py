"""Reading ease and grade of an English text, with the counts and constants of readability 0.3.1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Readability:
    """The counts of a text and the two measures made of them.

    Flesch 1948: ease = 206.835 − 84.6·syllables/words − 1.015·words/sentences, 100 very easy, 0 very hard.
    Kincaid et al. 1975: grade = 11.8·syllables/words + 0.39·words/sentences − 15.59, years of school.
    """

    words: int
    syllables: int
    sentences: int
    ease: float
    grade: float


def measure(text: str | Sequence[str]) -> Readability | None:
    """Return the readability of a raw text (a line is a sentence) or of sentences; None without a word.

    The values of ``readability.getmeasures``, counting only what the two measures need. Its count of
    syllables goes by groups of vowels; a final e is silent, a capital no vowel: "the" and "I" have none.

    Examples
    --------
    >>> measure(["But cats sat.", "Dogs ran."]).words
    5
    """
    from readability import SENTRE, WORDRE, FleschReadingEase, KincaidGradeLevel
    from readability.langdata import LANGDATA

    count = LANGDATA["en"]["syllables"]
    if isinstance(text, str):
        tokens = WORDRE.findall(text)
        sentences = sum(1 for _ in SENTRE.finditer(text))
    else:
        tokens = [token for sentence in text for token in WORDRE.findall(sentence)]
        sentences = sum(1 for sentence in text if sentence.strip())
    if not tokens:
        return None
    words, syllables = len(tokens), sum(map(count, tokens))
    ease = FleschReadingEase(syllables, words, sentences)
    grade = KincaidGradeLevel(syllables, words, sentences)
    return Readability(words, syllables, sentences, float(ease), float(grade))
