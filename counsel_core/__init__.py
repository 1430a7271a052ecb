"""The library behind the dashboard: agents, models, safety and sessions, without Streamlit."""
