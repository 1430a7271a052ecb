"""The stage-unaware baseline: role and responsibilities set once, full history (SuDoSys, section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources

from counsel_core.agents._base import Agent, Opening, TurnContext
from counsel_core.agents._full_history import NoState, dump_nothing, load_nothing, respond_with_history
from counsel_core.records import AgentReply, Language, Utterance


def respond(state: NoState, transcript: Sequence[Utterance], context: TurnContext) -> AgentReply:
    """Answer one client utterance after the role and the whole history."""
    role = role_prompt(context.language)
    return respond_with_history("stage_unaware_turn", role, state, transcript, context)


@cache
def role_prompt(language: Language) -> str:
    """Return the system message: role and responsibilities, no stages."""
    file = resources.files(__package__).joinpath(f"prompts/stage_unaware_{language}.txt")
    return file.read_text("utf-8").strip()


STAGE_UNAWARE = Agent(
    name="stage_unaware",
    label="Stage-unaware prompt",
    about="A counsellor's role and duties said once at the start, then the full history: no stages.",
    source="Structured Dialogue System for Mental Health (SuDoSys), section 2.1",
    languages=("en", "zh"),
    settings=(),
    begin=lambda settings, language, protocols_dir: Opening("", NoState()),
    respond=respond,
    load=load_nothing,
    dump=dump_nothing,
    view=lambda state, material, trace: {},
)
