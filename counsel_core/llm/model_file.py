"""The user's models: a TOML file, read with every mistake named by line and key, and written whole or not.

local_only = true

[[model]]
name = "qwen"
label = "Qwen 2.5 on this machine"
base_url = "http://127.0.0.1:8080/v1"
model = "qwen2.5-7b-instruct"
key_variable = ""          # the name of an environment variable, never a key
context_length = 8192

[[model]]                  # a file run in this process instead of a server
name = "mine"
provider = "gguf"
path = "/models/mine.gguf"

[model.options]            # see OPTIONS
stall_seconds = 120
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counsel_core.errors import DataFileError, InputError
from counsel_core.llm.location import check_base_url, location_of
from counsel_core.llm.model_options import OPTIONS, expectation
from counsel_core.records import Json, ModelSpec
from counsel_core.toml_file import parse_toml, toml_pairs, toml_value

RESERVED_NAMES = ("guided",)

_KEYS = (
    "name",
    "label",
    "provider",
    "path",
    "base_url",
    "model",
    "key_variable",
    "context_length",
    "options",
)
_SERVED, _IN_PROCESS = "openai_compatible", "gguf"
_OF_SERVERS = ("base_url", "model", "key_variable", "options")
_REQUIRED = {_SERVED: ("name", "base_url", "model"), _IN_PROCESS: ("name", "path")}
_LABELS = {
    "name": "Name",
    "label": "Name shown",
    "base_url": "Base URL",
    "model": "Model id",
    "key_variable": "Variable that holds the key",
    "context_length": "Context length",
    "path": "Path",
}
"""What the keys are called where nobody sees the file."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_HEADER = (
    "# The models of this installation, written by the Models page. Keys belong in environment variables.\n"
)


@dataclass(frozen=True)
class ModelsFile:
    """What the file holds; `local_only` is None where it says nothing."""

    models: tuple[ModelSpec, ...] = field(default=())
    local_only: bool | None = None


def read_models(path: Path) -> ModelsFile:
    """Read the file; one that is not there is an empty one.

    Raises
    ------
    DataFileError
        It cannot be read, or something in it is wrong: file, line, key and reason are named.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ModelsFile()
    except OSError as error:
        raise DataFileError(str(path), f"it cannot be read: {error.strerror or error}") from error
    return _Reader(path, content.decode("utf-8-sig", "replace")).read(parse_toml(content, str(path)))


def write_models(path: Path, file: ModelsFile) -> None:
    """Write the file: into a temporary one beside it, which then takes its place.

    Raises
    ------
    DataFileError
        The folder cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write(_as_toml(file))
            Path(temporary).replace(path)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise DataFileError(str(path), f"it cannot be written ({error.strerror}); nothing changed") from error


def check_model(entry: Mapping[str, Any]) -> ModelSpec:
    """Return the model that an entry describes.

    Raises
    ------
    EntryError
        One of its keys is wrong; the error names it.
    """
    for key in entry:
        if key not in _KEYS:
            raise EntryError(key, f"this key is unknown; there are: {', '.join(_KEYS)}")
    provider = entry.get("provider", _SERVED)
    if provider not in _REQUIRED:
        raise EntryError("provider", f"it is {provider!r}; entries are for {' or '.join(_REQUIRED)}")
    for key in _REQUIRED[provider]:
        if not entry.get(key):
            raise EntryError(key, "it is missing")
    name = _text(entry, "name")
    if not _NAME.fullmatch(name) or name in RESERVED_NAMES:
        raise EntryError(
            "name", f"{name!r} cannot be a name; use letters, digits and . _ : / -, not 'guided'"
        )
    return _in_process(entry, name) if provider == _IN_PROCESS else _served(entry, name)


def _in_process(entry: Mapping[str, Any], name: str) -> ModelSpec:
    for key in _OF_SERVERS:
        if entry.get(key):
            raise EntryError(key, f"a model of the provider {_IN_PROCESS} has a path instead")
    path = Path(_text(entry, "path")).expanduser()
    if not path.is_absolute():
        raise EntryError("path", f"{path} has to be the whole path of a GGUF file, from / or ~ on")
    return ModelSpec(
        name=name,
        provider=_IN_PROCESS,
        label=_text(entry, "label") or name,
        location="process",
        model=str(path),
        context_length=_context_length(entry.get("context_length")),
    )


