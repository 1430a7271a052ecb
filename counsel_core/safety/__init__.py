"""The safety layer: the risk check and the reply check that stand around every agent."""
