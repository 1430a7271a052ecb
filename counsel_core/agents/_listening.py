"""Guided rules that every agent shares: taking up what a client said before asking anything."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from counsel_core.agents import _words
from counsel_core.agents._phrases import Said, framed, ranked, read_families, said_in, shared
from counsel_core.agents._reflection import echo, find_clause, plain_words
from counsel_core.agents._utterance import (
    Kind,
    Line,
    pattern,
    read_line,
    sounds,
    sounds_distressed,
    sounds_hopeful,
)
from counsel_core.language.embeddings import Embedder, cosine
from counsel_core.records import Utterance

BARE = ("plain", "plan", "wish")
"""What sounds like this needs no words around it: every other time it is said back as it is."""
PLAINLY_NEAR = 0.35
"""Below this cosine a question resembles none of the examples."""
SMALL_TALK = 0.4
"""So near an example a statement may be small talk; so near what the client told before it is none."""
SMALL_TALK_MARGIN = 0.12


@dataclass(frozen=True)
class ListeningInputs:
    """What the rules of `listen` read: the whole transcript, ending with the client's new line."""

    transcript: tuple[Utterance, ...]
    turn: int
    embedder: Embedder
    danger: bool = False


def listen(inputs: ListeningInputs) -> str:
    """Answer a client without any stages: take up what was said, one supportive move, one question.

    No reply is given twice in a session.
    """
    line = read_line(inputs.transcript[-1].text, raised=inputs.danger)
    said = said_in([utterance.text for utterance in inputs.transcript if utterance.speaker == "counsellor"])
    return first_new(_listening_replies(inputs, line, said), said)


def _listening_replies(inputs: ListeningInputs, line: Line, said: Said) -> Iterator[str]:
    if line.in_danger:
        yield from safety_replies(line, said, inputs.turn)
    answer = answer_question(line.questions[-1], said, inputs.embedder) if line.questions else ""
    start = take_up(line, line.content, said, inputs.turn) if line.content or not answer else ""
    told = () if is_small_talk(line.content, (), inputs.embedder) else line.content
    tone = tone_of(" ".join(told)) if told else "quiet"
    ends = "farewell" if line.answer == "farewell" else tone
    for move in ranked(shared("support", "quiet" if ends == "farewell" else tone), said):
        for question in ranked(shared("open_question", ends), said):
            yield " ".join(part for part in (answer, start, move, question) if part)


def safety_replies(line: Line, said: Said, turn: int) -> Iterator[str]:
    """Yield answers to a line that speaks of danger: no question of a protocol, but one about safety.

    The risk check around every agent comes first; these are what the rules say besides it.
    """
    start = take_up(line, (), said, turn)
    for pause in ranked(shared("safety", "pause"), said):
        for question in ranked(shared("safety", "question"), said):
            yield f"{start} {pause} {question}"


def take_up(line: Line, focus: Sequence[str], said: Said, turn: int) -> str:
    """Return a sentence that takes up what the client said: a reflection, or an acknowledgement.

    `focus` are the sentences that matter most. Long lines are taken up by one thread, words of death
    and violence and swearing are answered but never said back, and a line without content gets a lead.
    """
    text = plain_words(" ".join(focus) or line.text)
    if line.in_danger or _words.pattern("reflection", "heavy").search(text):
        return ranked(shared("acknowledgement", "heavy"), said)[0]
    if _words.pattern("reflection", "swearing").search(text):
        return ranked(shared("acknowledgement", "anger"), said)[0]
    if not line.content:
        kinds: tuple[Kind, ...] = ("complaint", "foreign", "joke")
        special = next((kind for kind in kinds if line.has(kind)), None)
        return ranked(shared("acknowledgement", special), said)[0] if special else lead(line, said)
    if line.long:
        return _one_thread(line, focus, said, turn)
    found = find_clause(" ".join(focus)) or find_clause(" ".join(line.content))
    tone = tone_of(found[0] if found else text)
    # Saying back every line would be parroting: each third turn a plain acknowledgement does.
    if found and (turn % 3 or tone == "plain"):
        return said_back_in(tone, found[1], said, turn)
    short = echo(", ".join(text.rstrip(" .!,") for text in focus or line.content)) if not found else None
    if short:
        return framed(shared("reflection", "echo"), said, e=short, E=capital(short))[0]
    return ranked(shared("acknowledgement", tone), said)[0]


