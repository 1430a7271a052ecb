"""Guided rules: whether a sentence chooses one of the things that were told, or still weighs them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from counsel_core.agents._utterance import split_sentences
from counsel_core.agents.sudosys.evidence import STEM, cue_hits, naming_words, value_sentences
from counsel_core.agents.sudosys.forms import CHOOSES, ONE_MORE, OTHERS, WEIGHS
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.naming import SHORT_WORDS, echoes_one, names_one, names_plainly
from counsel_core.agents.sudosys.pacing import latest_end, times_asked
from counsel_core.agents.sudosys.protocol import Topic

PATIENT_ASKS = 2
"""Asked for a choice so often, whatever is named alone is one."""
LATE_CHOICE = 1
"""So many turns before the stage has to end, a choice is taken from what was said."""

Gains = dict[str, list[str]]
"""The sentences, to the letter, that each topic gains."""


@dataclass
class Choices:
    """The gains of one turn while they are found, and what in it is a choice."""

    inputs: TurnInputs
    asked: str | None
    overdue: bool
    gains: Gains

    def place_late_choice(self, sentences: Sequence[str]) -> None:
        """Where no choice was made, take for it what names one of the things told, or does it already."""
        choice = self.inputs.stage.topics[0]
        following = self.inputs.next_stage
        if not self.waits_for_choice or not choice.chosen_from or self.inputs.turns < 2 or following is None:
            return
        doing = following.topics[0]
        stems = {word[:STEM] for source in self.sources(choice) for word in naming_words(source)}
        for text in sentences:
            does = (
                not doing.more and bool(doing.recap) and cue_hits(doing, text) > 0 and not OTHERS.match(text)
            )
            names = self._choice_is_late and len(stems & {word[:STEM] for word in naming_words(text)}) > 1
            if (does or names) and not ONE_MORE.search(text) and not self.is_weighed(text):
                self.add(choice.key, text)
                return
        plans = [topic for topic in following.topics if topic.required]
        plans_on = not doing.more and any(cue_hits(topic, t) for topic in plans for t in sentences)
        if self._choice_is_late and plans_on and doing.recap and (told := self.sources(choice)):
            # Who already says when and where speaks of what they named last.
            self.add(choice.key, next((t for t in reversed(told) if cue_hits(doing, t)), told[-1]))

    @property
    def _choice_is_late(self) -> bool:
        return self.overdue and self.inputs.turn >= latest_end(self.inputs) - LATE_CHOICE

    def names_choice(self, topic: Topic, text: str) -> bool:
        """Whether a text plainly names one of the things to choose from."""
        if not topic.chosen_from or ONE_MORE.search(text) or self.is_weighed(text):
            return False
        return self.named(topic, text) or names_one(text, self.sources(topic), least=1)

    def named(self, topic: Topic, text: str) -> bool:
        """Whether a text names, by its form or as the client told it before, one thing to choose."""
        following = self.inputs.next_stage
        sources = self.sources(topic)
        asked = times_asked(self.inputs.stage, topic, self.inputs.said)
        strict_form = following is not None and bool(following.topics[0].recap)
        strict = strict_form and asked < PATIENT_ASKS
        said = asked > 0 and (echoes_one(text, sources) or (strict_form and bool(CHOOSES.search(text))))
        return said or names_plainly(text, sources, strict=strict)

    def is_about_told(self, topic: Topic, text: str) -> bool:
        """Whether a text with a cue of a choice may be one: among ideas it shares a word, or is short."""
        following = self.inputs.next_stage
        if following is None or not following.topics[0].recap or CHOOSES.search(text):
            return True
        told = {word[: STEM - 1] for source in self.sources(topic) for word in naming_words(source)}
        again = times_asked(self.inputs.stage, topic, self.inputs.said) >= PATIENT_ASKS
        return (
            again
            or len(text.split()) <= SHORT_WORDS
            or bool(told & {w[: STEM - 1] for w in naming_words(text)})
        )

    def is_weighed(self, text: str) -> bool:
        """Whether a text weighs a thing, where the stage has a topic for that, rather than choosing it."""
        weighing = [topic for topic in self.inputs.stage.topics if not topic.chosen_from]
        choice = self.inputs.stage.topics[0]
        named = echoes_one(re.split(r"[,;]| but | though | because ", text)[0], self.sources(choice))
        line = (text, *split_sentences(self.inputs.client))
        weighs = any(self.weighs_up(topic, part) for topic in weighing for part in line)
        return weighs and not named and not CHOOSES.search(text)

    def weighs_up(self, topic: Topic, text: str) -> bool:
        """Whether a text weighs what could be chosen: that comes before a choice as well as after it."""
        return cue_hits(topic, text) > 0 and bool(WEIGHS.search(text)) and not CHOOSES.search(text)

    @property
    def waits_for_choice(self) -> bool:
        """Whether the stage is about a choice that was not made yet: nothing else belongs to it before."""
        choices = [topic for topic in self.inputs.stage.topics if topic.chosen_from]
        return bool(choices) and not any(self.value(t) or t.key in self.gains for t in choices)

    def sources(self, topic: Topic) -> list[str]:
        """Return the sentences that a topic is a choice of."""
        told = (topics for topics in self.inputs.topics.values() if topic.chosen_from in topics)
        return [source for topics in told for value in topics.values() for source in value_sentences(value)]

    def value(self, topic: Topic) -> str:
        """Return what a topic of the stage holds so far."""
        return self.inputs.topics[self.inputs.number][topic.key]

    def add(self, key: str, text: str) -> None:
        """Let a topic gain a text."""
        self.gains.setdefault(key, []).append(text)
