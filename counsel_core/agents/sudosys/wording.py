"""Guided rules: the counsellor's reply, put together from phrases and the client's own words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from counsel_core.agents._listening import answer_question, first_new, question_kind, safety_replies, take_up
from counsel_core.agents._phrases import ranked, shared
from counsel_core.agents._utterance import Line
from counsel_core.agents.sudosys.choosing import SHOWN_WORDS, next_proposal, shown_sentence
from counsel_core.agents.sudosys.evidence import cue_hits, evidence, value_sentences
from counsel_core.agents.sudosys.forms import holds_obstacles, is_setback
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.leading import (
    by_topic,
    late_topic,
    leaves_with_name,
    leaving,
    restates_choice,
)
from counsel_core.agents.sudosys.naming import choice_name
from counsel_core.agents.sudosys.pacing import open_topics, phrase, planned_end, speaks_of_next, times_asked
from counsel_core.agents.sudosys.protocol import Stage, Topic
from counsel_core.agents.sudosys.recalling import names_early

SHOWN_STEPS = 4
"""The summing up names so many steps of a plan that has several."""


@dataclass(frozen=True, slots=True)
class Understanding:
    """What the rules made of a turn before they write: the reading, and what was decided.

    `focus` are the sentences that count most, `topic` is what they are about; `agreed` says that the client
    went along with a proposal.
    """

    line: Line
    values: Mapping[str, str]
    status: int
    focus: tuple[str, ...]
    topic: str
    small_talk: bool
    agreed: bool


def write_reply(inputs: TurnInputs, heard: Understanding) -> str:
    """Write the reply of a turn: never one that was given before in the session."""
    return first_new(_replies(inputs, heard), inputs.said)


def _replies(inputs: TurnInputs, heard: Understanding) -> Iterator[str]:
    """Yield replies, the best first."""
    if heard.line.in_danger:
        yield from safety_replies(heard.line, inputs.said, inputs.turn)
    for start in _starts(inputs, heard):
        for end in _ends(inputs, heard):
            yield f"{start} {end}".strip()
    for patience in ranked(shared("lead", "patience"), inputs.said):
        for start in _starts(inputs, heard):
            for end in _ends(inputs, heard):
                yield f"{start} {patience} {end}"


def _starts(inputs: TurnInputs, heard: Understanding) -> Iterator[str]:
    """Yield what takes up the client's line."""
    line, said = heard.line, inputs.said
    if line.wants_back:
        yield from _back(inputs)
    elif line.wants_on:
        yield from ranked(phrase("lead", "on" if inputs.next_stage else "on_at_end"), said)
    elif heard.agreed and not line.content:
        yield from ranked(phrase("lead", "agreed"), said)
    elif heard.small_talk and not line.questions:
        for first in ranked(shared("lead", "off_topic"), said):
            yield f"{first} {ranked(phrase('lead', 'return_to'), said)[0]}"
    elif line.undecided and not line.content and any(topic.chosen_from for topic in inputs.stage.topics):
        yield from ranked(phrase("lead", "narrow"), said)
    else:
        yield from _taken_up(inputs, heard)


def _back(inputs: TurnInputs) -> Iterator[str]:
    if inputs.number == 1:
        yield from ranked(phrase("lead", "back_at_start"), inputs.said)
        return
    name = inputs.protocol.stage(inputs.number - 1).name
    for first in ranked([text.format(name=name) for text in phrase("lead", "back")], inputs.said):
        if inputs.number > 2 and inputs.said.last_said(phrase("lead", "further_back")[0]) < 0:
            yield f"{first} {phrase('lead', 'further_back')[0]}"
        yield first


