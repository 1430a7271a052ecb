"""The user's data sets on disk, each in a folder named after its content, and the samples shipped."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from counsel_core.datasets.beside import read_about
from counsel_core.datasets.reading import read_dataset
from counsel_core.datasets.table import SUFFIXES
from counsel_core.errors import DatasetError
from counsel_core.records import GoldPolicy, Json, QADataset
from counsel_core.settings import DATA, Settings

SAMPLES = DATA / "samples"
_KEY = re.compile(r"[0-9a-f]{16}")
_CONTENT, _ABOUT = "content", "about.json"


@dataclass(frozen=True)
class SavedDataset:
    """A data set that can be loaded; `problem` says what is wrong with one that cannot.

    `name` is the file's, which says how it is read; `title` is what the user calls it, if anything.
    """

    key: str
    name: str
    saved: str
    size: int = 0
    sample: bool = False
    mapping: Mapping[str, Any] = field(default_factory=dict)
    policy: GoldPolicy = "upvotes"
    topic_column: str | None = None
    problem: str = ""
    title: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


def save(
    settings: Settings,
    name: str,
    data: bytes,
    *,
    mapping: Mapping[str, Any] | None = None,
    policy: GoldPolicy = "upvotes",
    topic_column: str | None = None,
    title: str = "",
    facts: Mapping[str, str] | None = None,
) -> SavedDataset:
    """Keep a file's bytes, and how it is read; the same bytes again replace how they are read.

    A title that it had stays unless another is given. `facts` come back as the data set's `about`.

    Raises
    ------
    DatasetError
        The file cannot be read as a data set, or the disk does not take it.
    """
    digest = read_dataset(name, data, mapping=mapping, policy=policy, topic_column=topic_column).sha256
    about = {
        "name": name,
        "sha256": digest,
        "mapping": {
            role: value if isinstance(value, str) else list(value) for role, value in (mapping or {}).items()
        },
        "policy": policy,
        "topic_column": topic_column,
        "saved": datetime.now(UTC).isoformat(timespec="seconds"),
        "size": len(data),
        "facts": dict(facts or {}),
    }
    folder = _home(settings) / digest[:16]
    about["title"] = title.strip() or (_described(folder).title if folder.exists() else "")
    return _keep(folder, data, about)


def rename(settings: Settings, key: str, title: str) -> SavedDataset:
    """Give one of the user's data sets another title; a blank one gives its file's name back.

    Raises
    ------
    DatasetError
        There is none of this key, it is a sample, it is broken, or the disk does not take it.
    """
    saved = find(settings, key)
    if saved.sample or saved.problem:
        why = saved.problem or "it is a sample that comes with the project and keeps its name."
        raise DatasetError(saved.name, why)
    folder = _home(settings) / key
    about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
    return _keep(folder, original(settings, key), {**about, "title": title.strip()})


def list_saved(settings: Settings) -> tuple[SavedDataset, ...]:
    """Return the samples, then the user's data sets, the latest first; broken ones with their problem."""
    home = _home(settings)
    folders = [f for f in home.iterdir() if _KEY.fullmatch(f.name)] if home.is_dir() else []
    own = sorted((_described(folder) for folder in folders), key=lambda saved: saved.saved, reverse=True)
    return (*_samples(), *own)


def load(settings: Settings, key: str) -> QADataset:
    """Read a data set of the library anew from its bytes.

    Raises
    ------
    DatasetError
        There is none of this key, or its bytes are not those that were saved.
    """
    saved = find(settings, key)
    if saved.problem:
        raise DatasetError(saved.name, saved.problem)
    data = original(settings, key)
    if not saved.sample and hashlib.sha256(data).hexdigest()[:16] != key:
        raise DatasetError(saved.name, "its bytes have changed since it was saved; upload it once more.")
    dataset = read_dataset(
        saved.name, data, mapping=saved.mapping, policy=saved.policy, topic_column=saved.topic_column
    )
    about = read_about(SAMPLES / saved.name) if saved.sample else saved.facts
    return replace(dataset, about=about)


def original(settings: Settings, key: str) -> bytes:
    """Return the bytes as they were uploaded.

    Raises
    ------
    DatasetError
        There is no data set of this key, or it cannot be read.
    """
    saved = find(settings, key)
    path = SAMPLES / saved.name if saved.sample else _home(settings) / key / _CONTENT
    try:
        return path.read_bytes()
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise DatasetError(saved.name, f"its file cannot be read: {reason}. Upload it once more.") from error


def find(settings: Settings, key: str) -> SavedDataset:
    """Return what is known of one data set; DatasetError where there is none of this key."""
    for saved in list_saved(settings):
        if saved.key == key:
            return saved
    raise DatasetError(key, "there is no such data set any more; choose another, or upload it.")


def remove(settings: Settings, key: str) -> None:
    """Delete one of the user's data sets; samples stay.

    Raises
    ------
    DatasetError
        There is none of this key, it is a sample, or the disk does not let go of it.
    """
    saved = find(settings, key)
    if saved.sample:
        raise DatasetError(saved.name, "it is a sample that comes with the project and stays.")
    folder = _home(settings) / key
    gone = folder.with_name(f".removed-{key}-{os.getpid()}")
    try:
        folder.replace(gone)
        shutil.rmtree(gone)
    except OSError as error:
        reason = (error.strerror or "unknown error").lower()
        raise DatasetError(saved.name, f"it cannot be removed: {reason}.") from error


def _home(settings: Settings) -> Path:
    return settings.data_dir / "datasets"


def _keep(folder: Path, data: bytes, about: Json) -> SavedDataset:
    try:
        _write(folder, data, about)
    except OSError as error:
        reason = f"it cannot be saved in {folder.parent}: {(error.strerror or 'unknown error').lower()}."
        raise DatasetError(about["name"], f"{reason} Free some space, or set COUNSEL_DATA_DIR.") from error
    return _saved(folder.name, about)


def _write(folder: Path, data: bytes, about: Json) -> None:
    """Put the files in place at once: whoever lists meanwhile sees all of them or none."""
    text = json.dumps(about, ensure_ascii=False, indent=1)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as temporary:
        fresh = Path(temporary) / folder.name
        fresh.mkdir()
        for name, content in ((_CONTENT, data), (_ABOUT, text.encode())):
            with (fresh / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        if folder.exists():
            folder.joinpath(_CONTENT).exists() or (fresh / _CONTENT).replace(folder / _CONTENT)
            (fresh / _ABOUT).replace(folder / _ABOUT)
        else:
            fresh.replace(folder)


def _described(folder: Path) -> SavedDataset:
    try:
        about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        return _saved(folder.name, about)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        problem = f"{_ABOUT} in {folder} is missing or broken; remove the data set and upload it once more."
        return SavedDataset(folder.name, folder.name, "", problem=problem)


def _saved(key: str, about: Json) -> SavedDataset:
    return SavedDataset(
        key=key,
        name=about["name"],
        saved=about["saved"],
        size=int(about["size"]),
        mapping=dict(about["mapping"]),
        policy=about["policy"],
        topic_column=about["topic_column"],
        title=str(about.get("title", "")),
        facts={str(name): str(value) for name, value in about.get("facts", {}).items()},
    )


def _samples() -> tuple[SavedDataset, ...]:
    files = sorted(SAMPLES.iterdir()) if SAMPLES.is_dir() else []
    return tuple(
        SavedDataset(f"sample-{file.stem}", file.name, "", size=file.stat().st_size, sample=True)
        for file in files
        if file.suffix in SUFFIXES
    )
