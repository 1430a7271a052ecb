"""Models: which answer now, a test of each, models of one's own, and what may leave this machine."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from counsel_core.llm.catalogue import effective_local_only, probe
from counsel_core.llm.engines import loaded
from counsel_core.llm.model_file import read_models
from counsel_core.llm.pricing import NO_PRICE, cost, cost_text
from counsel_core.records import ModelSpec
from pages._ui.cache_card import cache_card
from pages._ui.detection_figures import detection_figures
from pages._ui.errors import problems_shown, show_problem
from pages._ui.found_servers import forget_servers, found_servers
from pages._ui.local_only import local_only_switch
from pages._ui.measures import seconds_text
from pages._ui.model_downloads import model_downloads
from pages._ui.model_form import key_line, model_dialog, remove_dialog, result_key
from pages._ui.model_path_form import model_path_dialog
from pages._ui.model_picker import available_models
from pages._ui.page import Page, run
from pages._ui.plain_text import as_text
from pages._ui.private_words import private_words
from pages._ui.workspace import settings

PAGE = Page(
    file="models.py",
    title="Models",
    icon=":material/memory:",
    order=7,
    about="Which models answer, a test of each, and what may leave this machine",
)
_WHERE = {
    "rules": (":material/rule:", "gray", "Rules, on this machine"),
    "process": (":material/deployed_code:", "green", "In this process"),
    "loopback": (":material/computer:", "green", "Server on this machine"),
    "remote": (":material/public:", "orange", "On another machine"),
}


def render() -> None:
    """Show every model that can be chosen."""
    st.title("Models", anchor=False)
    st.caption(
        "The guided rules need no key and no network. Others are GGUF files run in this process, or speak "
        "the OpenAI chat API."
    )
    with problems_shown():
        models, problem = available_models()
        if problem:
            show_problem(problem)
        local_only_switch(models.values())
        private_words()
        with st.container(horizontal=True):
            if st.button("Add a model", icon=":material/add:", disabled=problem is not None, key="add_model"):
                model_dialog()
            if st.button(
                "Add a file", icon=":material/deployed_code:", disabled=problem is not None, key="add_file"
            ):
                model_path_dialog()
            st.button("Look again", icon=":material/refresh:", on_click=forget_servers, key="look_again")
        own = set() if problem else {spec.name for spec in read_models(settings().models_file).models}
        for spec in models.values():
            _row(spec, own=spec.name in own)
        if problem is None:
            found_servers(models.values())
            model_downloads()
        with problems_shown():
            cache_card()
        with problems_shown():
            detection_figures()


def _row(spec: ModelSpec, *, own: bool) -> None:
    blocked = spec.location == "remote" and effective_local_only(settings())
    icon, color, where = _WHERE[spec.location]
    with st.container(border=True, key=f"row_{spec.name}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            with st.container(gap=4):
                st.markdown(f"**{as_text(spec.label, 120)}**")
                with st.container(horizontal=True, gap="xxsmall"):
                    st.badge(where, icon=icon, color=color)
                    if blocked:
                        st.badge("Kept out by local-only mode", icon=":material/block:", color="red")
                if spec.location == "process":
                    st.caption(_file_line(spec))
                if spec.base_url:
                    st.caption(f"{as_text(spec.base_url)} · {as_text(spec.model)} · {key_line(spec)}")
                    st.caption(_facts_line(spec))
            if st.button("Test", icon=":material/speed:", key=f"test_{spec.name}", disabled=blocked):
                _test(spec)
            if own and st.button("Edit", icon=":material/edit:", key=f"edit_{spec.name}"):
                (model_path_dialog if spec.location == "process" else model_dialog)(spec)
            if own and st.button("Remove", icon=":material/delete:", key=f"remove_{spec.name}"):
                remove_dialog(spec)
        _result(spec)


def _facts_line(spec: ModelSpec) -> str:
    context = f"{spec.context_length:,} tokens of context" if spec.context_length else "context not known"
    if cost(spec, 1, 1) is None:
        return f"{context} · {NO_PRICE}"
    read, written = cost(spec, 1_000_000, 0), cost(spec, 0, 1_000_000)
    return as_text(
        f"{context} · a million tokens: {cost_text(read, spec)} read, {cost_text(written, spec)} written"
    )


def _file_line(spec: ModelSpec) -> str:
    file = Path(spec.model)
    size = f"{file.stat().st_size / 1e9:.1f} GB" if file.is_file() else "the file is gone"
    context = f" · {spec.context_length:,} tokens of context" if spec.context_length else ""
    held = " · in memory now" if file in loaded() else ""
    return f"{as_text(str(file))} · {size}{context}{held}"


def _test(spec: ModelSpec) -> None:
    with st.spinner("Waiting for one word, at most 20 seconds …"):
        found = probe(spec, settings())
    rate = f" · {found.tokens_per_second:.0f} tokens/s" if found.tokens_per_second else ""
    said = f"answered in {seconds_text(found.seconds)}{rate}" if found.ok else "does not answer"
    st.session_state[result_key(spec.name)] = (found.ok, said, found.message)


def _result(spec: ModelSpec) -> None:
    tested = st.session_state.get(result_key(spec.name))
    if tested is None:
        return
    ok, said, message = tested
    show, icon = (st.success, ":material/check:") if ok else (st.error, ":material/error:")
    show(f"**{said[:1].upper()}{said[1:]}.** {as_text(message)}", icon=icon)


if __name__ == "__main__":
    run(render)
