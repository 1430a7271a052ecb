"""What works here and what is missing: the examination behind `doctor` and the Models page."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from counsel_core.errors import CounselError
from counsel_core.llm.catalogue import effective_local_only, list_models, probe
from counsel_core.llm.engines import release_all
from counsel_core.llm.gguf import found_files
from counsel_core.settings import PROJECT, Settings
from counsel_core.storage.database import open_database


@dataclass(frozen=True)
class Examined:
    """One thing that was looked at: what was found, and what to do if something is missing."""

    subject: str
    state: Literal["ok", "missing", "note"]
    found: str
    remedy: str = ""


def examine(settings: Settings) -> Iterator[Examined]:
    """Yield what is found of Python, packages, database, models and local-only mode."""
    yield _python()
    yield from _packages()
    yield _database(settings)
    yield from _models(settings)
    yield _local_only(settings)


def _python() -> Examined:
    suitable = sys.version_info[:2] in ((3, 11), (3, 12))
    remedy = "" if suitable else "Use Python 3.11 or 3.12: rbo needs numpy below 2."
    return Examined("Python", "ok" if suitable else "missing", platform.python_version(), remedy)


def _packages() -> Iterator[Examined]:
    lines = (PROJECT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        name, separator, wanted = line.partition("==")
        if not separator:
            continue
        try:
            present = version(name)
        except PackageNotFoundError:
            yield Examined(f"package {name}", "missing", "not installed", f"pip install {line}")
            continue
        same = present.split("+")[0] == wanted
        remedy = "" if same else f"The tested version is {wanted}: pip install {line}"
        yield Examined(f"package {name}", "ok" if same else "note", present, remedy)


def _database(settings: Settings) -> Examined:
    try:
        with open_database(settings.database_url) as database, database.writing():
            return Examined("database", "ok", str(database.file))
    except CounselError as error:
        return Examined("database", "missing", "it cannot be used", str(error))


def _models(settings: Settings) -> Iterator[Examined]:
    try:
        specs = list_models(settings)
    except CounselError as error:
        yield Examined("models file", "missing", str(settings.models_file), str(error))
        return
    for spec in specs:
        answer = probe(spec, settings)
        found = f"answers after {answer.seconds:.2f} s" if answer.ok else "does not answer"
        yield Examined(
            f"model {spec.name}", "ok" if answer.ok else "missing", found, "" if answer.ok else answer.message
        )
        release_all()  # files one after the other, not all in memory at once
    yield from _model_files(settings)


def _model_files(settings: Settings) -> Iterator[Examined]:
    """Yield the GGUF files of the user's folder that no model was made of."""
    for file, facts in found_files(settings).items():
        if isinstance(facts, CounselError):
            remedy = "Fetch it once more, or take it out of the folder."
            yield Examined(f"file {file.name}", "missing", str(facts), remedy)
        elif not facts.answers:
            yield Examined(f"file {file.name}", "note", "no language model that writes, or a part of one")


def _local_only(settings: Settings) -> Examined:
    if effective_local_only(settings):
        return Examined("local-only mode", "ok", "on: nothing leaves this machine")
    remedy = "Clients' words go to the hosts of the models you choose; COUNSEL_LOCAL_ONLY=1 turns this off."
    return Examined("local-only mode", "note", "off", remedy)
