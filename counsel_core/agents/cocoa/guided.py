"""The guided rules of CoCoA's five tasks: they answer without a language model, in English.

Each returns what a model would have written, so that it is read by the same code. How they judge:
distortions by `guided_detection`, the technique by the table in the distortion's data file, the stage
by the usage log, the reply by `guided_reply`.
"""

from __future__ import annotations

import json
import re

from counsel_core.agents._reflection import plain_words
from counsel_core.agents._utterance import read_line
from counsel_core.agents.cocoa.guided_detection import detect, rank_distortions
from counsel_core.agents.cocoa.guided_reading import holds, listen, refuses
from counsel_core.agents.cocoa.guided_reply import write_reply
from counsel_core.agents.cocoa.inputs import ExtractionInputs, StageInputs, TechniqueInputs
from counsel_core.agents.cocoa.knowledge import distortion_types, techniques
from counsel_core.agents.cocoa.state import Progress
from counsel_core.records import Language

__all__ = [
    "choose_by_table",
    "detect",
    "detect_distortion",
    "draw_insights",
    "follow_log",
    "rank_distortions",
    "write_reply",
]

MOST_NOTES = 2
LONGEST_NOTE = 240
LANGUAGE: Language = "en"

_THIRD_PERSON = {
    "i": "they", "me": "them", "my": "their", "mine": "theirs", "myself": "themselves", "we": "they",
    "us": "them", "our": "their", "ours": "theirs", "ourselves": "themselves", "i'm": "they're",
    "i've": "they've", "i'd": "they'd", "i'll": "they'll", "we're": "they're", "we've": "they've",
    "we'd": "they'd", "we'll": "they'll", "im": "they're", "ive": "they've", "you": "the counsellor",
    "your": "the counsellor's", "you're": "the counsellor is",
}  # fmt: skip
_WORD = re.compile(r"[A-Za-z]+(?:'[A-Za-z]+)?")
_FIRST_BE = re.compile(r"\b(I(?: \w+)?) (am|was|wasn't)\b")
_PLURAL_BE = {"am": "are", "was": "were", "wasn't": "weren't"}
_LEAD = re.compile(
    r"^(?:(?:well|so|and|but|yes|yeah|no|ok|okay|oh|honestly|actually|anyway)\b[ ,]*)+", re.IGNORECASE
)


def draw_insights(inputs: ExtractionInputs) -> str:
    """Note what the client tells, at most two sentences, turned to the third person."""
    told = [note for text in read_line(inputs.latest.client).content if (note := _note(text))]
    return json.dumps({"insights": told[:MOST_NOTES]}, ensure_ascii=False)


def detect_distortion(inputs: ExtractionInputs) -> str:
    """Judge the client's line by cues and prototypes."""
    kind, severity, ranking = detect(inputs.latest.client)
    found = {"type": kind, "utterance": inputs.latest.client, "score": severity, "ranking": ranking}
    return json.dumps(found, ensure_ascii=False)


def choose_by_table(inputs: TechniqueInputs) -> str:
    """Choose the technique: go on with the one under way, or take the first of the table that is not used up.

    One under way is kept until it is finished if it suits the distortion to treat, or if half of it is
    done already; not if the client refuses it. One that was interrupted goes on where it stopped. When
    all that fit are finished, the least often finished starts anew.
    """
    fitting = distortion_types()[inputs.target].techniques
    current = inputs.current
    refused = refuses(read_line(inputs.latest.client))
    if current and not refused:
        done, of = inputs.log[current].completed, _count_stages(current)
        if done < of and (current in fitting or 2 * done >= of):
            return json.dumps({"technique": current})
    others = [name for name in fitting if not (refused and name == current)]

    def worn(name: str) -> tuple[bool, int]:
        progress = inputs.log.get(name, Progress())
        return progress.completed >= _count_stages(name), progress.rounds

    return json.dumps({"technique": min(others, key=worn)})


def follow_log(inputs: StageInputs) -> str:
    """Take the stage after those completed; once more the last one if its question is still open.

    A question that stays open a second time is let go.
    """
    stages = inputs.technique.texts[LANGUAGE].stages
    done, dialogue = inputs.progress.completed, inputs.progress.dialogue
    number = min(done + 1, len(stages))
    if done and holds(read_line(inputs.latest.client)):
        before = dialogue[-2].client if len(dialogue) > 1 else ""
        if not before or not holds(read_line(before)):
            number = done
    return json.dumps({"stage": number, "example": stages[number - 1].example}, ensure_ascii=False)


def _count_stages(name: str) -> int:
    return len(techniques()[name].texts[LANGUAGE].stages)


def _note(sentence: str) -> str:
    """Return a sentence of the client's as a note about them, '' if it says nothing of anyone.

    >>> _note("Well, I was late and my boss didn't greet me.")
    "The client says that they were late and their boss didn't greet them."
    """
    words = _LEAD.sub("", plain_words(sentence)).rstrip(" .!…,;")
    if len(words.split()) < 3:
        return ""
    if len(words) > LONGEST_NOTE:
        words = words[:LONGEST_NOTE].rsplit(" ", 1)[0] + " …"
    words = _FIRST_BE.sub(lambda found: f"{found[1]} {_PLURAL_BE[found[2]]}", words)
    turned = _WORD.sub(lambda found: _THIRD_PERSON.get(found[0].lower(), found[0]), words)
    return f"The client says that {_lower_first(turned)}."


def _lower_first(words: str) -> str:
    first = _WORD.match(words)
    plain = first and listen("line", "openers").fullmatch(first[0].lower())
    return words[:1].lower() + words[1:] if plain else words
