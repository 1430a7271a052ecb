"""Guided rules: the counsellor's line, from support, the client's words and the stage's example."""

from __future__ import annotations

from collections.abc import Iterator

from counsel_core.agents._listening import (
    answer_question,
    capital,
    first_new,
    lead,
    safety_replies,
    said_back_in,
    take_up,
)
from counsel_core.agents._phrases import Said, framed, ranked, read_families, shared
from counsel_core.agents._reflection import echo, reflect
from counsel_core.agents._utterance import Line, read_line, split_sentences
from counsel_core.agents.cocoa.guided_detection import rank_distortions
from counsel_core.agents.cocoa.guided_reading import (
    asks_for_a_verdict,
    greets,
    is_at_a_loss,
    is_balanced,
    is_hurting,
    number_in,
    quotable,
    refuses,
    tells_a_loss,
)
from counsel_core.agents.cocoa.inputs import ReplyInputs
from counsel_core.agents.cocoa.knowledge import distortion_types


def phrases(section: str, family: str) -> tuple[str, ...]:
    """Return a family of the phrases of a CoCoA session."""
    return tuple(read_families("counsel_core.agents.cocoa", "phrases_en.toml")[section][family])


def write_reply(inputs: ReplyInputs) -> str:
    """Write a reply that was not given before: first it takes up the client's line, then it leads on."""
    return first_new(_replies(inputs, read_line(inputs.latest.client, raised=inputs.danger)), inputs.said)


def _replies(inputs: ReplyInputs, line: Line) -> Iterator[str]:
    if line.in_danger:
        yield from safety_replies(line, inputs.said, inputs.turn)
    kind = distortion_types().get(inputs.distortion or "")
    aside = bool(inputs.plan and kind and kind.eligible and kind.name != inputs.target)
    for start in _starts(inputs, line, aside):
        for end in _ends(inputs, line, aside):
            yield f"{start} {end}".strip()


def _starts(inputs: ReplyInputs, line: Line, aside: bool) -> Iterator[str]:
    """Yield what takes up the client's line; `aside`: its thought is not the one being worked on."""
    said = inputs.said
    if inputs.distortion:
        yield from _thought(inputs, line, aside)
    elif refuses(line):
        yield from ranked(phrases("stage", "change"), said)
    elif line.questions and not line.content and asks_for_a_verdict(line):
        yield from ranked(phrases("stage", "verdict"), said)
    elif line.questions and not line.content:
        yield answer_question(line.questions[-1], said, inputs.embedder)
    elif greets(line):
        yield from ranked(shared("lead", "greeting"), said)
    elif is_at_a_loss(line):
        yield from ranked(shared("lead", "unsure"), said)
    elif line.answer in ("thanks", "farewell"):
        yield lead(line, said)
    elif not line.content:
        yield take_up(line, (), said, inputs.turn)
    elif tells_a_loss(line):
        yield from ranked(shared("acknowledgement", "heavy"), said)
    elif (number := number_in(line)) is not None:
        frames = phrases("balanced", "number")
        yield frames[inputs.turn % len(frames)].format(n=number, N=capital(number))
    elif is_balanced(line):
        leads = ranked(phrases("balanced", "lead"), said) if inputs.plan else ("",)
        yield from (f"{_taken_up(inputs, line, 'plain')} {text}".strip() for text in leads)
    else:
        yield _taken_up(inputs, line, "distress" if is_hurting(line) else "plain")
    yield from ranked(shared("acknowledgement", "plain"), said)


def _thought(inputs: ReplyInputs, line: Line, aside: bool) -> Iterator[str]:
    """Yield the thought said back and the feeling behind it, in turns, so that it does not parrot."""
    kind = inputs.distortion or ""
    feelings = ranked(phrases("validation", kind), inputs.said)
    said_back = _said_back(line, kind, inputs.said)
    for feeling in feelings:
        if said_back and aside:
            yield said_back if inputs.turn % 2 else feeling
        elif said_back and inputs.turn % 3:
            yield f"{said_back} {feeling}"
        else:
            yield feeling


def _taken_up(inputs: ReplyInputs, line: Line, tone: str) -> str:
    """Return what the client told, turned round in a frame, or an acknowledgement."""
    clause = reflect(line.text)
    # Saying back every line would be parroting: each third turn an acknowledgement does.
    if clause and inputs.turn % 3:
        return said_back_in(tone, clause, inputs.said, inputs.turn)
    if not clause and (short := echo(line.text)):
        return framed(shared("reflection", "echo"), inputs.said, e=short, E=capital(short))[0]
    return ranked(shared("acknowledgement", tone), inputs.said)[0]


def _telling_sentence(text: str, kind: str) -> str:
    """Return the sentence of an utterance that shows a type of distortion most plainly."""
    sentences = split_sentences(text)
    if len(sentences) < 2:
        return text
    return max(sentences, key=lambda sentence: dict(rank_distortions(sentence))[kind])


def _said_back(line: Line, kind: str, said: Said) -> str:
    """Return the sentence that shows the distortion, quoted or turned round; '' where neither is safe."""
    sentence = _telling_sentence(line.text, kind)
    quoted, frames = quotable(sentence), phrases("thought", "quoted")
    if quoted:
        return framed(frames, said, q=quoted)[0]
    clause = reflect(sentence)
    return f"So {clause}." if clause else ""


def _ends(inputs: ReplyInputs, line: Line, aside: bool) -> Iterator[str]:
    """Yield what leads on: the stage's question, or an open one while there is nothing to work on."""
    said, plan = inputs.said, inputs.plan
    if line.answer == "farewell" and not line.content:
        yield from ranked(phrases("stage", "farewell"), said)
    if plan is None:
        yield from ranked(_open_questions(inputs, line), said)
        return
    over = _lead_over(inputs, line, aside)
    if said.last_said(plan.example) < 0:
        yield f"{over} {plan.example}".strip()
    question = next((text for text in split_sentences(plan.example) if text.endswith("?")), plan.example)
    family = "return" if line.questions else "again"
    for text in ranked([text.format(question=question) for text in phrases("stage", family)], said):
        yield f"{over} {text}".strip()


def _open_questions(inputs: ReplyInputs, line: Line) -> tuple[str, ...]:
    if inputs.distortion and not distortion_types()[inputs.distortion].eligible:
        return (*phrases("feeling", "question"), *phrases("explore", "question"))
    if greets(line):
        return (*phrases("explore", "greeting"), *phrases("explore", "question"))
    if is_hurting(line):
        return (*phrases("explore", "distress"), *phrases("explore", "question"))
    return phrases("explore", "question")


def _lead_over(inputs: ReplyInputs, line: Line, aside: bool) -> str:
    """Return what stands between the client's line and the stage's question."""
    said = inputs.said
    if aside and inputs.continues:
        back = ranked(phrases("stage", "back"), said)[0]
        return f"{ranked(phrases('stage', 'aside'), said)[0]} {back}"
    if refuses(line):
        return ranked(phrases("stage", "choice"), said)[0]
    if inputs.continues or inputs.distortion == inputs.target:
        return ""
    parts = []
    if inputs.previous and not aside:
        parts.append(ranked(phrases("stage", "finished"), said)[0])
    if quoted := quotable(_telling_sentence(inputs.thought, inputs.target or "")):
        parts.append(framed(phrases("stage", "anchor"), said, q=quoted)[0])
    return " ".join(parts)
