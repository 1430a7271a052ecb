"""Adding, changing and removing a model that speaks the OpenAI chat API."""

from __future__ import annotations

import re
from itertools import chain, count

import streamlit as st

from counsel_core.llm.catalogue import remove_model, save_model
from counsel_core.records import ModelSpec
from pages._ui.dialogs import dialog
from pages._ui.errors import problems_shown
from pages._ui.model_options_form import options_form
from pages._ui.model_picker import GUIDED, available_models, forget_models
from pages._ui.plain_text import as_text
from pages._ui.workspace import settings

LONGEST, LONGEST_NAME = 300, 80


@dialog("A model behind the OpenAI chat API", width="medium", icon=":material/memory:")
def model_dialog(spec: ModelSpec | None = None) -> None:
    """Ask for what is needed to reach a model; a key itself is never asked for."""
    st.text(
        "Any server that speaks the OpenAI chat API: OpenAI, OpenRouter, DashScope, DeepSeek, vLLM, "
        "llama.cpp, LM Studio, Ollama …"
    )
    of = spec.name if spec else ""
    label = st.text_input(
        "Name shown", spec.label if spec else "", max_chars=LONGEST, key=f"model_label_{of}"
    )
    url = st.text_input(
        "Base URL",
        spec.base_url if spec else "",
        placeholder="http://127.0.0.1:11434/v1",
        max_chars=LONGEST,
        key=f"model_url_{of}",
    )
    model = st.text_input(
        "Model id",
        spec.model if spec else "",
        help="As the server calls it",
        max_chars=LONGEST,
        key=f"model_id_{of}",
    )
    variable = st.text_input(
        "Variable that holds the key",
        spec.key_variable if spec else "",
        placeholder="OPENAI_API_KEY, or empty if there is no key",
        help="The name of an environment variable or of a Streamlit secret. The key itself is never stored.",
        max_chars=100,
        key=f"model_variable_{of}",
    )
    context = st.number_input(
        "Context length in tokens (0: unknown)",
        *(0, None, (spec.context_length or 0) if spec else 0, 1024),
        help="How much it can read and write at once. A prompt that is surely longer is not sent.",
        key=f"model_context_{of}",
    )
    with st.expander("Prices, limits, what it supports", icon=":material/tune:"):
        options = options_form(dict(spec.options) if spec else {}, of)
    if st.button("Save the model", key="save_model"):
        entry = {
            "name": spec.name if spec else free_name(label.strip() or model),
            "label": label.strip() or model,
            "base_url": url,
            "model": model,
            "key_variable": variable,
            "context_length": context or None,
            "options": options,
        }
        with problems_shown():
            forget_result(save_model(entry, settings()).name)
            forget_models()
            st.rerun()


@dialog("Remove this model?", icon=":material/delete:")
def remove_dialog(spec: ModelSpec) -> None:
    """Ask before a model is taken out; sessions made with it stay."""
    st.text(f"{spec.label} is taken out of the list. Sessions made with it stay in the Archive.")
    if st.button("Remove", key="confirm_remove"):
        with problems_shown():
            remove_model(spec.name, settings())
            forget_result(spec.name)
            forget_models()
            st.rerun()


def key_line(spec: ModelSpec) -> str:
    """Say whether the key of a model is there, never what it is."""
    if not spec.key_variable:
        return "no key"
    there = bool(settings().secrets.get(spec.key_variable))
    return f"key in {as_text(spec.key_variable)} ({'set' if there else 'not set'})"


def name_from(label: str) -> str:
    """Return the name under which a model is kept.

    Examples
    --------
    >>> name_from("Qwen 2.5, on this machine")
    'qwen-2.5-on-this-machine'
    """
    return re.sub(r"[^a-z0-9._-]+", "-", label.lower())[:LONGEST_NAME].strip("-._") or "model"


def free_name(label: str) -> str:
    """Return the name for a new model, with a number where another model has it already."""
    wanted, taken = name_from(label), {GUIDED, *available_models()[0]}
    numbered = (f"{wanted}-{number}" for number in count(2))
    return next(name for name in chain([wanted], numbered) if name not in taken)


def result_key(name: str) -> str:
    """Return where a page keeps the result of a model's test."""
    return f"tested_{name}"


def forget_result(name: str) -> None:
    """Forget the test of a model that is no longer what it was."""
    st.session_state.pop(result_key(name), None)
