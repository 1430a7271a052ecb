"""Runs: a plan, its items, and their results on disk; a worker process of its own, resumable at any point."""
