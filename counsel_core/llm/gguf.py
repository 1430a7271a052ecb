"""GGUF files in this process, through xllamacpp: no server to start, no key, nothing leaves the machine."""

from __future__ import annotations

import importlib.util
import itertools
import math
import re
import threading
import time
from collections.abc import Container, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from counsel_core.errors import (
    ContextOverflowError,
    DataFileError,
    ProviderError,
    ProviderUnavailableError,
    StoppedError,
)
from counsel_core.llm._answer import split_thinking
from counsel_core.llm._base import ChatModel, Provider
from counsel_core.llm._dialect import Dialect
from counsel_core.llm.engines import Stream, engine_of
from counsel_core.llm.gguf_header import GgufFacts, read_facts
from counsel_core.llm.model_file import read_models
from counsel_core.records import Completion, FinishReason, ModelRequest, ModelSpec
from counsel_core.settings import Settings

FOLDER = "models"
"""The folder in the user's data whose GGUF files can be chosen."""

USUAL_CONTEXT = 8192
"""Tokens of context that are given memory, unless the file was trained for fewer."""

_PACKAGE = "xllamacpp"

_REFUSED = 400
"""The status of a refusal: the engine raises where a server would answer so."""


class GgufModel:
    """One file. Its engine is shared by every session of this process, and answers one request at a time."""

    def __init__(self, spec: ModelSpec) -> None:
        self._spec = spec
        self._dialect = Dialect()

    @property
    def spec(self) -> ModelSpec:
        """Which model this is; its words stay in this process."""
        return self._spec

    def complete(self, request: ModelRequest, cancel: threading.Event) -> Completion:
        """Answer one request; a schema constrains what can be written.

        Raises
        ------
        ContextOverflowError
            The prompt is longer than the context.
        ProviderUnavailableError
            The file cannot be loaded, the engine failed, or it took longer than a test call may.
        StoppedError
            `cancel` was set: the engine is told, and left at once.
        """
        if cancel.is_set():
            raise StoppedError("Stopped before the model was asked.")
        started = time.perf_counter()
        answer = self._ask(request, cancel)
        if answer.error:
            raise self._named(answer.error)
        if answer.finish is None:
            raise ProviderUnavailableError(f"{self._spec.label} broke off in the middle. Try again.")
        return _completion(answer, time.perf_counter() - started)

    def _ask(self, request: ModelRequest, cancel: threading.Event) -> Stream:
        """Ask the engine; what the file's template of a chat does not take is taken away, and kept so."""
        engine = engine_of(Path(self._spec.model), self._spec.context_length or USUAL_CONTEXT)
        seconds = self._spec.options.get("total_seconds", math.inf)
        dialect = self._dialect
        while True:
            try:
                return engine.ask(dialect.body(_PACKAGE, request, {}), cancel, seconds)
            except TimeoutError as error:
                raise ProviderUnavailableError(
                    f"{self._spec.label} did not answer within {seconds:.0f} seconds. A large file takes "
                    "long to load, and a model at work answers one request at a time; try again."
                ) from error
            except (RuntimeError, ValueError, OSError) as error:  # what the engine raises by itself
                said = " ".join(str(error).split())
                simpler = dialect.without(_REFUSED, said, request)
                if simpler is None:
                    raise ProviderUnavailableError(
                        f"{self._spec.label} could not be run ({said[:300]}). The file may be damaged, of a "
                        "kind that this version does not know, or too large for the memory; choose another "
                        "model."
                    ) from error
                self._dialect = dialect = simpler

    def _named(self, error: Mapping[str, Any]) -> ProviderError:
        said = " ".join(str(error.get("message", error)).split())
        if error.get("type") == "exceed_context_size_error":
            return ContextOverflowError(
                f"{self._spec.label} has a context of {error.get('n_ctx')} tokens, and the prompt has "
                f"{error.get('n_prompt_tokens')}. Begin a new session, or choose a model of longer context."
            )
        return ProviderUnavailableError(f"{self._spec.label} failed: {said[:300]}. Try again.")