def _taken_up(inputs: TurnInputs, heard: Understanding) -> Iterator[str]:
    """Answer what was asked, and take up what was told."""
    line, said = heard.line, inputs.said
    answer = _answer(inputs, line)
    if answer and (not line.content or heard.small_talk):
        yield answer
    ahead = heard.status == 1 and inputs.next_stage is not None and speaks_of_next(inputs, line)
    if ahead and inputs.next_stage is not None and not inputs.next_stage.topics[0].more:
        yield from by_topic(inputs, line, line.content, inputs.next_stage.topics[0].key)
    if restates_choice(inputs, line):
        yield from ranked(phrase("lead", "restated"), said)
    late = late_topic(inputs, line)
    if late is not None:
        yield from by_topic(inputs, line, line.content, late.key)
    taken_up = next(by_topic(inputs, line, heard.focus, heard.topic), "")
    if leaves_with_name(inputs, heard):
        yield answer
    taken_up = taken_up or take_up(line, heard.focus, said, inputs.turn)
    if heard.agreed:
        taken_up += f" {ranked(phrase('lead', 'agreed_tacitly'), said)[0]}"
    yield f"{answer} {taken_up}".strip()
    others = shared("acknowledgement", "plain")
    if not line.content:
        others = shared("lead", line.answer if line.answer in ("decline", "unsure") else "agree")
    yield from (f"{answer} {other}".strip() for other in ranked(others, said))


def _answer(inputs: TurnInputs, line: Line) -> str:
    """Answer the client's last question; '' if there was none."""
    if not line.questions or (line.content and line.sentences[-1].kind != "question"):
        return ""
    said, question = inputs.said, line.questions[-1]
    kind = question_kind(question, inputs.embedder)
    known = [value for topics in inputs.topics.values() for value in topics.values() if value]
    if kind == "process":
        place = {"number": inputs.number, "last": inputs.protocol.last, "name": inputs.stage.name}
        return ranked([text.format(**place) for text in phrase("lead", "process")], said)[0]
    if kind == "recall" and known:
        told = "; ".join(shown_sentence(value_sentences(value)[0]) for value in known[-3:])
        return ranked([text.format(x=told) for text in phrase("lead", "recall")], said)[0]
    answer = answer_question(question, said, inputs.embedder)
    back = ranked(phrase("lead", "return_to"), said)[0]
    return f"{answer} {back}" if kind in ("off_topic", "taste") else answer


def _ends(inputs: TurnInputs, heard: Understanding) -> Iterator[str]:
    """Yield what leads on: a question, or at the end of the protocol the summing up."""
    if heard.status == -1:
        yield from ranked(phrase("lead", "back_question"), inputs.said)
    elif heard.status == 1 and inputs.next_stage is None:
        yield _closing(inputs, heard)
    elif heard.status == 1 and inputs.next_stage is not None:
        yield from _onward(inputs, heard, inputs.next_stage)
    elif inputs.complete:
        if heard.line.answer == "farewell":
            yield ""
        yield from _unasked(inputs, heard)
        yield from ranked(phrase("lead", "after"), inputs.said)
    elif proposals := next_proposal(inputs, heard.line, heard.values):
        yield from proposals
    else:
        yield from _questions(inputs, heard)


def _unasked(inputs: TurnInputs, heard: Understanding) -> list[str]:
    """Return a question for what the last stage would still hold, if it was never asked for."""
    first, *others = inputs.stage.topics
    waiting = (t for t in (*others[:1], first) if not heard.values[t.key] and t.questions)
    return [t.questions[0] for t in waiting if not times_asked(inputs.stage, t, inputs.said)][:1]


def _onward(inputs: TurnInputs, heard: Understanding, following: Stage) -> Iterator[str]:
    """Lead over to the next stage: its opening, or where the client is already there, its next question."""
    said = inputs.said
    bridge = "" if heard.line.wants_on else leaving(inputs, heard)
    first, *others = following.topics
    if name := _named_already(inputs, heard.line, first):
        for text in ranked([text.format(x=name) for text in phrase("lead", "confirm")], said):
            yield f"{bridge} {text}".strip()
    if others and not first.more and speaks_of_next(inputs, heard.line):
        yield f"{bridge} {ranked(others[0].questions, said)[0]}".strip()
    openings = [following.opening, *(question for topic in following.topics for question in topic.questions)]
    for opening in ranked(openings, said):
        yield f"{bridge} {opening}".strip()


