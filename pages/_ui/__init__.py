"""Widgets that the pages share, each in a module named after the thing it shows."""
