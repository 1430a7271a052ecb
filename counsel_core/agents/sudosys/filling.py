"""Guided rules: which of the client's own sentences belongs to which topic of the stage."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from counsel_core.agents import _words
from counsel_core.agents._reflection import plain_words
from counsel_core.agents._utterance import pattern
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.protocol import Topic
from counsel_core.language.embeddings import Embedder, cosine

CUE = 0.2
"""What a cue adds to the cosine of a sentence and a topic; more than two cues add nothing."""
ASKED = 0.12
"""The advantage of the topic asked for."""
FITS = 0.3
"""From this evidence on a sentence belongs to a topic of its own accord."""
ALSO = 0.36
"""From this evidence on, with a cue, it also fills an empty topic besides the one it fits best."""
PLAINLY = 0.42
"""From this evidence on it is plainly about the topic, whatever was asked."""
RIVAL = 0.1
"""By so much a neighbouring stage's topic has to fit better than the one asked for."""
A_LITTLE = 0.2
SHORT_WORDS = 5
STEM = 5
RECALLED_STAGES = 2
KEPT_CHARACTERS = 600

Gains = dict[str, list[str]]
"""The sentences, to the letter, that each topic gains."""


def cue_hits(topic: Topic, text: str) -> int:
    """Return how many of a topic's cues are in a text."""
    plain = plain_words(text).lower()
    return sum(bool(_cue(cue).search(plain)) for cue in topic.cues)


def evidence(topic: Topic, sentence: str, embedder: Embedder) -> float:
    """Score how plainly a sentence is about a topic: cosine to its description or question, plus cues."""
    vectors = embedder.embed([sentence, topic.about, *topic.questions[:1]])
    return float(cosine(vectors[0], vectors[1:]).max()) + CUE * min(2, cue_hits(topic, sentence))


def fill_topics(
    inputs: TurnInputs, sentences: Sequence[str], asked: str | None, end: int, known: Gains
) -> Gains:
    """Return what each topic of the stage gains from a client's sentences, and what it gained already.

    A sentence goes to the topic it fits best, the one asked for having an advantage, and also to empty
    topics that it is about ("on Monday at the library" is a when and a where). What fits nowhere goes to
    a topic without cues, which takes anything, or is the answer to what was asked, unless it belongs to
    the stage before or after. A choice has to sound like one. From turn `end` on, when the stage is to
    be left, a cue is enough, and after it one topic that is still needed takes what is nearest to it.
    """
    sentences = [text[:KEPT_CHARACTERS] for text in sentences]
    filling = _Filling(inputs, asked, inputs.turn >= end, {key: list(texts) for key, texts in known.items()})
    left = [text for text in sentences if not filling.place_by_fit(text)]
    filling.place_answer(left, alone=len(sentences) == 1)
    if inputs.turn > end:
        filling.place_needed(sentences)
    if inputs.turn >= end and inputs.next_stage is None:
        filling.place_last_words(sentences)
    old = inputs.topics[inputs.number]
    fresh = {
        key: [t for t in dict.fromkeys(texts) if t not in old[key]] for key, texts in filling.gains.items()
    }
    return {key: texts for key, texts in fresh.items() if texts}


def recall_topic(inputs: TurnInputs, topic: Topic, now: Mapping[str, str], least: float = ALSO) -> str:
    """Return what was told and fits a topic best, by a cue; '' if nothing does.

    From this stage a cue is enough; what was told in the two stages before has to fit plainly.
    """
    earlier = (
        inputs.topics[n] for n in inputs.topics if inputs.number - RECALLED_STAGES <= n < inputs.number
    )
    told = [
        (least, text) for topics in earlier for value in topics.values() for text in value_sentences(value)
    ]
    told += [(0.0, text) for value in now.values() for text in value_sentences(value)]
    scores = {
        text: score
        for enough, text in told
        if cue_hits(topic, text) and (score := evidence(topic, text, inputs.embedder)) >= enough
    }
    return max(scores, key=scores.__getitem__, default="")


def join_value(old: str, new: Sequence[str]) -> str:
    """Return a topic's value with sentences added; if it grows too long, its first and newest ones stay."""
    kept = [*value_sentences(old), *(text.strip(" ,;") for text in new)]
    while len(kept) > 2 and sum(map(len, kept)) > KEPT_CHARACTERS:
        kept.pop(1)
    ended = [text if text[-1] in ".!?…" else f"{text};" for text in kept[:-1]]
    return " ".join([*ended, kept[-1]])


def value_sentences(value: str) -> tuple[str, ...]:
    """Return the sentences that a topic's value holds."""
    return tuple(part for part in re.split(r"(?<=[.!?…])\s+|;\s+", value) if part)