def _completion(answer: Stream, seconds: float) -> Completion:
    finish: FinishReason = "length" if answer.finish == "length" else "stop"
    text, thought = split_thinking("".join(answer.pieces))
    return Completion(
        text=text,
        seconds=seconds,
        finish=finish,
        prompt_tokens=answer.usage.get("prompt_tokens"),
        completion_tokens=answer.usage.get("completion_tokens"),
        reasoning="\n".join(part for part in ("".join(answer.reasoning), thought) if part),
    )


def gguf_folder(settings: Settings) -> Path:
    """Return the folder where GGUF files are looked for."""
    return settings.data_dir / FOLDER


def found_files(settings: Settings) -> dict[Path, GgufFacts | DataFileError]:
    """Return the GGUF files of the user's folder, each with what it says of itself, or what is wrong."""
    folder = gguf_folder(settings)
    files = sorted(folder.glob("*.gguf")) if folder.is_dir() else []
    return {file: _facts(file) for file in files if file.is_file()}


def read_answering(file: Path) -> GgufFacts:
    """Return what a file says of itself, if it is a model that can answer.

    Raises
    ------
    DataFileError
        It is not there, is no GGUF file or a damaged one, or holds no model that answers in words.
    """
    if not file.is_absolute():
        raise DataFileError(str(file), "give the whole path of the file, from the root on")
    facts = _facts(file)
    if isinstance(facts, DataFileError):
        raise facts
    if not facts.answers:
        raise DataFileError(str(file), "it holds no model that answers in words; choose a chat model's file")
    return facts


def _facts(file: Path) -> GgufFacts | DataFileError:
    try:
        at = file.stat()
        return _read(file, at.st_mtime_ns, at.st_size)
    except DataFileError as error:
        return error
    except (OSError, ValueError) as error:  # the latter for a path that no file can have
        reason = getattr(error, "strerror", None) or error
        return DataFileError(str(file), f"it cannot be read: {reason}")


@lru_cache(maxsize=64)
def _read(file: Path, changed: int, size: int) -> GgufFacts:  # noqa: ARG001 - the cache's key
    return read_facts(file)


def _list(settings: Settings) -> tuple[ModelSpec, ...]:
    """Return the models of the user's file, and one for each file of the folder that can answer.

    Without the package that runs them the folder offers none, and what the user named says so when opened.
    """
    named = tuple(spec for spec in read_models(settings.models_file).models if spec.provider == "gguf")
    if importlib.util.find_spec(_PACKAGE) is None:
        return named
    found: dict[str, ModelSpec] = {}
    for file, facts in found_files(settings).items():
        if isinstance(facts, GgufFacts) and facts.answers:
            name = _name_of(file, found)
            found[name] = _spec(name, file, facts)
    return (*named, *found.values())


def _name_of(file: Path, taken: Container[str]) -> str:
    """Return a name that can be typed; files whose names differ only in other characters are numbered."""
    plain = "gguf/" + (re.sub(r"[^A-Za-z0-9._-]+", "-", file.stem)[:80].strip("-._") or "model")
    numbered = (f"{plain}-{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain([plain], numbered) if name not in taken)


def _spec(name: str, file: Path, facts: GgufFacts) -> ModelSpec:
    return ModelSpec(
        name=name,
        provider="gguf",
        label=f"{' '.join(facts.name.split())[:60]} ({file.name[:60]})",
        location="process",
        model=str(file),
        context_length=min(USUAL_CONTEXT, facts.context_length or USUAL_CONTEXT),
    )


def _open(spec: ModelSpec, settings: Settings) -> ChatModel:
    del settings
    if importlib.util.find_spec(_PACKAGE) is None:
        raise ProviderUnavailableError(
            f"{spec.label} needs the package {_PACKAGE}: pip install -r requirements.txt, then start again."
        )
    try:
        facts = read_facts(Path(spec.model))
    except DataFileError as error:
        raise ProviderUnavailableError(f"{spec.label} cannot be opened: {error}.") from error
    context = spec.context_length or min(USUAL_CONTEXT, facts.context_length or USUAL_CONTEXT)
    return GgufModel(replace(spec, context_length=context))


GGUF = Provider(name="gguf", models=_list, open=_open)
