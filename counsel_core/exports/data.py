"""The JSON export: everything that is stored of a session, in a form another program can read.

Prompts are kept as they are stored: `prompts.nodes` is a list of parts, each with the place in the list
of the part `before` it, the `role` where a message begins, and its `text`, a place in `prompts.texts`.
A call names the node its prompt ends at; `read_prompt` puts the messages together again.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import datetime
from typing import Any

from counsel_core.records import Json, Message, Turn
from counsel_core.safety.texts import NOTICE
from counsel_core.storage.prompts import Node
from counsel_core.storage.whole import StoredCall, WholeSession

FORMAT = "counsel-session/1"
"""The number grows when a reader of earlier exports could misread a new one."""


def write_json(whole: WholeSession, exported: datetime) -> str:
    """Return a whole session as JSON text, moments as ISO 8601 in UTC."""
    places, prompts = _write_prompts(whole.nodes)
    data = {
        "format": FORMAT,
        "exported": exported,
        "notice": NOTICE,
        "session": asdict(whole.session),
        "opening_state": whole.opening_state,
        "turns": [_write_turn(whole, turn, places) for turn in whole.turns],
        "overrides": [
            asdict(override) | {"state": state}
            for override, state in zip(whole.overrides, whole.override_states, strict=True)
        ],
        "notes": [asdict(note) for note in whole.notes],
        "resumptions": [asdict(resumption) for resumption in whole.resumptions],
        "prompts": prompts,
    }
    return json.dumps(data, ensure_ascii=False, indent=1, default=datetime.isoformat) + "\n"


def read_prompt(prompts: Json, place: int | None) -> tuple[Message, ...]:
    """Return the messages of the prompt that ends at `place`, from an export's `prompts`."""
    messages: list[Message] = []
    parts: list[str] = []
    while place is not None:
        node = prompts["nodes"][place]
        if node["text"] is not None:
            parts.append(prompts["texts"][node["text"]])
        if node["role"] is not None:
            messages.append(Message(node["role"], tuple(reversed(parts))))
            parts = []
        place = node["before"]
    return tuple(reversed(messages))


def _write_prompts(nodes: dict[bytes, Node]) -> tuple[dict[bytes, int], Json]:
    """Return the place of each node and the parts of all prompts."""
    places = {key: place for place, key in enumerate(nodes)}
    words = dict.fromkeys(node.text for node in nodes.values() if node.text is not None)
    texts = {text: place for place, text in enumerate(words)}
    written = [
        {
            "before": None if node.parent is None else places[node.parent],
            "role": node.role,
            "text": None if node.text is None else texts[node.text],
        }
        for node in nodes.values()
    ]
    return places, {"texts": list(texts), "nodes": written}


def _write_turn(whole: WholeSession, turn: Turn, places: dict[bytes, int]) -> Json:
    calls = [_write_call(call, places) for call in whole.calls if call.turn == turn.number]
    stored = {key: value for key, value in asdict(turn).items() if key != "state_delta"}
    return stored | {"shown": turn.shown, "state": whole.states[turn.number], "calls": calls}


def _write_call(stored: StoredCall, places: dict[bytes, int]) -> dict[str, Any]:
    values = {key: value for key, value in asdict(stored.call).items() if key != "messages"}
    prompt = None if stored.prompt is None else places[stored.prompt]
    return {"attempt": stored.attempt, "prompt": prompt, **values}
