"""Model servers found on this machine, and a way to add what they serve."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from counsel_core.llm import discovery
from counsel_core.llm.catalogue import save_model
from counsel_core.records import ModelSpec
from pages._ui.errors import problems_shown
from pages._ui.model_form import free_name
from pages._ui.model_picker import forget_models
from pages._ui.plain_text import as_text
from pages._ui.workspace import settings

_FRESH_SECONDS = 20


def found_servers(listed: Iterable[ModelSpec]) -> None:
    """Show the models that servers at their usual ports offer and that are not listed yet."""
    known = {(spec.base_url.rstrip("/"), spec.model) for spec in listed}
    offers = [
        (server, model)
        for server in _look()
        for model in server.models
        if (server.base_url, model) not in known
    ]
    st.subheader("Found on this machine", anchor=False)
    if not offers:
        ports = ", ".join(f"{name} {port}" for port, name in discovery.USUAL_PORTS.items())
        st.caption(
            f"No other model server answers at its usual port ({ports}). *Add a model* takes any address."
        )
    for server, model in offers:
        _offer(server, model)


def forget_servers() -> None:
    """Look anew, for servers and for models."""
    _look.clear()
    forget_models()


@st.cache_data(ttl=_FRESH_SECONDS, show_spinner=False)
def _look() -> tuple[discovery.FoundServer, ...]:
    return discovery.find_servers()


def _offer(server: discovery.FoundServer, model: str) -> None:
    port = server.base_url.rsplit(":", 1)[1].removesuffix("/v1")
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        with st.container(gap=4):
            st.markdown(f"**{as_text(model, 120)}**")
            st.caption(f"{server.base_url} · the usual port of {server.usually}")
        if st.button("Add", icon=":material/add:", key=f"add_found_{port}_{model}"):
            with problems_shown():
                name = free_name(f"{model} {port}")
                label = f"{model} ({server.usually}, this machine)"
                entry = {"name": name, "label": label, "base_url": server.base_url, "model": model}
                save_model(entry, settings())
                forget_models()
                st.rerun()
