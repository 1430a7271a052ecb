"""Guided rules: which of the client's own sentences belongs to which topic of the stage."""

from __future__ import annotations

import re
from collections.abc import Sequence

from counsel_core.agents.sudosys.choices import Choices, Gains
from counsel_core.agents.sudosys.evidence import (
    ALSO,
    HALF_WORDS,
    KEPT_CHARACTERS,
    cue_hits,
    evidence,
    naming_words,
    split_halves,
)
from counsel_core.agents.sudosys.forms import (
    CONFIRMS,
    DOUBTS,
    ONE_MORE,
    OWN,
    THANKS,
    holds_obstacles,
    is_obstacle,
    is_setback,
    tells_nothing,
)
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.naming import BRIEF_WORDS, SHORT_WORDS, names_one
from counsel_core.agents.sudosys.pacing import MANY_TOPICS
from counsel_core.agents.sudosys.protocol import Topic
from counsel_core.agents.sudosys.recalling import is_borrowed, recall_topic

ASKED = 0.12
"""The advantage of the topic asked for."""
OPEN = 0.1
"""The advantage of a topic that holds nothing yet."""
FITS = 0.3
"""From this evidence on a sentence belongs to a topic of its own accord."""
RIVAL = 0.1
"""By so much a neighbouring stage's topic has to fit better than the one asked for."""
WEAKER = 0.25
"""By so much less evidence an earlier sentence gives way to a later one."""
PLAIN_RIVAL = 0.25
"""By so much, if what was asked for has nothing yet: an answer is taken as one unless it plainly is not."""
A_LITTLE = 0.2


def fill_topics(
    inputs: TurnInputs, sentences: Sequence[str], asked: str | None, end: int, known: Gains
) -> Gains:
    """Return what each topic of the stage gains from a client's sentences, and what it gained already.

    A sentence goes to the topic it fits best, the one asked for having an advantage, and also to empty
    topics that it is about ("on Monday at the library" is a when and a where). What fits nowhere goes to
    a topic without cues, or is the answer to what was asked, unless it plainly is about something else.
    A choice has to sound like one. After turn `end`, what is still needed takes what has a cue of it.
    """
    sentences = [
        text[:KEPT_CHARACTERS]
        for text in sentences
        if not (THANKS.fullmatch(text) or tells_nothing(text) or (inputs.turns == 1 and CONFIRMS.match(text)))
    ]
    filling = _Filling(inputs, asked, inputs.turn >= end, {key: list(texts) for key, texts in known.items()})
    if filling.lists_fragments(sentences):
        return {str(asked): list(sentences)}
    left = [
        text for sentence in sentences for text in filling.parts(sentence) if not filling.place_by_fit(text)
    ]
    filling.place_answer(left, alone=len(sentences) == 1)
    filling.place_due_answer(sentences)
    filling.place_late_choice(sentences)
    if inputs.turn > end:
        filling.place_needed(sentences)
    if inputs.turn >= end and inputs.next_stage is None:
        filling.place_last_words(sentences)
    old = inputs.topics[inputs.number]
    fresh = {
        key: [t for t in dict.fromkeys(texts) if t not in old[key]] for key, texts in filling.gains.items()
    }
    return {key: texts for key, texts in fresh.items() if texts}


