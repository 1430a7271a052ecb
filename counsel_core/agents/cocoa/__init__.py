"""CoCoA: cognitive behavioural counselling with a memory of cognitive distortions (Lee et al. 2024)."""

from __future__ import annotations

from counsel_core.agents._base import Agent
from counsel_core.agents.cocoa.agent import respond
from counsel_core.agents.cocoa.settings import OVERRIDES, SETTINGS, begin
from counsel_core.agents.cocoa.state import continue_from, dump_state, load_state, view_state

COCOA = Agent(
    name="cocoa",
    label="CoCoA",
    about="Remembers insights and cognitive distortions, chooses the distortion to treat, a technique of "
    "cognitive behavioural therapy and its stage, and answers with them in mind.",
    source="Lee et al. 2024, CoCoA: CBT-based Conversational Counseling Agent using Memory Specialized in "
    "Cognitive Distortions and Dynamic Prompt",
    languages=("en", "zh"),
    settings=SETTINGS,
    begin=begin,
    respond=respond,
    load=load_state,
    dump=dump_state,
    view=view_state,
    window=lambda settings: 2,
    overrides=OVERRIDES,
    continue_from=continue_from,
)
