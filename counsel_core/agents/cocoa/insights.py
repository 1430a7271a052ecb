"""Basic Memory: insights drawn from the client's utterance (Lee et al. 2024, algorithm 1, line 7)."""

from __future__ import annotations

from counsel_core.agents.cocoa.guided import draw_insights
from counsel_core.agents.cocoa.inputs import ExtractionInputs
from counsel_core.agents.cocoa.rendering import render, render_exchange
from counsel_core.agents.cocoa.state import Exchange
from counsel_core.errors import ReplyFormatError
from counsel_core.llm._base import Caller
from counsel_core.llm.structured import ask, read_object
from counsel_core.records import Completion, Json, Language, ModelRequest, Task

TASK = Task("cocoa insights", draw_insights)
MAX_INSIGHTS = 3
MAX_LENGTH = 300
"""Characters; longer is no insight but a copy of the dialogue."""

SCHEMA: Json = {
    "type": "object",
    "properties": {"insights": {"type": "array", "items": {"type": "string"}, "maxItems": MAX_INSIGHTS}},
    "required": ["insights"],
    "additionalProperties": False,
}
_LENIENT: Json = {
    "type": "object",
    "properties": {"insights": {"type": ["array", "string", "null"], "items": {"type": "string"}}},
    "required": ["insights"],
}


def extract_insights(caller: Caller, latest: Exchange, language: Language) -> tuple[str, ...]:
    """Return what is worth remembering of the client's line: at most three short notes, often none."""
    exchange = render_exchange(latest.counsellor, latest.client, language)
    request = ModelRequest(
        task=TASK,
        messages=render("insights", language, utterances=exchange),
        inputs=ExtractionInputs(latest, language),
        language=language,
        schema=SCHEMA,
        max_tokens=512,
        temperature=0.0,
    )
    return ask(caller, request, read_insights)


def read_insights(completion: Completion) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read the notes; a single text counts as one note, null as none.

    Raises
    ------
    ReplyFormatError
        There is no such object, or a note is as long as a dialogue.
    """
    values, repairs = read_object(completion, _LENIENT)
    given = values["insights"] or []
    texts = [given] if isinstance(given, str) else given
    notes = [note for text in texts if _says_something(note := " ".join(text.split()))]
    if any(len(note) > MAX_LENGTH for note in notes):
        raise ReplyFormatError(
            f"A note has over {MAX_LENGTH} characters; write short sentences.",
            f"有一条记录超过{MAX_LENGTH}个字符；请写简短的句子。",
        )
    if len(notes) > MAX_INSIGHTS:
        repairs = (*repairs, f"{len(notes)} insights given, the first {MAX_INSIGHTS} kept")
    return tuple(notes[:MAX_INSIGHTS]), repairs


def _says_something(note: str) -> bool:
    """Whether a note is more than the pattern that the prompt shows."""
    return note.rstrip(" .…。") not in ("", "The client", "来访者")