def _one_thread(line: Line, focus: Sequence[str], said: Said, turn: int) -> str:
    """Take up one thread of a long telling: a clause that is felt or planned; failing that, all of it."""
    # A piece cut out of an endless sentence may end with the beginning of the next thought.
    pieces = [re.sub(r" and (?:my|the|his|her|our) \w+,$", "", text) for text in (*focus, *line.content)]
    found = [clause for piece in pieces if (clause := find_clause(piece)) and tone_of(clause[0]) != "plain"]
    if found:
        best = max(found, key=lambda clause: bool(_words.pattern("reflection", "felt").search(clause[0])))
        return said_back_in("long", best[1], said, turn)
    return ranked(shared("acknowledgement", "long"), said)[0]


def tone_of(text: str) -> str:
    """Return how a text sounds: "doubt", "wish", "effort", "hopeful", "plan", "distress" or "plain"."""
    for tone in ("doubt", "wish"):
        if pattern(tone).search(plain_words(text).lower()):
            return tone
    plain = plain_words(text)
    if pattern("effort").search(plain) and not pattern("failed").search(plain):
        return "effort"
    if sounds_hopeful(text):
        return "hopeful"
    bleak = sounds("bleak", text)
    distressed = bleak or sounds_distressed(text)
    if (pattern("firm_plan").search(plain) and not bleak) or (
        pattern("plan").search(plain) and not distressed
    ):
        return "plan"
    return "distress" if distressed else "plain"


def lead(line: Line, said: Said) -> str:
    """Return a line for an utterance that tells nothing: "ok", "no", "not sure", "hi", "bye"."""
    families = ("decline", "unsure", "thanks", "greeting", "farewell", "apology")
    family = "decline" if line.answer == "done" else line.answer if line.answer in families else "agree"
    return ranked(shared("lead", family), said)[0]


def answer_question(question: str, said: Said, embedder: Embedder) -> str:
    """Answer a client's question as a counsellor would who gives no advice and claims no life of its own."""
    return ranked(shared("answer", question_kind(question, embedder)), said)[0]


def question_kind(question: str, embedder: Embedder) -> str:
    """Return the kind of question whose examples a question resembles most, or "other".

    Kinds: human, taste, advice, normal, process, permission, privacy, diagnosis, help, outcome,
    meaning, why, recall, off_topic.
    """
    examples = read_families("counsel_core.agents", "phrases_en.toml")["example"]
    kinds = [(kind, text) for kind, texts in examples.items() for text in texts]
    vectors = embedder.embed([question, *(text for _, text in kinds)])
    near = cosine(vectors[0], vectors[1:])
    best = int(near.argmax())
    return kinds[best][0] if near[best] >= PLAINLY_NEAR else "other"


def is_small_talk(sentences: Sequence[str], known: Sequence[str], embedder: Embedder) -> bool:
    """Whether all sentences, of four words or more, are nearer to small talk than to a session.

    `known` are the client's own sentences so far: what they are about is no small talk.
    """
    off, on = shared("small_talk", "off"), shared("small_talk", "on")
    vectors = embedder.embed([*sentences, *off, *on, *known])
    told, rest = vectors[: len(sentences)], vectors[len(sentences) :]
    for at, text in enumerate(sentences):
        near = cosine(told[at], rest)
        near_off, near_on = float(near[: len(off)].max()), float(near[len(off) : len(off) + len(on)].max())
        of_theirs = float(near[len(off) + len(on) :].max(initial=0.0))
        if len(text.split()) < 4 or sounds_distressed(text) or of_theirs >= SMALL_TALK:
            return False
        if near_off < max(SMALL_TALK, near_on + SMALL_TALK_MARGIN):
            return False
    return True


def first_new(replies: Iterable[str], said: Said) -> str:
    """Return the first of some replies that was never given in this session; the last one failing that."""
    reply = ""
    for reply in replies:
        if not said.has_replied(reply):
            return reply
    return reply


def capital(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]


def said_back_in(family: str, clause: str, said: Said, turn: int) -> str:
    """Return a clause in the frame of its tone that was used least recently; at times in none at all."""
    if family in BARE and turn % 2:
        return f"{capital(clause)}."
    reply = framed(shared("reflection", family), said, c=clause, C=capital(clause))[0]
    return reply.replace("that that's", "that this is").replace("that that", "that this")
