"""Guided rules for a SuDoSys turn: no language model, the same answer to the same inputs.

They fill the stage's topics from the client's own sentences (`filling`), choose the dialogue status
(`pacing`), and write a reply that takes up what was said and leads on (`wording`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from counsel_core.agents._listening import is_small_talk, question_kind
from counsel_core.agents._utterance import Line, pattern, read_line, sounds_distressed
from counsel_core.agents.sudosys.choices import Choices, Gains
from counsel_core.agents.sudosys.choosing import agreed_sentence
from counsel_core.agents.sudosys.evidence import PLAINLY, cue_hits, evidence, join_value, value_sentences
from counsel_core.agents.sudosys.filling import WEAKER, fill_topics
from counsel_core.agents.sudosys.forms import holds_obstacles
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.pacing import decide, planned_end, times_asked
from counsel_core.agents.sudosys.protocol import Stage, Topic
from counsel_core.agents.sudosys.recalling import (
    RECALLED,
    is_borrowed,
    recall_choice,
    recall_topic,
    stand_in,
    told_since_choice,
)
from counsel_core.agents.sudosys.wording import Understanding, write_reply

STEPS = 4
"""So many steps are taken over into a plan that the client told before they were asked for it."""


def answer_turn(inputs: TurnInputs) -> str:
    """Answer one turn with the JSON text that a model is asked for."""
    line = read_line(inputs.client, raised=inputs.danger)
    asked = asked_topic(inputs.stage, inputs.previous_line)
    small_talk = _is_small_talk(inputs, line)
    gains = {} if small_talk or line.wants_back or line.in_danger else _gains(inputs, line, asked)
    agreed = agreed_sentence(inputs, line, gains)
    if agreed:
        gains[agreed[0]] = [agreed[1]]
    old = inputs.topics[inputs.number]
    changed = {key: _new_value(inputs, key, new, line) for key, new in gains.items()}
    to_the_point = any(topic.chosen_from and gains.get(topic.key) for topic in inputs.stage.topics) or any(
        cue_hits(topic, text) and (topic.more or not old[topic.key])
        for topic in inputs.stage.topics
        for text in gains.get(topic.key, ())
    )
    decision = decide(inputs, line, {**old, **changed}, to_the_point=to_the_point)
    if decision.status == 1:
        changed |= _recalled(inputs, {**old, **changed})
    heard = Understanding(
        line=line,
        values={**old, **changed},
        status=decision.status,
        focus=_focus(inputs, gains, asked),
        topic=_main_topic(inputs, gains, asked),
        small_talk=small_talk,
        agreed=bool(agreed),
    )
    answer: dict[str, object] = {"topics": changed, "status": decision.status}
    if inputs.reason:
        answer["reason"] = decision.why
    return json.dumps(answer | {"reply": write_reply(inputs, heard)}, ensure_ascii=False)


def asked_topic(stage: Stage, previous: str) -> str | None:
    """Return the key of the topic that the counsellor's last line asked for, if it did."""
    for topic in stage.topics:
        if any(question in previous for question in (*topic.questions, *topic.more)):
            return topic.key
    return stage.keys[0] if stage.opening and stage.opening in previous else None


def _gains(inputs: TurnInputs, line: Line, asked: str | None) -> Gains:
    """Return the sentences that each topic gains: from this line, and at first from the one before."""
    end = planned_end(inputs)
    gains = fill_topics(inputs, line.content, asked, end, _said_before(inputs))
    if inputs.number < inputs.furthest and line.content and not asked:
        gains.setdefault(inputs.stage.keys[0], list(line.content))
    for topic in inputs.stage.topics:
        needed = topic.required and not inputs.topics[inputs.number][topic.key]
        hesitant = not line.content and times_asked(inputs.stage, topic, inputs.said) > 1
        if needed and hesitant and (text := stand_in(inputs, topic)):
            gains[topic.key] = [text]
    return gains


def _recalled(inputs: TurnInputs, values: Mapping[str, str]) -> dict[str, str]:
    """On leaving a stage, return for its empty topics what was told shortly before."""
    empty = [topic for topic in inputs.stage.topics if not values[topic.key] and not topic.chosen_from]
    recalled = {topic.key: recall_topic(inputs, topic, values) for topic in empty}
    return {key: text for key, text in recalled.items() if text}


