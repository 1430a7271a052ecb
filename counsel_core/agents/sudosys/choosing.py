"""Guided rules: helping a client who cannot choose, by a proposal that they agree to or not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from counsel_core.agents._phrases import ranked
from counsel_core.agents._reflection import echo, reflect, turn_round
from counsel_core.agents._utterance import Line
from counsel_core.agents.sudosys.evidence import cue_hits, naming_words, value_sentences
from counsel_core.agents.sudosys.inputs import TurnInputs
from counsel_core.agents.sudosys.pacing import phrase, planned_end, times_asked
from counsel_core.agents.sudosys.protocol import Topic

SHOWN_WORDS = 22
"""A quotation of the client's is cut to so many words."""
SHOWN_CHARACTERS = 160


def agreed_sentence(inputs: TurnInputs, line: Line, gains: Mapping[str, list[str]]) -> tuple[str, str] | None:
    """Return the choice and the client's own sentence that was proposed last, if they go along with it.

    Agreeing or leaving it to the counsellor is consent; so is a second hesitation, and simply talking on
    when the stage should have been left some turns ago.
    """
    topic = _open_choice(inputs, inputs.topics[inputs.number])
    if (
        topic is None
        or topic.key in gains
        or line.wants_back
        or not (sentence := proposed_sentence(inputs, topic))
    ):
        return None
    if shown_proposal(sentence) not in inputs.previous_line or line.answer == "decline" or line.questions:
        return None
    agrees = line.defers or (not line.content and line.answer in ("agree", "thanks"))
    again = sum(inputs.said.last_said(text) >= 0 for text in proposals(sentence)) > 1
    late = bool(line.content) and inputs.turn > planned_end(inputs) + 2
    return (topic.key, sentence) if agrees or again or late else None


def next_proposal(inputs: TurnInputs, line: Line, values: Mapping[str, str]) -> list[str]:
    """Return proposals, the one to make first, where the client was asked twice and has not chosen."""
    topic = _open_choice(inputs, values)
    hesitant = not line.content or line.undecided
    patience = 2 if hesitant else 4
    if topic is None or times_asked(inputs.stage, topic, inputs.said) < patience or line.questions:
        return []
    sentence = proposed_sentence(inputs, topic)
    if sentence is None or (line.content and shown_proposal(sentence) in inputs.previous_line):
        return []
    return ranked(proposals(sentence), inputs.said)


def proposals(sentence: str) -> list[str]:
    """Return all ways to propose a sentence."""
    return [text.format(x=shown_proposal(sentence)) for text in phrase("lead", "propose")]


def proposed_sentence(inputs: TurnInputs, topic: Topic) -> str | None:
    """Return the client's sentence to propose for a choice: about what they have spoken of most.

    A sentence that lists several things, or says that everything is bad, is proposed only for want of others.
    """
    sources = (
        topics.get(topic.chosen_from, "")
        for number, topics in inputs.topics.items()
        if number < inputs.number
    )
    sentences = [
        item for value in sources for sentence in value_sentences(value) for item in _items(sentence)
    ]
    told = [
        s for topics in inputs.topics.values() for value in topics.values() for s in value_sentences(value)
    ]
    counts = Counter(word for sentence in set(told) for word in naming_words(sentence))

    source = next(t for stage in inputs.protocol.stages for t in stage.topics if t.key == topic.chosen_from)

    def weight(sentence: str) -> tuple[bool, bool, int]:
        plain = not source.cues or cue_hits(source, sentence) > 0
        single = sentence.count(",") < 2 and not re.match(
            r"everything|nothing|all\b|each\b|both\b|they're all", sentence, re.I
        )
        return plain, single, max((counts[word] for word in naming_words(sentence)), default=0)

    return max(sentences, key=weight, default=None)


def _items(sentence: str) -> list[str]:
    """Return the things that a sentence does no more than list, or the sentence itself."""
    items = [item.strip(" .") for item in sentence.split(",")]
    return items if len(items) > 2 and all(len(item.split()) <= 3 for item in items) else [sentence]


def shown_proposal(sentence: str) -> str:
    """Return how a proposed sentence is said: turned round where that is safe, quoted where not."""
    return reflect(sentence) or echo(sentence) or quoted(sentence)


def shown_sentence(sentence: str) -> str:
    """Return a sentence as it is summed up: whole and turned round where that is safe, quoted where not."""
    turned = turn_round(sentence)
    return turned if turned and len(turned.split()) <= SHOWN_WORDS else quoted(sentence)


def quoted(text: str) -> str:
    """Return a text in quotation marks, cut to a handy length; nothing in it is the counsellor's own."""
    words = re.sub(r"\b[Mm]y\b", "[your]", text).split()
    cut = " ".join(words[:SHOWN_WORDS])[:SHOWN_CHARACTERS].rstrip(" ,;:")
    return f"“{cut} …”" if len(cut) < len(" ".join(words).rstrip(" ,;:")) else f"“{cut.rstrip('.')}”"


def _open_choice(inputs: TurnInputs, values: Mapping[str, str]) -> Topic | None:
    return next((t for t in inputs.stage.topics if t.chosen_from and not values[t.key]), None)
