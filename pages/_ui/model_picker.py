"""Choosing the model that answers, and saying where the words go."""

from __future__ import annotations

import streamlit as st

from counsel_core.errors import DataFileError
from counsel_core.llm.catalogue import effective_local_only, list_models
from counsel_core.llm.guided import SPEC as GUIDED_SPEC
from counsel_core.llm.location import host_of
from counsel_core.records import ModelSpec
from counsel_core.settings import Settings
from pages._ui.errors import show_problem
from pages._ui.plain_text import as_text
from pages._ui.workspace import settings

GUIDED = GUIDED_SPEC.name
_FRESH_SECONDS = 20


def available_models() -> tuple[dict[str, ModelSpec], DataFileError | None]:
    """Return every model by name; with a wrong models file the guided one alone, and what is wrong."""
    try:
        found = _list(str(settings().models_file), settings())
    except DataFileError as error:
        return {GUIDED: GUIDED_SPEC}, error
    return {spec.name: spec for spec in found}, None


def model_label(name: str) -> str:
    """Return the label of a model; its name if it is no longer among those that can be chosen."""
    known = available_models()[0].get(name)
    return known.label if known else name


def forget_models() -> None:
    """Look anew for models, after one was added, changed or removed."""
    _list.clear()


@st.cache_data(ttl=_FRESH_SECONDS, show_spinner=False)
def _list(models_file: str, _settings: Settings) -> tuple[ModelSpec, ...]:  # noqa: ARG001 - the file is the cache's key
    # Looking for servers on this machine at every click would be slow.
    return list_models(_settings)


def model_picker(*, key: str) -> str:
    """Let a model be chosen; return its name."""
    models, problem = available_models()
    if problem:
        show_problem(problem)
    if st.session_state.get(key) not in models:
        st.session_state[key] = GUIDED
    chosen = st.selectbox(
        "Model",
        list(models),
        format_func=lambda name: models[name].label,
        key=key,
        help="Answers from the next line on. Models are added on the Models page.",
        persist_state="session",
    )
    say_where(models[chosen])
    return chosen


def say_where(spec: ModelSpec) -> None:
    """Say where the words go that a model is given."""
    if spec.location == "rules":
        st.caption(":material/rule: Rules, no language model. Nothing leaves this machine.")
    elif spec.location == "process":
        st.caption(":material/deployed_code: A file run in this process. Nothing leaves this machine.")
    elif spec.location == "loopback":
        st.caption(f":material/computer: On this machine, {as_text(host_of(spec.base_url))}.")
    elif effective_local_only(settings()):
        st.caption(":material/block: Kept out by local-only mode; see the Models page.")
    else:
        st.caption(
            f":material/public: What is said leaves this machine, to {as_text(host_of(spec.base_url))}: with "
            "placeholders for addresses, numbers and the words listed on the Models page. Other names leave."
        )
