"""What CoCoA's tests share: a model that answers each task from a script, and a turn with it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counsel_core.agents._base import TurnContext, check_settings
from counsel_core.agents.cocoa import COCOA
from counsel_core.language.embeddings import CachedEmbedder
from counsel_core.llm._base import Caller
from counsel_core.records import AgentReply, Completion, ModelCall, ModelRequest, ModelSpec, Utterance

SPEC = ModelSpec("script", "script", "Script", "loopback")

ANSWERS = {
    "cocoa insights": {"insights": ["The client failed an exam."]},
    "cocoa distortion": {"type": "Labeling", "utterance": "I'm a loser", "score": 4},
    "cocoa technique": {"technique": "Continuum Technique"},
    "cocoa stage": {"stage": 1, "example": "What is being measured here?"},
    "cocoa reply": "That sounds painful. What makes you say so?",
}


class ScriptedModel:
    """Answers by the task's name: with a text, with JSON, with each of a list in turn, or by raising."""

    spec = SPEC

    def __init__(self, **answers: Any) -> None:
        self.answers = ANSWERS | {f"cocoa {task}": answer for task, answer in answers.items()}
        self.requests: list[ModelRequest] = []
        self._asked: dict[str, int] = {}
        self._lock = threading.Lock()

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        with self._lock:
            self.requests.append(request)
            number = self._asked[request.task.name] = self._asked.get(request.task.name, -1) + 1
        answer = self.answers[request.task.name]
        if isinstance(answer, list):
            answer = answer[min(number, len(answer) - 1)]
        if isinstance(answer, Exception):
            raise answer
        if callable(answer):
            answer = answer(request, cancel)
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return Completion(text, 0.01)

    def sent(self, task: str) -> str:
        """The whole prompt of the last request of a task."""
        request = [one for one in self.requests if one.task.name == f"cocoa {task}"][-1]
        return "\n".join(message.content for message in request.messages)

    def tasks(self) -> list[str]:
        return [request.task.name.removeprefix("cocoa ") for request in self.requests]


def letters(texts: Sequence[str]) -> Any:
    """Count letters: an encoder whose cosine is easy to reason about."""
    rows = np.zeros((len(texts), 26), dtype=np.float32)
    for row, text in enumerate(texts):
        for letter in text.lower():
            if "a" <= letter <= "z":
                rows[row, ord(letter) - ord("a")] += 1
        rows[row] /= np.linalg.norm(rows[row]) or 1
    return rows


@pytest.fixture
def letter_embedder() -> CachedEmbedder:
    return CachedEmbedder("letters", 26, letters)


@pytest.fixture
def calls() -> list[ModelCall]:
    return []


@pytest.fixture
def respond(letter_embedder: CachedEmbedder, calls: list[ModelCall]) -> Callable[..., AgentReply]:
    """Answers one client line with a model, from the state before (none: a new session)."""

    def answer(
        model: Any, client: str, counsellor: str = "", *, state: Any = None, turn: int = 1, **changes: Any
    ) -> AgentReply:
        language = changes.pop("language", "en")
        progress = changes.pop("progress", lambda step: None)
        cancel = changes.pop("cancel", threading.Event())
        settings = check_settings(COCOA, changes)
        opening = COCOA.begin(settings, language, Path())
        transcript = [Utterance("counsellor", counsellor or opening.text), Utterance("client", client)]
        context = TurnContext(
            caller=Caller(model, calls.append, cancel),
            embedder=letter_embedder,
            language=language,
            settings=settings,
            material=opening.material,
            turn=turn,
            progress=progress,
        )
        return COCOA.respond(opening.state if state is None else state, transcript, context)

    return answer
