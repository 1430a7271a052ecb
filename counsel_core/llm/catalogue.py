"""The choice of a model: which there are, which may be used, whether one answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from counsel_core import llm
from counsel_core.errors import (
    DataFileError,
    InputError,
    LocalOnlyError,
    ProviderError,
    UnknownNameError,
)
from counsel_core.llm._base import ChatModel, Provider
from counsel_core.llm.guided import SPEC as GUIDED_SPEC
from counsel_core.llm.location import host_of
from counsel_core.llm.model_file import ModelsFile, check_model, read_models, write_models
from counsel_core.llm.redacting import RedactingModel
from counsel_core.privacy.words import load_words
from counsel_core.records import Message, ModelRequest, ModelSpec, Task
from counsel_core.registry import discover
from counsel_core.settings import Settings

_WRITING = threading.Lock()


@cache
def providers() -> dict[str, Provider]:
    """Return every provider by its name."""
    return discover(llm, Provider)


def list_models(settings: Settings) -> tuple[ModelSpec, ...]:
    """Return every model a user can choose, the guided one first.

    Raises
    ------
    DataFileError
        The models file is wrong; the guided model can be opened all the same.
    """
    others = [spec for provider in providers().values() for spec in provider.models(settings)]
    return (GUIDED_SPEC, *(spec for spec in others if spec.name != GUIDED_SPEC.name))


def find_model(name: str, settings: Settings) -> ModelSpec:
    """Return the model of that name.

    Raises
    ------
    UnknownNameError
        There is none; the message lists those there are.
    DataFileError
        The models file is wrong.
    """
    if name == GUIDED_SPEC.name:
        return GUIDED_SPEC
    models = {spec.name: spec for spec in list_models(settings)}
    if name not in models:
        raise UnknownNameError("model", name, models)
    return models[name]


def open_model(name: str, settings: Settings) -> ChatModel:
    """Return the model of that name, ready to answer; nothing is sent yet.

    Raises
    ------
    UnknownNameError, DataFileError
        There is no such model, or the models file is wrong.
    LocalOnlyError
        Local-only mode is on and the model is not on this machine.
    MissingKeyError
        The variable that should hold its key is not set.
    """
    return _open(find_model(name, settings), settings)


def _open(spec: ModelSpec, settings: Settings) -> ChatModel:
    local_only = effective_local_only(settings)
    if local_only and spec.location == "remote":
        raise LocalOnlyError(
            f"Local-only mode is on, and {spec.label} is on another machine ({host_of(spec.base_url)}). "
            "Choose a model on this machine, or turn local-only off on the Models page."
        )
    model = providers()[spec.provider].open(spec, replace(settings, local_only=local_only))
    return RedactingModel(model, load_words(settings)) if spec.location == "remote" else model


def effective_local_only(settings: Settings) -> bool:
    """Whether only models on this machine may be used: as the environment says, else the models file.

    A models file that cannot be read turns nothing off.
    """
    if settings.local_only_locked:
        return settings.local_only
    try:
        chosen = read_models(settings.models_file).local_only
    except DataFileError:
        return True
    return settings.local_only if chosen is None else chosen


def set_local_only(value: bool, settings: Settings) -> None:
    """Turn local-only mode on or off for this installation.

    Raises
    ------
    InputError
        COUNSEL_LOCAL_ONLY is set, and decides.
    DataFileError
        The models file is wrong or cannot be written.
    """
    if settings.local_only_locked:
        raise InputError("The environment variable COUNSEL_LOCAL_ONLY decides; change it there.")
    with _WRITING:
        write_models(settings.models_file, replace(read_models(settings.models_file), local_only=value))


def save_model(entry: Mapping[str, Any], settings: Settings) -> ModelSpec:
    """Add a model to the models file, or replace the one of that name; return it.

    `entry` has the keys of the file: name, label, base_url, model, key_variable, context_length, options.

    Raises
    ------
    InputError
        One of the keys is wrong.
    DataFileError
        The models file is wrong or cannot be written.
    """
    spec = check_model(entry)
    with _WRITING:
        file = read_models(settings.models_file)
        models = {model.name: model for model in file.models}
        models[spec.name] = spec
        write_models(settings.models_file, ModelsFile(tuple(models.values()), file.local_only))
    return spec


def remove_model(name: str, settings: Settings) -> None:
    """Take a model out of the models file.

    Raises
    ------
    UnknownNameError
        The file has none of that name.
    DataFileError
        The models file is wrong or cannot be written.
    """
    with _WRITING:
        file = read_models(settings.models_file)
        kept = tuple(model for model in file.models if model.name != name)
        if len(kept) == len(file.models):
            raise UnknownNameError("model in the models file", name, (model.name for model in file.models))
        write_models(settings.models_file, replace(file, models=kept))


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether a model answers now: after how many seconds, and what it said or what is wrong."""

    ok: bool
    seconds: float
    message: str
    tokens_per_second: float | None = None


def probe(spec: ModelSpec, settings: Settings, cancel: threading.Event | None = None) -> Probe:
    """Ask a model for one word; a failure is part of the answer, not an error."""
    if spec.name == GUIDED_SPEC.name:
        return Probe(ok=True, seconds=0.0, message="Rules answer at once; there is no server to reach.")
    request = ModelRequest(
        task=Task("probe"),
        messages=(Message("user", ("Answer with one word: ready",)),),
        inputs=None,
        max_tokens=16,
    )
    started = time.perf_counter()
    try:
        answer = _open(_for_probe(spec), settings).complete(request, cancel or threading.Event())
    except ProviderError as error:
        return Probe(ok=False, seconds=time.perf_counter() - started, message=str(error))
    seconds = time.perf_counter() - started
    rate = (answer.completion_tokens or 0) / seconds if seconds > 0 else None
    return Probe(ok=True, seconds=seconds, message=answer.text.strip()[:80], tokens_per_second=rate)


def _for_probe(spec: ModelSpec) -> ModelSpec:
    """Return the model with a short patience: a test call is asked once, and at most for 20 seconds."""
    limits = {"retries": 0, "connect_seconds": 2.0, "total_seconds": 20.0}
    return replace(spec, options={**spec.options, **limits})
