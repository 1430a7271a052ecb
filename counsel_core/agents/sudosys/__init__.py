"""SuDoSys: a structured dialogue over the stages of a protocol, with topics kept by stage."""

from counsel_core.agents.sudosys.agent import SUDOSYS

__all__ = ["SUDOSYS"]
