"""Guided rules: taking up what belongs to a topic, and naming what was reached when a stage is left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol as Shape

from counsel_core.agents import _words
from counsel_core.agents._listening import capital, tone_of
from counsel_core.agents._phrases import Families, framed, ranked, read_families
from counsel_core.agents._reflection import find_clause, plain_words, turn_round
from counsel_core.agents._sentences import sentence_pieces
from counsel_core.agents._utterance import Line
from counsel_core.agents.sudosys.evidence import cue_hits, evidence, value_sentences
from counsel_core.agents.sudosys.filling import FITS
from counsel_core.agents.sudosys.forms import is_setback
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.naming import choice_name
from counsel_core.agents.sudosys.pacing import phrase
from counsel_core.agents.sudosys.protocol import Topic

WHOLE_WORDS = 16
"""A sentence up to this length is said back whole."""


_DENIES = re.compile(r"\b(?:can't|cannot|cant|won't|wont|beyond|fixed|depends)\b", re.I)


class Heard(Shape):
    """The part of an understanding that is read here."""

    @property
    def line(self) -> Line:
        """What the client said."""

    @property
    def values(self) -> Mapping[str, str]:
        """The topics after it."""

    @property
    def status(self) -> int:
        """The dialogue status."""

    @property
    def topic(self) -> str:
        """The topic it was most about."""

    @property
    def agreed(self) -> bool:
        """Whether a proposal was accepted."""


def by_topic(inputs: TurnInputs, line: Line, focus: Sequence[str], topic: str) -> Iterator[str]:
    """Yield what takes up sentences that belong to a topic; nothing where the tone has to decide."""
    text = plain_words(" ".join(focus))
    if topic == "difficulties" and not is_setback(text):
        topic = "obstacles"
    sensitive = any(
        _words.pattern("reflection", name).search(text) for name in ("heavy", "swearing", "danger")
    )
    if not focus or sensitive or line.in_danger or line.long or topic not in _families()["topic"]:
        return
    if topic in _families()["topic_tone"]["glad"] and tone_of(text) in ("doubt", "distress"):
        return
    about = next(
        (t for t in inputs.stage.topics if t.key == topic and topic in _families()["topic_plain"]), None
    )
    if back := said_back(sorted(focus, key=lambda sentence: bool(_DENIES.search(sentence))), about):
        denied = topic in _families()["topic_denied"] and _DENIES.search(back) and " but " not in back
        frames = phrase("topic_denied" if denied else "topic", topic)
        yield from framed(frames, inputs.said, c=back, C=capital(back))
    elif topic in _families()["topic_plain"]:
        yield from ranked(phrase("topic_plain", topic), inputs.said)


def said_back(focus: Sequence[str], topic: Topic | None = None) -> str | None:
    """Return a sentence said back: whole where short and safe, else a clause that is about the topic."""
    for sentence in focus:
        turned = turn_round(sentence)
        if (
            turned
            and len(turned.split()) <= WHOLE_WORDS
            and len(sentence_pieces(turned)) == 1
            and ";" not in turned
        ):
            return turned
    found = find_clause(" ".join(focus))
    return found[1] if found and (topic is None or not topic.cues or cue_hits(topic, found[0])) else None


def leaving(inputs: TurnInputs, heard: Heard) -> str:
    """Return a sentence that names what the stage has brought; '' where there is nothing to name."""
    said, first = inputs.said, inputs.stage.topics[0]
    if inputs.number < inputs.furthest:
        return ranked(phrase("lead", "put_right"), said)[0]
    families = _families()["leaving"]
    if first.key not in families:
        return ranked(phrase("lead", "bridge"), said)[0]
    if first.chosen_from and heard.agreed:
        return ""
    if first.chosen_from:
        name = choice_name(heard.values[first.key])
        family = phrase("leaving", first.key if name else f"{first.key}_plain")
        return ranked([text.format(x=name) for text in family], said)[0]
    filled = [topic.key for topic in inputs.stage.topics if heard.values[topic.key]]
    if first.key == "what":
        parts = [
            str(read_families(__package__, "prompts/guided_en.toml")["plan_part"][key])
            for key in filled
            if key in _families()["plan_part"]
        ]
        return (
            ranked([text.format(x=_listed(parts)) for text in phrase("leaving", "what")], said)[0]
            if parts
            else ""
        )
    wider = "_and_".join(filled)
    return ranked(phrase("leaving", wider if wider in families else first.key), said)[0]


def late_topic(inputs: TurnInputs, line: Line) -> Topic | None:
    """Return the topic of the stage before that a line in the last stage fits better than its value does."""
    if inputs.next_stage is not None or inputs.number == 1:
        return None
    if any(cue_hits(topic, line.text) for topic in inputs.stage.topics):
        return None
    topics = inputs.protocol.stage(inputs.number - 1).topics
    scores = {
        topic.key: max(
            (evidence(topic, t, inputs.embedder) for t in line.content if cue_hits(topic, t)), default=0.0
        )
        for topic in topics
    }
    best = max(topics, key=lambda topic: scores[topic.key])
    value = inputs.topics[inputs.number - 1][best.key]
    known = max((evidence(best, t, inputs.embedder) for t in value_sentences(value)), default=0.0)
    return best if scores[best.key] >= max(FITS, known) else None


def leaves_with_name(inputs: TurnInputs, heard: Heard) -> bool:
    """Whether the stage is left with a choice that has a name: saying it is taking up enough."""
    first = inputs.stage.topics[0]
    chosen = bool(first.chosen_from) and heard.status == 1 and first.key in _families()["leaving"]
    about = heard.topic == first.key
    return chosen and about and not heard.agreed and choice_name(heard.values[first.key]) is not None


def restates_choice(inputs: TurnInputs, line: Line) -> bool:
    """Whether a line does no more than name again what was chosen in the stage before."""
    if inputs.number == 1 or len(line.content) != 1 or not (name := choice_name(line.text)):
        return False
    first = inputs.protocol.stage(inputs.number - 1).topics[0]
    chosen = inputs.topics[inputs.number - 1][first.key] if first.chosen_from else ""
    return bool(chosen) and len(line.text.split()) <= WHOLE_WORDS // 2 and name == choice_name(chosen)


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _families() -> Families:
    return read_families(__package__, "prompts/guided_en.toml")
