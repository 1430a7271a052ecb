"""What a user may set before a session, and what a clinician may change within it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from counsel_core.agents._base import Opening, OverrideKind, Setting
from counsel_core.agents.cocoa.detection import HIGHEST, LOWEST
from counsel_core.agents.cocoa.knowledge import distortion_types
from counsel_core.agents.cocoa.memory import GAMMA, Alphas
from counsel_core.agents.cocoa.state import CocoaState, remember_reply
from counsel_core.errors import InputError, UnknownNameError
from counsel_core.language.contriever import holds_model
from counsel_core.records import Json, Language

MAX_ALPHA = 10.0

_OPENINGS: dict[Language, str] = {
    "en": "Hello, it's good that you are here. What has been on your mind lately?",
    "zh": "你好，很高兴你来了。最近有什么事一直放在你心上？",
}

SETTINGS = (
    Setting(
        "alpha_recency",
        "Weight of recency",
        "float",
        1.0,
        "How much it counts that a distortion was voiced lately. The paper sets it to 1.",
        0.0,
        MAX_ALPHA,
    ),
    Setting(
        "alpha_frequency",
        "Weight of frequency",
        "float",
        1.0,
        "How much it counts how often a distortion was voiced. The paper sets it to 1.",
        0.0,
        MAX_ALPHA,
    ),
    Setting(
        "alpha_severity",
        "Weight of severity",
        "float",
        1.0,
        "How much it counts how severe a distortion is. The paper sets it to 1.",
        0.0,
        MAX_ALPHA,
    ),
    Setting(
        "gamma",
        "Decay of recency (γ)",
        "float",
        GAMMA,
        "Recency is γ to the power of the client's utterances since the last entry.",
        0.0,
        1.0,
    ),
    Setting(
        "top_k",
        "Memories retrieved",
        "int",
        5,
        "How many entries of each memory are looked up for the choice of a technique.",
        1,
        20,
    ),
    Setting(
        "negative_feeling_eligible",
        "Treat negative feelings as a distortion",
        "bool",
        False,
        "The thirteenth type is always stored; treated as well, it would often win by frequency.",
    ),
    Setting(
        "embedder",
        "Folder of Contriever",
        "text",
        "",
        "A folder with the model facebook/contriever, as in the paper. Empty: the built-in encoder.",
    ),
)


def begin(settings: Mapping[str, Any], language: Language, protocols_dir: Path) -> Opening:
    """Open a session: a greeting and empty memories.

    Raises
    ------
    InputError
        The folder of Contriever holds no model.
    """
    del protocols_dir  # CoCoA follows no protocol
    folder = settings["embedder"]
    if folder and not holds_model(Path(folder).expanduser()):
        wanted = "a folder with config.json, tokenizer and weights of facebook/contriever"
        raise InputError(
            f"The folder of Contriever is {folder!r}; it takes {wanted}, or nothing for the built-in encoder."
        )
    state = CocoaState(
        alphas=Alphas(settings["alpha_recency"], settings["alpha_frequency"], settings["alpha_severity"]),
        gamma=settings["gamma"],
        negative_feeling=settings["negative_feeling_eligible"],
    )
    opening = _OPENINGS[language]
    return Opening(opening, remember_reply(state, opening))


def relabel_distortion(state: CocoaState, arguments: Json, material: Json) -> tuple[CocoaState, str]:
    """Change the type or severity of an entry of CD Memory (`index` from 0), or with type null remove it.

    Raises
    ------
    InputError
        There is no such entry or type, or the severity is no whole number from 1 to 5.
    """
    del material
    index = arguments.get("index")
    if type(index) is not int or not 0 <= index < len(state.distortions):
        held = f"{len(state.distortions)} entries, counted from 0"
        raise InputError(f"The entry is {index!r}; the memory of distortions holds {held}.")
    old = state.distortions[index]
    before, after = state.distortions[:index], state.distortions[index + 1 :]
    name = arguments.get("type", old.type)
    if name is None:
        summary = f"Distortion of turn {old.turn} removed (was {old.type}, severity {old.severity})"
        return replace(state, distortions=(*before, *after)), summary
    if name not in distortion_types():
        raise UnknownNameError("type of distortion", str(name), distortion_types())
    severity = arguments.get("severity", old.severity)
    if type(severity) is not int or not LOWEST <= severity <= HIGHEST:
        raise InputError(f"The severity is {severity!r}; it takes a whole number from {LOWEST} to {HIGHEST}.")
    entry = replace(old, type=name, severity=severity)
    summary = (
        f"Distortion of turn {old.turn}: {old.type}, severity {old.severity} → {name}, severity {severity}"
    )
    return replace(state, distortions=(*before, entry, *after)), summary


_WEIGHTS = {
    "alpha_recency": "weight of recency",
    "alpha_frequency": "weight of frequency",
    "alpha_severity": "weight of severity",
    "gamma": "decay of recency (γ)",
}


def change_weights(state: CocoaState, arguments: Json, material: Json) -> tuple[CocoaState, str]:
    """Change the weights of S(cd) and γ; what is not given stays.

    Raises
    ------
    InputError
        No weight, an unknown one, or no number within its bounds.
    """
    del material
    held = {
        "alpha_recency": state.alphas.recency,
        "alpha_frequency": state.alphas.frequency,
        "alpha_severity": state.alphas.severity,
        "gamma": state.gamma,
    }
    if not arguments:
        raise InputError(f"No weight was given; give one or more of: {', '.join(held)}.")
    for key, value in arguments.items():
        if key not in held:
            raise UnknownNameError("weight", key, held)
        highest = 1.0 if key == "gamma" else MAX_ALPHA
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        if not number or not 0.0 <= value <= highest:
            raise InputError(f"The {_WEIGHTS[key]} is {value!r}; it takes a number from 0 to {highest:g}.")
    new = {**held, **{key: float(value) for key, value in arguments.items()}}
    changed = [f"{_WEIGHTS[key]} {held[key]:g} → {new[key]:g}" for key in held if held[key] != new[key]]
    alphas = Alphas(new["alpha_recency"], new["alpha_frequency"], new["alpha_severity"])
    summary = f"Changed: {', '.join(changed)}" if changed else "Weights: unchanged"
    return replace(state, alphas=alphas, gamma=new["gamma"]), summary


OVERRIDES = (
    OverrideKind("distortion", relabel_distortion),
    OverrideKind("weights", change_weights),
)
