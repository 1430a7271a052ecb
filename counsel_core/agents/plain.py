"""The plain baseline: the bare model with the full history and no instruction (as CoCoA's baselines)."""

from __future__ import annotations

from collections.abc import Sequence

from counsel_core.agents._base import Agent, Opening, TurnContext
from counsel_core.agents._full_history import NoState, dump_nothing, load_nothing, respond_with_history
from counsel_core.records import AgentReply, Utterance


def respond(state: NoState, transcript: Sequence[Utterance], context: TurnContext) -> AgentReply:
    """Answer one client utterance with nothing but the history before it."""
    return respond_with_history("plain_turn", "", state, transcript, context)


PLAIN = Agent(
    name="plain",
    label="Plain model",
    about="The bare model with the full history and no instruction: what it does by itself.",
    source="The baselines of CoCoA: general chat models without the agent around them",
    languages=("en", "zh"),
    settings=(),
    begin=lambda settings, language, protocols_dir: Opening("", NoState()),
    respond=respond,
    load=load_nothing,
    dump=dump_nothing,
    view=lambda state, material, trace: {},
)
