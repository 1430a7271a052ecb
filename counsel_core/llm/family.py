"""Which family a model belongs to, by its name: a judge is no impartial judge of its own kind."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Makers' names for the models they publish, with the words their file and API names begin with.
_FAMILIES = {
    "GPT": r"gpt|chatgpt|o[134](?=-|$)",
    "Llama": r"llama|vicuna|alpaca|tinyllama",
    "Mistral": r"mistral|mixtral|ministral|zephyr",
    "Qwen": r"qwen|qwq",
    "Gemma and Gemini": r"gemma|gemini",
    "Claude": r"claude",
    "Phi": r"phi",
    "DeepSeek": r"deepseek",
    "GLM": r"glm|chatglm",
    "Baichuan": r"baichuan",
    "InternLM": r"internlm",
    "Yi": r"yi",
    "Falcon": r"falcon",
    "SmolLM": r"smollm",
    "Granite": r"granite",
    "Command": r"command|c4ai",
    "Grok": r"grok",
    "OLMo": r"olmo",
}
_PATTERNS = {
    family: re.compile(rf"(?:^|[^a-z])(?:{names})(?![a-z])", re.IGNORECASE)
    for family, names in _FAMILIES.items()
}


def model_family(name: str) -> str | None:
    """Return the family a model's name speaks of; None if it speaks of none that is known.

    The name of an agent with a model (`cocoa@qwen2.5-7b`) is judged by the model.

    Examples
    --------
    >>> model_family("Meta-Llama-3-8B-Instruct.Q4_K_M"), model_family("GPT3.5_1106"), model_family("mine")
    ('Llama', 'GPT', None)
    """
    found = (
        (match.start(), family) for family, pattern in _PATTERNS.items() if (match := pattern.search(name))
    )
    return min(found, default=(0, None))[1]


def of_one_family(judge: Iterable[str], sources: Iterable[str]) -> tuple[str, ...]:
    """Return the sources whose model is of the judge's family, by any of the judge's names.

    >>> of_one_family(["My judge", "qwen2.5-14b-instruct"], ["Qwen2-7B", "Mistral 7_2"])
    ('Qwen2-7B',)
    """
    families = {model_family(name) for name in judge} - {None}
    return tuple(source for source in sources if model_family(source.rpartition("@")[2]) in families)