class _Filling(Choices):
    """The gains of one turn while they are found."""

    def place_by_fit(self, text: str) -> bool:
        """Place a sentence where it fits of its own accord; tell whether it did anywhere."""
        hindered = next((t for t in self.inputs.stage.topics if holds_obstacles(t)), None)
        if hindered and is_setback(text):
            self.add(hindered.key, text)
            return True
        scores = {t.key: self._score(t, text) for t in self.inputs.stage.topics if self._may_hold(t, text)}
        open_keys = {t.key for t in self.inputs.stage.topics if t.more or not self.value(t)}

        def claim(key: str) -> float:
            return scores[key] + ASKED * (key == self.asked) + OPEN * (key in open_keys)

        best = max(scores, key=claim, default="")
        placed = [
            topic.key
            for topic in self.inputs.stage.topics
            if topic.key in scores and self._fits(topic, text, scores[topic.key], best=topic.key == best)
        ]
        if self._takes_all in placed and len(placed) > 1 and not self._holds_both(text, placed):
            placed.remove(self._takes_all)
        for key in placed:
            self.add(key, text)
        return bool(placed)

    def _holds_both(self, text: str, placed: Sequence[str]) -> bool:
        """Whether a text that is about another topic is needed as well by the one that takes anything.

        It is where that one is still empty and the text names something besides ("alone since the divorce").
        """
        if self.inputs.topics[self.inputs.number].get(self._takes_all) or self._takes_all in self.gains:
            return False
        others = [topic for topic in self.inputs.stage.topics if topic.key in placed and topic.cues]
        return any(not any(cue_hits(topic, word) for topic in others) for word in naming_words(text))

    def place_answer(self, left: Sequence[str], *, alone: bool) -> None:
        """Place what fitted nowhere: as the answer to what was asked, else in a topic that takes anything."""
        stage = self.inputs.stage
        answer = next((t for t in stage.topics if t.key == self.asked), stage.topics[0])
        collects = bool(answer.more) and answer.key == self.asked
        wanted = collects or not (self.value(answer) or answer.key in self.gains)
        for text in left:
            short = alone and len(text.split()) < SHORT_WORDS
            if (
                wanted
                and not self._adds(text)
                and not self._answers_other(answer, text)
                and (self.names_choice(answer, text) or self._answers(answer, text, short=short))
            ):
                self.add(answer.key, text)
            elif self._takes_all:
                self.add(self._takes_all, text)
            elif stage.topics[0].more and answer != stage.topics[0] and ONE_MORE.search(text):
                self.add(stage.topics[0].key, text)

    def lists_fragments(self, sentences: Sequence[str]) -> bool:
        """Whether a line does no more than list things ("A loan. A flatmate."), where that was asked."""
        collects = any(topic.more and topic.key == self.asked for topic in self.inputs.stage.topics)
        return collects and len(sentences) > 1 and all(len(text.split()) < HALF_WORDS for text in sentences)

    def parts(self, sentence: str) -> list[str]:
        """Return a sentence, or its halves where each of them is about another topic of the stage."""
        halves = [sentence] if is_setback(sentence) else split_halves(sentence)
        topics = [self._about(half) for half in halves]
        return halves if len(set(topics)) > 1 and (all(topics) or self._takes_all) else [sentence]

    def place_due_answer(self, sentences: Sequence[str]) -> None:
        """Let what was asked for have the whole answer, if it is empty and nothing speaks against it."""
        topic = next((t for t in self.inputs.stage.topics if t.key == self.asked), None)
        if topic is None or topic.chosen_from or self.value(topic) or topic.key in self.gains:
            return
        for text in sentences:
            if self._answers_other(topic, text):
                continue
            fits = self._about(text) in ("", topic.key) or topic.key == self._takes_all
            if fits and not self._adds(text) and self._answers(topic, text, short=False, rival=PLAIN_RIVAL):
                self.add(topic.key, text)

    def _answers_other(self, topic: Topic, text: str) -> bool:
        """Whether a text without a cue of what was asked is rather one more idea, or about another topic.

        What can be recalled does not need an answer that says nothing about the client.
        """
        if cue_hits(topic, text) or not topic.cues:
            return False
        collects = self.inputs.stage.topics[0].more and self.value(self.inputs.stage.topics[0])
        if collects and ONE_MORE.search(text):
            return True
        others = [t for t in self.inputs.stage.topics if t != topic]
        many = len(others) >= MANY_TOPICS and any(cue_hits(other, text) for other in others)
        return many or bool(topic.recalled_from and not topic.required and not OWN.search(text))

    def _adds(self, text: str) -> bool:
        """Whether a text is one more of what the stage collects, rather than an answer."""
        other = self._takes_all not in ("", self.asked)
        return other and bool(re.match(r"(?:and )?(?:also|plus|another)\b", text, re.I))

    def _about(self, text: str) -> str:
        """Return the topic that a text is plainly about: with a cue, and the one it fits best; or ''."""
        scores = {t.key: self._score(t, text) for t in self.inputs.stage.topics if cue_hits(t, text)}
        best = max(scores, key=scores.__getitem__, default="")
        plain = {t.key for t in self.inputs.stage.topics if cue_hits(t, text) > 1}
        return best if best and (scores[best] >= FITS or best in plain) else ""

    def place_needed(self, sentences: Sequence[str]) -> None:
        """Give one required topic that is still empty what is nearest to it: told now, or a little before."""
        needed = [
            topic
            for topic in self.inputs.stage.topics
            if topic.required
            and not topic.chosen_from
            and not self.value(topic)
            and topic.key not in self.gains
        ]
        topic = next((topic for topic in needed if topic.key == self.asked), needed[0] if needed else None)
        if topic is None or not sentences:
            return
        near = max(sentences, key=lambda text: self._score(topic, text))
        if cue_hits(topic, near) or not topic.cues:
            self.add(topic.key, near)
        elif recalled := recall_topic(self.inputs, topic, self.inputs.topics[self.inputs.number], FITS):
            self.add(topic.key, recalled)

    def place_last_words(self, sentences: Sequence[str]) -> None:
        """In the last turn of the last stage, let what is still needed have what was said."""
        for topic in self.inputs.stage.topics:
            told = [text for text in sentences if self._may_hold(topic, text)]
            if topic.required and told and not self.value(topic) and topic.key not in self.gains:
                self.add(topic.key, max(told, key=lambda text: cue_hits(topic, text)))

    def _may_hold(self, topic: Topic, text: str) -> bool:
        """Whether a text can be a topic's value: as a choice it has a cue of one, or names something.

        What got in the way is nothing else, where the stage has a topic for it; it is no idea either.
        """
        if not holds_obstacles(topic):
            kept_for_it = any(map(holds_obstacles, self.inputs.stage.topics)) and is_obstacle(text)
            if kept_for_it or (topic.more and topic.cues and is_setback(text)):
                return False
        if not topic.chosen_from:
            return not self.waits_for_choice or self.weighs_up(topic, text)
        if ONE_MORE.search(text) or self.is_weighed(text):
            return False
        return (
            self.named(topic, text)
            or (cue_hits(topic, text) > 0 and self.is_about_told(topic, text))
            or names_one(text, self.sources(topic), least=1)
        )

    def _fits(self, topic: Topic, text: str, score: float, *, best: bool) -> bool:
        known = cue_hits(topic, text) or not topic.cues or topic.key == self.asked
        held = self.value(topic) and not is_borrowed(self.inputs, topic)
        settled = held and not topic.more and self.asked not in (None, topic.key)
        if best and score >= FITS and known and not settled:
            return True
        if not self.value(topic) and topic.key == self.asked and self.names_choice(topic, text):
            return True
        if self.waits_for_choice and not topic.chosen_from and cue_hits(topic, text) and DOUBTS.search(text):
            return True
        if (self.value(topic) and not topic.more) or not cue_hits(topic, text):
            return False
        brief = len(text.split()) <= BRIEF_WORDS and "," in text
        return (
            topic.key == self.asked
            or (brief and score >= FITS)
            or (self.overdue and topic.required)
            or score >= (FITS if topic.chosen_from else ALSO)
        )

    def _answers(self, topic: Topic, text: str, *, short: bool, rival: float = RIVAL) -> bool:
        """Whether a text may answer what was asked: unless it fits a topic of a neighbouring stage better.

        Beside a topic that takes anything, it has to fit a little; a short answer always does.
        """
        if not self._may_hold(topic, text):
            return False
        first, known = self.inputs.stage.topics[0], cue_hits(topic, text)
        if topic.required and topic.cues and not known and not short:
            if topic != first and self._score(topic, text) < FITS:
                return False
            if topic == first and not topic.more and self._weighs(text):
                return False
        score, ahead = self._score(topic, text), topic.asks > 1 and len(text.split()) < SHORT_WORDS
        rivals = (
            self._score(other, text) + (rival - RIVAL) * (stage.number < self.inputs.number)
            for stage in self.inputs.protocol.stages
            for other in stage.topics
            if (abs(stage.number - self.inputs.number) == 1 or (ahead and stage.number > self.inputs.number))
            and cue_hits(other, text)
        )
        least = 0.0 if short or self._takes_all in ("", topic.key) else A_LITTLE
        return score >= least and max(rivals, default=0.0) < max(FITS, score + rival)

    def _weighs(self, text: str) -> bool:
        """Whether a text still weighs the choice that was made in the stage before."""
        before = [stage for stage in self.inputs.protocol.stages if stage.number == self.inputs.number - 1]
        weighing = [t for stage in before if stage.topics[0].chosen_from for t in stage.topics[1:]]
        return any(cue_hits(topic, text) for topic in weighing)

    @property
    def _takes_all(self) -> str:
        """The topic without cues, if there is one: it takes whatever fits nowhere else."""
        return next((topic.key for topic in self.inputs.stage.topics if not topic.cues), "")

    def _score(self, topic: Topic, text: str) -> float:
        return evidence(topic, text, self.inputs.embedder)
