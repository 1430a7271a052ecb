"""A model's family is told from its name, and only where the name says it."""

from __future__ import annotations

import pytest

from counsel_core.llm.family import model_family, of_one_family


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("GPT4_1106", "GPT"),
        ("gpt-oss-20b", "GPT"),
        ("o3-mini", "GPT"),
        ("TinyLlama-1.1B-Chat", "Llama"),
        ("Llama 13", "Llama"),
        ("Mistral 7_2", "Mistral"),
        ("mixtral-8x7b", "Mistral"),
        ("Qwen/Qwen2.5-0.5B-Instruct", "Qwen"),
        ("gemini-1.5-pro", "Gemma and Gemini"),
        ("google/gemma-2-2b-it", "Gemma and Gemini"),
        ("SmolLM2-135M", "SmolLM"),
        ("cocoa@qwen2.5:3b", "Qwen"),
        ("reference", None),
        ("other_therapists", None),
        ("graphite", None),
        ("philosopher", None),
        ("egpt", None),
        ("", None),
    ],
)
def test_a_family_is_what_the_name_says(name: str, family: str | None) -> None:
    assert model_family(name) == family


def test_the_name_that_comes_first_counts() -> None:
    # The maker's own way of naming such a model: one family distilled into another.
    assert model_family("DeepSeek-R1-Distill-Qwen-7B") == "DeepSeek"


def test_only_sources_of_the_judges_family_are_marked() -> None:
    sources = ["reference", "sudosys@gpt-4o", "llama3", "gpt3.5", "guided"]
    assert of_one_family(["My judge", "gpt-4.1"], sources) == ("sudosys@gpt-4o", "gpt3.5")
    assert of_one_family(["My judge"], sources) == ()