def _said_before(inputs: TurnInputs) -> Gains:
    """In the first turn of a stage, return what the client plainly said for its topics before."""
    if inputs.turns > 1:
        return {}
    earlier = [utterance.text for utterance in inputs.before if utterance.speaker == "client"][-1:]
    last_line = [text for line in earlier for text in read_line(line).content]
    last = inputs.protocol.stage(inputs.number - 1).topics if inputs.number > 1 else ()
    values = inputs.topics.get(inputs.number - 1, {})
    chosen = [t for topic in last if topic.chosen_from for t in value_sentences(values[topic.key])]
    # What was chosen may say already what will be done; a chosen problem does not say what happens.
    recent = [*chosen, *last_line] if len(last) > 1 else [t for t in last_line if t not in chosen]
    choices = [topic for topic in inputs.stage.topics if topic.chosen_from]
    older = [t for t in told_since_choice(inputs) if len(last) == 1 or not _was_chosen(inputs, t)]
    found: Gains = {}
    for topic in inputs.stage.topics:
        # What got in the way is told in a review, or stands in when it is left.
        if inputs.next_stage is None and holds_obstacles(topic) and topic.more:
            continue
        if choices and topic not in choices and not found:
            break
        first = topic == inputs.stage.topics[0]
        plain = [
            t
            for t, least in [
                *((t, PLAINLY) for t in recent),
                *((t, RECALLED) for t in older if not topic.chosen_from),
            ]
            if (first or t not in chosen)
            and (not topic.chosen_from or _may_be_chosen(inputs, topic, t))
            and cue_hits(topic, t)
            and evidence(topic, t, inputs.embedder) >= least
        ]
        named = recall_choice(inputs, topic) if topic.chosen_from and not plain else ""
        if (plain or named) and not inputs.topics[inputs.number][topic.key]:
            most = STEPS if first and topic.recap and not topic.chosen_from else 1
            found[topic.key] = list(dict.fromkeys(plain))[:most] or [named]
    return found


def _was_chosen(inputs: TurnInputs, text: str) -> bool:
    """Whether a text was a choice: later it tells neither how it went nor what was learned."""
    topics = [
        (stage, topic) for stage in inputs.protocol.stages[: inputs.number - 1] for topic in stage.topics
    ]
    chosen = (inputs.topics[stage.number][topic.key] for stage, topic in topics if topic.chosen_from)
    return any(text in value_sentences(value) for value in chosen)


def _may_be_chosen(inputs: TurnInputs, choice: Topic, text: str) -> bool:
    """Whether what was said before is about what can be chosen, and not told for another topic."""
    about = Choices(inputs, None, False, {}).is_about_told(choice, text)
    return about and not _held_elsewhere(inputs, choice, text)


def _held_elsewhere(inputs: TurnInputs, choice: Topic, text: str) -> bool:
    """Whether a text was told for another topic than the one that is chosen from."""
    return any(
        text in value_sentences(value)
        for topics in inputs.topics.values()
        for key, value in topics.items()
        if key != choice.chosen_from
    )


def _is_small_talk(inputs: TurnInputs, line: Line) -> bool:
    """Whether the line has nothing to do with the session: nearer to small talk than to all that was said."""
    if not line.content or any(
        cue_hits(topic, text) for topic in inputs.stage.topics for text in line.content
    ):
        return False
    if line.questions and question_kind(line.questions[-1], inputs.embedder) in ("taste", "off_topic"):
        return not sounds_distressed(line.text)
    values = [value for topics in inputs.topics.values() for value in topics.values()]
    known = [sentence for value in values for sentence in value_sentences(value)]
    return is_small_talk(line.content, known, inputs.embedder)


def _new_value(inputs: TurnInputs, key: str, new: list[str], line: Line) -> str:
    """Add to a topic; a choice that is taken back is replaced."""
    topic = next(topic for topic in inputs.stage.topics if topic.key == key)
    revised = inputs.number < inputs.furthest or pattern("correction").search(line.text.lower())
    old = inputs.topics[inputs.number][key]
    if topic.chosen_from and revised:
        return join_value("", new)
    if is_borrowed(inputs, topic) and not topic.more and not topic.chosen_from:
        return join_value("", new)
    if topic.cues and not topic.more:
        best = max(evidence(topic, text, inputs.embedder) for text in new)
        kept = [t for t in value_sentences(old) if evidence(topic, t, inputs.embedder) > best - WEAKER]
        return join_value(join_value("", kept) if kept else "", new)
    return join_value(old, new)


def _main_topic(inputs: TurnInputs, gains: Gains, asked: str | None) -> str:
    """Return the topic that this turn was most about: the one asked for, else the first that gained."""
    told = [key for key, texts in gains.items() if any(text in inputs.client for text in texts)]
    key = asked if asked in told else next(iter(told), "")
    topic = next((topic for topic in inputs.stage.topics if topic.key == key), None)
    if topic is None or topic.more or topic.chosen_from:
        return key
    return key if any(cue_hits(topic, text) for text in gains[key]) else ""


def _focus(inputs: TurnInputs, gains: Gains, asked: str | None) -> tuple[str, ...]:
    """Return the sentences of this turn that count most: for the topic asked for, else for any."""
    texts = gains.get(asked or "") or [text for new in gains.values() for text in new]
    return tuple(dict.fromkeys(text for text in texts if text in inputs.client))
