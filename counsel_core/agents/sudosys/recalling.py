"""Guided rules: what a client told earlier in the session and belongs to a topic that is still empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from counsel_core.agents._utterance import read_line
from counsel_core.agents.sudosys.evidence import (
    PLAINLY,
    STEM,
    cue_hits,
    evidence,
    naming_words,
    value_sentences,
)
from counsel_core.agents.sudosys.forms import DOUBTS, holds_obstacles, is_setback
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.naming import LONGEST_NAME, is_hedged, names_plainly
from counsel_core.agents.sudosys.protocol import Topic

A_FIT = 0.3
"""From this evidence on something told in this stage does, where nothing else was."""
RECALLED = 0.5
"""From this evidence on something told before this stage fills one of its topics."""


def told_here(inputs: TurnInputs) -> tuple[str, ...]:
    """Return the sentences that the client told in the present stage, with this turn's."""
    lines = [*_client_lines(inputs), inputs.client]
    return _sentences(lines[-inputs.turns :])


def told_since_choice(inputs: TurnInputs, number: int | None = None) -> tuple[str, ...]:
    """Return what was told before this turn, from the last choice made before stage `number` (this one) on.

    What was told before it may be about something else; without a choice all that was told counts.
    """
    lines = _client_lines(inputs)
    choices = [text.rstrip(".!?;… ") for text in _choices(inputs, number or inputs.number)]
    marks = [n for n, line in enumerate(lines) if any(choice in line for choice in choices)]
    return _sentences(lines[max(marks, default=0) :])


def is_borrowed(inputs: TurnInputs, topic: Topic) -> bool:
    """Whether a topic holds only what was told before the present stage: a better answer replaces it."""
    here = told_here(inputs)
    value = value_sentences(inputs.topics[inputs.number][topic.key])
    return bool(value) and not any(part.rstrip(" ,;") in text for part in value for text in here)


def recall_topic(inputs: TurnInputs, topic: Topic, now: Mapping[str, str], least: float = A_FIT) -> str:
    """Return the sentence told earlier that fits a topic best, by a cue; '' if none does.

    What was told in this stage has to fit a little, what was told before it plainly; what belongs to a
    topic it is `recalled_from` stands in where nothing else does.
    """
    held = tuple(text for value in now.values() for text in value_sentences(value))
    here = dict.fromkeys((*told_here(inputs), *held), 0.0 if topic.required else least)
    needed = {**dict.fromkeys(told_since_choice(inputs), RECALLED), **here}
    scores = {
        text: (text in here, text not in held, score)
        for text, enough in needed.items()
        if cue_hits(topic, text)
        and (holds_obstacles(topic) or not is_setback(text))
        and (score := evidence(topic, text, inputs.embedder)) >= enough
    }
    return max(scores, key=scores.__getitem__, default="") or stand_in(inputs, topic)


def stand_in(inputs: TurnInputs, topic: Topic) -> str:
    """Return what was told for a topic that this one is `recalled_from`: a choice, or what has a cue.

    What was weighed before a choice has to be a doubt about the thing chosen.
    """
    chosen = _stems(_choices(inputs, inputs.number))
    for stage in inputs.protocol.stages[: inputs.number]:
        weighed = any(other.chosen_from for other in stage.topics)
        for source in (other for other in stage.topics if other.key in topic.recalled_from):
            told = [*value_sentences(inputs.topics[stage.number][source.key])]
            if not weighed:
                told += [t for t in told_since_choice(inputs, stage.number) if _plainly(inputs, source, t)]
            fitting = [
                text
                for text in told
                if source.chosen_from
                or (weighed and DOUBTS.search(text) and _stems([text]) & chosen)
                or (not weighed and cue_hits(topic, text))
            ]
            if fitting:
                return max(fitting, key=lambda text: evidence(topic, text, inputs.embedder))
    return ""


def recall_choice(inputs: TurnInputs, topic: Topic) -> str:
    """Return the one sentence by which the client named, before they were asked, what they choose; or ''."""
    sources = [
        text
        for topics in inputs.topics.values()
        if topic.chosen_from in topics
        for value in topics.values()
        for text in value_sentences(value)
    ]
    told = [text for text in told_since_choice(inputs) if text not in _choices(inputs, inputs.number)]
    first = min((n for n, text in enumerate(told) if text in sources), default=len(told))
    named = {text for text in told[first:] if names_early(text, sources)}
    return named.pop() if len(named) == 1 else ""


def names_early(text: str, sources: Sequence[str]) -> bool:
    """Whether a text plainly names, before its first comma and shortly, one of the things told."""
    name, *further = text.split(",")
    if further and not is_hedged(name):
        return False
    return len(name.split()) <= LONGEST_NAME and names_plainly(name, sources, strict=True)


def _choices(inputs: TurnInputs, number: int) -> list[str]:
    """Return the sentences of all choices made before a stage."""
    return [
        sentence
        for stage in inputs.protocol.stages[: number - 1]
        for topic in stage.topics
        if topic.chosen_from
        for sentence in value_sentences(inputs.topics[stage.number][topic.key])
    ]


def _plainly(inputs: TurnInputs, topic: Topic, text: str) -> bool:
    return cue_hits(topic, text) > 0 and evidence(topic, text, inputs.embedder) >= PLAINLY


def _stems(texts: Iterable[str]) -> set[str]:
    return {word[: STEM - 1] for text in texts for word in naming_words(text)}


def _client_lines(inputs: TurnInputs) -> list[str]:
    return [utterance.text for utterance in inputs.before if utterance.speaker == "client"]


def _sentences(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(text for line in lines for text in read_line(line).content)