@dataclass
class _Filling:
    """The gains of one turn while they are found."""

    inputs: TurnInputs
    asked: str | None
    overdue: bool
    gains: Gains

    def place_by_fit(self, text: str) -> bool:
        """Place a sentence where it fits of its own accord; tell whether it did anywhere."""
        scores = {t.key: self._score(t, text) for t in self.inputs.stage.topics if self._may_hold(t, text)}
        best = max(scores, key=lambda key: scores[key] + ASKED * (key == self.asked), default="")
        placed = [
            topic.key
            for topic in self.inputs.stage.topics
            if topic.key in scores and self._fits(topic, text, scores[topic.key], best=topic.key == best)
        ]
        for key in placed:
            self._add(key, text)
        return bool(placed)

    def place_answer(self, left: Sequence[str], *, alone: bool) -> None:
        """Place what fitted nowhere: as the answer to what was asked, else in a topic that takes anything."""
        stage = self.inputs.stage
        answer = next((t for t in stage.topics if t.key == self.asked), stage.topics[0])
        empty = not self._value(answer) and answer.key not in self.gains
        for text in left:
            short = alone and len(text.split()) < SHORT_WORDS
            if empty and self._may_hold(answer, text) and self._answers(answer, text, short=short):
                self._add(answer.key, text)
            elif self._takes_all:
                self._add(self._takes_all, text)

    def place_needed(self, sentences: Sequence[str]) -> None:
        """Give one required topic that is still empty what is nearest to it: told now, or a little before."""
        needed = [
            topic
            for topic in self.inputs.stage.topics
            if topic.required
            and not topic.chosen_from
            and not self._value(topic)
            and topic.key not in self.gains
        ]
        topic = next((topic for topic in needed if topic.key == self.asked), needed[0] if needed else None)
        if topic is None or not sentences:
            return
        near = max(sentences, key=lambda text: self._score(topic, text))
        short = len(near.split()) < SHORT_WORDS and not cue_hits(topic, near)
        recalled = (
            recall_topic(self.inputs, topic, self.inputs.topics[self.inputs.number], FITS) if short else ""
        )
        self._add(topic.key, recalled or near)

    def place_last_words(self, sentences: Sequence[str]) -> None:
        """In the last turn of the last stage, let the topics that are still empty share what was said."""
        for topic in self.inputs.stage.topics:
            if sentences and not self._value(topic) and topic.key not in self.gains:
                self._add(topic.key, max(sentences, key=lambda text: self._score(topic, text)))

    def _may_hold(self, topic: Topic, text: str) -> bool:
        values = (topics.get(topic.chosen_from, "") for topics in self.inputs.topics.values())
        return _may_hold(topic, text, [source for value in values for source in value_sentences(value)])

    def _fits(self, topic: Topic, text: str, score: float, *, best: bool) -> bool:
        known = cue_hits(topic, text) or not self._takes_all or topic.key in (self.asked, self._takes_all)
        if best and score >= FITS and known:
            return True
        if self._value(topic) or not cue_hits(topic, text):
            return False
        return topic.key == self.asked or self.overdue or score >= (FITS if topic.chosen_from else ALSO)

    @property
    def _takes_all(self) -> str:
        """The topic without cues, if there is one: it takes whatever fits nowhere else."""
        return next((topic.key for topic in self.inputs.stage.topics if not topic.cues), "")

    def _answers(self, topic: Topic, text: str, *, short: bool) -> bool:
        """Whether a text may answer what was asked: unless it fits a topic of a neighbouring stage better.

        Beside a topic that takes anything, it has to fit a little; a short answer always does.
        """
        score = self._score(topic, text)
        rivals = (
            self._score(other, text)
            for stage in self.inputs.protocol.stages
            for other in stage.topics
            if abs(stage.number - self.inputs.number) == 1 and cue_hits(other, text)
        )
        least = 0.0 if short or self._takes_all in ("", topic.key) else A_LITTLE
        return score >= least and max(rivals, default=0.0) < max(FITS, score + RIVAL)

    def _score(self, topic: Topic, text: str) -> float:
        return evidence(topic, text, self.inputs.embedder)

    def _value(self, topic: Topic) -> str:
        return self.inputs.topics[self.inputs.number][topic.key]

    def _add(self, key: str, text: str) -> None:
        self.gains.setdefault(key, []).append(text)


def _may_hold(topic: Topic, text: str, sources: Sequence[str]) -> bool:
    """Whether a text can be a topic's value.

    A choice has a cue of one, or names something shortly, or names what is to be chosen from; an
    addition, or one more possibility, is none.
    """
    if not topic.chosen_from or cue_hits(topic, text):
        return True
    plain = plain_words(text).lower()
    if pattern("additive").search(plain) or re.match(r"(?:i|we|he|she|they|or|my|there|maybe)\b", plain):
        return False
    stems = {word[:STEM] for word in naming_words(text)}
    named = {word[:STEM] for source in sources for word in naming_words(source)}
    short = len(re.split(r",? because\b|,", plain)[0].split()) <= SHORT_WORDS
    return short or len(stems & named) > 1


def naming_words(text: str) -> set[str]:
    """Return the words of a text that may name what it is about."""
    return set(re.findall(r"[a-z]{4,}", plain_words(text).lower())) - _words.words("utterance", "common")


@cache
def _cue(cue: str) -> re.Pattern[str]:
    number = r"(?:\d[\d.:]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|noon|midnight)"
    escaped = re.escape(cue.lower()).replace(r"\*", r"\w*").replace(r"\#", number)
    return re.compile(rf"(?<!\w){escaped}(?!\w)")