def _named_already(inputs: TurnInputs, line: Line, choice: Topic) -> str | None:
    """Return the name of what a client chose in the very line that leads to the choice."""
    told = (topics[choice.chosen_from] for topics in inputs.topics.values() if choice.chosen_from in topics)
    sources = [text for value in told for text in (*value_sentences(value), *line.content)]
    named = [text for text in line.content if choice.chosen_from and names_early(text, sources)]
    return choice_name(named[0].split(",")[0]) if len(named) == 1 else None


def _questions(inputs: TurnInputs, heard: Understanding) -> Iterator[str]:
    """Yield the questions of the stage: for what is open, then for more, the least recent first."""
    said = inputs.said
    enough = heard.line.answer in ("done", "decline") and not heard.line.content
    topics = open_topics(inputs, heard.values)
    if is_setback(inputs.client):
        hindered = (topic for topic in inputs.stage.topics if holds_obstacles(topic))
        yield from (text for topic in hindered for text in topic.more if said.last_said(text) < 0)
    if inputs.turn >= planned_end(inputs) - 1:
        topics.sort(key=lambda topic: bool(heard.values[topic.key]))
    for topic in topics:
        family = topic.questions if not heard.values[topic.key] else () if enough else topic.more
        yield from (question for question in family if said.last_said(question) < 0)
    empty = [text for topic in inputs.stage.topics if not heard.values[topic.key] for text in topic.questions]
    told = any(heard.values.values())
    choice = [text for topic in inputs.stage.topics if topic.chosen_from for text in topic.questions]
    still = [text for text in choice if text in empty]
    yield from ranked([*still, *(phrase("lead", "more") if told else ()), *empty], said)


def _closing(inputs: TurnInputs, heard: Understanding) -> str:
    """Sum up in the client's words what the protocol marks for it; nothing is said twice."""
    values = {**inputs.topics, inputs.number: heard.values}
    lines: dict[str, str] = {}
    shown_already: set[str] = set()
    late = late_topic(inputs, heard.line)
    for stage in inputs.protocol.stages:
        for topic in stage.topics:
            value = " ".join(heard.line.content) if topic == late else values[stage.number][topic.key]
            if topic.recap and value and not shown_already >= set(value_sentences(value)):
                shown_already |= set(value_sentences(value))
                shown = _shown_value(inputs, topic, value)
                lines.setdefault(shown, f"{topic.recap}: {shown}.")
    farewell = ranked(phrase("lead", "farewell"), inputs.said)[0]
    start = ranked(phrase("lead", "close" if lines else "close_without_plan"), inputs.said)[0]
    return "\n".join([start, *lines.values(), " ".join([farewell, *_last_question(inputs, heard)])])


def _last_question(inputs: TurnInputs, heard: Understanding) -> list[str]:
    """Return what to ask with the summing up: what the client takes along, if that was not spoken of."""
    leaves = heard.line.answer in ("farewell", "done", "decline")
    return [] if leaves else [f"{phrase('lead', 'one_last')[0]} {text}" for text in _unasked(inputs, heard)]


def _shown_value(inputs: TurnInputs, topic: Topic, value: str) -> str:
    """Return a value that is short, or else the sentence of it that is most plainly about its topic."""
    if topic.chosen_from and (name := choice_name(value)):
        return name
    sentences = value_sentences(value)
    steps = [text for text in sentences if cue_hits(topic, text) and len(text.split()) <= SHOWN_WORDS]
    if topic.required and len(steps) > 1:
        sentences = tuple(steps[:SHOWN_STEPS])
    elif len(value.split()) > SHOWN_WORDS:
        sentences = (max(sentences, key=lambda text: evidence(topic, text, inputs.embedder)),)
    return "; ".join(shown_sentence(sentence) for sentence in sentences)
