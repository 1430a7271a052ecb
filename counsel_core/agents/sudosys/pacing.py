"""Guided rules: whether to stay in a stage, go on or go back, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from counsel_core.agents._phrases import Said, read_families
from counsel_core.agents._utterance import Line
from counsel_core.agents.sudosys.evidence import PLAINLY, cue_hits, evidence
from counsel_core.agents.sudosys.forms import holds_obstacles
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.protocol import Stage, Topic

SESSION_TURNS = 20
"""How many client turns the rules plan for a whole session, as in the paper's dialogues (section 2.3)."""
MANY_TOPICS = 3
MOST_ASKS = 3
"""A topic that stays empty is asked for so many times before another one is tried."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The dialogue status c and the reason for it."""

    status: int
    why: str


def phrase(section: str, family: str) -> tuple[str, ...]:
    """Return a family of this agent's phrases."""
    return tuple(read_families(__package__, "prompts/guided_en.toml")[section][family])


def reason_text(why: str, **slots: str) -> str:
    """Return the sentence that tells a clinician why."""
    return str(read_families(__package__, "prompts/guided_en.toml")["reason"][why]).format(**slots)


def planned_end(inputs: TurnInputs) -> int:
    """Return the client turn after which the present stage is to be left.

    Of the 20 turns of a session, those that were left when the stage began are shared among it and the
    stages after it: a stage that took long makes the later ones shorter, a quick one gives its turns away.
    """
    begun = inputs.turn - inputs.turns
    weights = [stage.turns for stage in inputs.protocol.stages[inputs.number - 1 :]]
    share = (SESSION_TURNS - begun) * weights[0] / sum(weights)
    return min(begun + max(1, round(share)), latest_end(inputs)) if begun < SESSION_TURNS else SESSION_TURNS


def latest_end(inputs: TurnInputs) -> int:
    """Return the last client turn of the present stage that leaves each later stage one turn of the 20."""
    return SESSION_TURNS - (inputs.protocol.last - inputs.number)


def times_asked(stage: Stage, topic: Topic, said: Said) -> int:
    """Return how many of a topic's questions were put so far; the opening puts the first topic's."""
    opened = topic.key == stage.keys[0] and said.last_said(stage.opening) >= 0
    return opened + sum(said.last_said(question) >= 0 for question in (*topic.questions, *topic.more))


def open_topics(inputs: TurnInputs, values: Mapping[str, str]) -> list[Topic]:
    """Return the topics of the stage that are still to be asked for, in the order in which to ask."""

    def is_open(topic: Topic) -> bool:
        asked = times_asked(inputs.stage, topic, inputs.said)
        if (
            inputs.next_stage is None
            and topic.recalled_from
            and holds_obstacles(topic)
            and not topic.required
        ):
            return False  # it was asked for with the plan; here it is taken up when it is told
        if values[topic.key]:
            return asked < topic.asks and bool(topic.more) and not holds_obstacles(topic)
        return asked < MOST_ASKS

    return [topic for topic in inputs.stage.topics if is_open(topic)]


def decide(inputs: TurnInputs, line: Line, values: Mapping[str, str], *, to_the_point: bool) -> Decision:
    """Decide the dialogue status from the line and from the values after it.

    `to_the_point` says that the line plainly filled a topic: then the stage may take a little longer.
    """
    stage, last = inputs.stage, inputs.protocol.last
    if line.in_danger:
        return Decision(0, reason_text("danger"))
    if line.wants_back:
        return Decision(-1, reason_text("back" if inputs.number > 1 else "back_at_start"))
    if inputs.complete:
        return Decision(0, reason_text("complete"))
    if line.wants_on:
        return Decision(1, reason_text("on"))
    needed = [topic.key for topic in stage.topics if topic.required and not values[topic.key]]
    if needed:
        return _without(inputs, line, values, needed)
    if inputs.number < inputs.furthest:
        told = bool(line.content) or line.answer in ("agree", "done", "decline")
        return Decision(1, reason_text("put_right")) if told else Decision(0, reason_text("no_content"))
    end = planned_end(inputs)
    nothing_open = not open_topics(inputs, values)
    unasked = any(
        not values[t.key] and not times_asked(stage, t, inputs.said) for t in open_topics(inputs, values)
    )
    if line.answer in ("done", "decline") and not line.content and not unasked:
        return Decision(1, reason_text("done"))
    if not line.content and not nothing_open:
        return Decision(0, reason_text("room"))
    if inputs.number == last:
        finished = inputs.turn >= end or (nothing_open and inputs.turns > 1)
        return Decision(1, reason_text("enough")) if finished else Decision(0, reason_text("room"))
    if inputs.turn >= end and not _may_linger(inputs, line, values, end, to_the_point=to_the_point):
        return Decision(1, reason_text("enough"))
    chosen = any(topic.chosen_from for topic in stage.topics)
    if nothing_open and all(values.values()) and (chosen or inputs.turns > MANY_TOPICS):
        return Decision(1, reason_text("enough"))
    if inputs.turns > 1 and speaks_of_next(inputs, line):
        return Decision(1, reason_text("ahead"))
    return Decision(0, reason_text("room"))


def _without(inputs: TurnInputs, line: Line, values: Mapping[str, str], needed: Sequence[str]) -> Decision:
    """Stay for what is needed; but when the stage has had its turns, only a choice holds it up."""
    late = inputs.turn > planned_end(inputs) or inputs.turn >= latest_end(inputs)
    unchosen = any(topic.chosen_from and topic.key in needed for topic in inputs.stage.topics)
    keys = ", ".join(key.replace("_", " ") for key in needed)
    taking_leave = line.answer in ("thanks", "farewell", "done") and inputs.turn >= SESSION_TURNS
    if taking_leave and inputs.next_stage is None:
        return Decision(1, reason_text("late", keys=keys))
    if late and inputs.turns > 1 and line.content and any(values.values()) and not unchosen:
        return Decision(1, reason_text("late", keys=keys))
    return Decision(0, reason_text("needed", keys=keys))


def _may_linger(
    inputs: TurnInputs, line: Line, values: Mapping[str, str], end: int, *, to_the_point: bool
) -> bool:
    """Whether a stage with empty topics may go on past its end: by a turn, by two if it has many topics.

    It may if something was asked for once and not answered, or if the client is plainly still busy with
    this stage; not if they already speak of the next one.
    """
    empty = [topic for topic in inputs.stage.topics if not values[topic.key]]
    unanswered = any(times_asked(inputs.stage, topic, inputs.said) <= 1 for topic in empty)
    allowed = 2 if len(values) > MANY_TOPICS else 1
    busy = bool(empty) and (to_the_point or unanswered or len(values) > MANY_TOPICS)
    last = min(end + allowed, latest_end(inputs))
    return busy and inputs.turn < last and not speaks_of_next(inputs, line)


def speaks_of_next(inputs: TurnInputs, line: Line) -> bool:
    """Whether a sentence is plainly about the next stage's first topic, and more so than about this stage."""
    if inputs.next_stage is None:
        return False
    following = inputs.next_stage.topics[0]
    return any(
        cue_hits(following, text)
        and evidence(following, text, inputs.embedder)
        > max(PLAINLY, *(evidence(topic, text, inputs.embedder) for topic in inputs.stage.topics))
        for text in line.content
    )