def _served(entry: Mapping[str, Any], name: str) -> ModelSpec:
    if entry.get("path"):
        raise EntryError("path", f"a model of the provider {_SERVED} has a base_url and a model instead")
    variable = _text(entry, "key_variable")
    if variable and not _VARIABLE.fullmatch(variable):
        raise EntryError("key_variable", "it has to be the name of an environment variable, not a key itself")
    given_url = _text(entry, "base_url")
    try:
        base_url = check_base_url(given_url)
    except InputError as error:
        raise EntryError("base_url", str(error)) from error
    return ModelSpec(
        name=name,
        provider=_SERVED,
        label=_text(entry, "label") or name,
        location=location_of(base_url),
        base_url=base_url,
        model=_text(entry, "model"),
        key_variable=variable,
        context_length=_context_length(entry.get("context_length")),
        options=_options(entry.get("options", {})),
    )


class EntryError(InputError):
    """One key of a model's entry is wrong."""

    def __init__(self, key: str, reason: str) -> None:
        self.key, self.reason = key, reason
        said = reason if reason.startswith("The ") else f"{_LABELS.get(key, key.replace('_', ' '))}: {reason}"
        super().__init__(f"{said.rstrip('.')}.")


class _Reader:
    """Turns the parsed file into records; finds the line of what is wrong in the text."""

    def __init__(self, path: Path, text: str) -> None:
        self._path, self._lines = path, text.splitlines()

    def read(self, content: Json) -> ModelsFile:
        for key in content:
            if key not in ("local_only", "model"):
                raise self._error(0, key, "this key is unknown; there are: local_only and [[model]]")
        local_only = content.get("local_only")
        if not isinstance(local_only, bool | None):
            raise self._error(0, "local_only", f"it is {local_only!r}; it has to be true or false")
        entries = content.get("model", [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise self._error(0, "model", "write each model under a line [[model]]")
        models: dict[str, ModelSpec] = {}
        for number, entry in enumerate(entries, start=1):
            try:
                spec = check_model(entry)
            except EntryError as error:
                raise self._error(number, error.key, error.reason) from error
            if spec.name in models:
                raise self._error(number, "name", f"{spec.name!r} is the name of an earlier model, too")
            models[spec.name] = spec
        return ModelsFile(tuple(models.values()), local_only)

    def _error(self, entry: int, key: str, reason: str) -> DataFileError:
        return DataFileError(str(self._path), reason, line=self._line(entry, key), key=key)

    def _line(self, entry: int, key: str) -> int:
        """Return the line of a key in the nth [[model]] (0: before the first), else of its heading."""
        count, heading = 0, 1
        last = re.escape(key.rpartition(".")[2])
        wanted = re.compile(rf"\s*(?:\[+\s*)?[\"']?{last}[\"']?\s*[=\]]")
        for number, line in enumerate(self._lines, start=1):
            if re.match(r"\s*\[\[\s*model\s*\]\]", line):
                count, heading = count + 1, number if count + 1 == entry else heading
            if count == entry and wanted.match(line):
                return number
        return heading


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key, "")
    if not isinstance(value, str):
        raise EntryError(key, f"it is {value!r}; it has to be a text")
    if not value.isprintable():
        raise EntryError(key, "it holds line breaks or control characters")
    return value.strip()


def _context_length(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise EntryError("context_length", f"it is {value!r}; it has to be a number of tokens")
    return value


def _options(given: Any) -> Json:
    if not isinstance(given, Mapping):
        raise EntryError("options", "write them under a line [model.options]")
    for key, value in given.items():
        if key not in OPTIONS:
            raise EntryError(f"options.{key}", f"this option is unknown; there are: {', '.join(OPTIONS)}")
        expected = expectation(OPTIONS[key], value)
        if expected:
            raise EntryError(f"options.{key}", f"it is {value!r}; it has to be {expected}")
    return dict(given)


def _as_toml(file: ModelsFile) -> str:
    lines = [_HEADER]
    if file.local_only is not None:
        lines.append(f"local_only = {toml_value(file.local_only)}\n")
    for spec in file.models:
        lines.append("\n[[model]]\n")
        in_process = spec.provider == _IN_PROCESS
        keys = [key for key in _KEYS if hasattr(spec, key) and key not in ("options", "provider")]
        entry = {key: getattr(spec, key) for key in keys if not (in_process and key == "model")}
        entry |= {"provider": _IN_PROCESS, "path": spec.model} if in_process else {}
        lines += toml_pairs((key, value) for key, value in entry.items() if value not in ("", None))
        if spec.options:
            lines.append("\n[model.options]\n")
            lines += toml_pairs(spec.options.items())
    return "".join(lines)
