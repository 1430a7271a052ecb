"""Plays a client's lines to an agent, without storage and without the risk check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counsel_core.agents._base import Agent, TurnContext, check_settings
from counsel_core.language.embeddings import embedder_for
from counsel_core.llm._base import Caller, ChatModel
from counsel_core.records import AgentReply, Json, Language, Utterance
from tests.fakes_conversation import FakeModel


@dataclass
class Played:
    """What came of a session: the opening, the replies, and the view after each turn."""

    opening: str
    replies: list[AgentReply]
    views: list[Json]
    state: Any
    material: Json

    @property
    def texts(self) -> list[str]:
        return [reply.text for reply in self.replies]

    @property
    def stages(self) -> list[int]:
        """The stage in which each reply was made."""
        return [view["stage"]["number"] for view in self.views]


def guided_model() -> FakeModel:
    """Answers as the guided provider does: by the task's own rules."""

    def answer(request: Any) -> str:
        assert request.task.rules is not None
        return str(request.task.rules(request.inputs))

    return FakeModel(answer=answer, name="guided")


def play(
    agent: Agent,
    lines: Sequence[str],
    *,
    settings: Mapping[str, Any] | None = None,
    language: Language = "en",
    model: ChatModel | None = None,
    protocols_dir: Path = Path("no-such-folder"),
) -> Played:
    """Take a turn for each line."""
    checked = check_settings(agent, settings or {})
    opening = agent.begin(checked, language, protocols_dir)
    caller = Caller(model or guided_model())
    transcript = [Utterance("counsellor", opening.text)] if opening.text else []
    played = Played(opening.text, [], [], opening.state, opening.material)
    window = agent.window(checked)
    for turn, line in enumerate(lines, start=1):
        transcript.append(Utterance("client", line))
        context = TurnContext(caller, embedder_for(language), language, checked, opening.material, turn)
        reply = agent.respond(played.state, transcript[-window:] if window else transcript, context)
        transcript.append(Utterance("counsellor", reply.text))
        played.state = reply.state
        played.replies.append(reply)
        played.views.append(agent.view(reply.state, opening.material, reply.trace))
    return played
