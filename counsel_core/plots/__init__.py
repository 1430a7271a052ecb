"""Figures: data frame to plotly figure; nothing is computed here."""
