"""How agents answer danger: fixed dialogues played to them, protection on and off, scored on a checklist."""
