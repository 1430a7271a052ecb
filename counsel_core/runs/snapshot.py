"""A data set as a file of a run: what was read, so that a change of the source changes no run."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counsel_core.errors import RunError
from counsel_core.records import Answer, QADataset, QAItem, RowNote
from counsel_core.runs.folder import write_whole


def digest_of(dataset: QADataset) -> str:
    """Return the SHA-256 of all that was read: the same file read in another way is another data set."""
    return hashlib.sha256(_dump(dataset)).hexdigest()


def save_snapshot(path: Path, dataset: QADataset) -> None:
    """Write the data set; RunError where that cannot be."""
    write_whole(path, gzip.compress(_dump(dataset), compresslevel=1, mtime=0))


def load_snapshot(path: Path) -> QADataset:
    """Return the data set of a run; RunError if its file is missing or damaged."""
    try:
        value: Any = json.loads(gzip.decompress(path.read_bytes()))
        return QADataset(
            **{
                **value,
                "items": tuple(QAItem(**item) for item in value["items"]),
                "answers": tuple(Answer(**answer) for answer in value["answers"]),
                "repaired": tuple(RowNote(**note) for note in value["repaired"]),
                "dropped": tuple(RowNote(**note) for note in value["dropped"]),
            }
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path}: the run's data set is missing or damaged. Start a new run.") from error


def _dump(dataset: QADataset) -> bytes:
    value = {key: _plain(getattr(dataset, key)) for key in QADataset.__slots__}
    return json.dumps(value, ensure_ascii=True).encode()


def _plain(value: Any) -> Any:
    """Return records as objects; `dataclasses.asdict` copies every text and takes ten times as long."""
    if isinstance(value, QAItem | Answer | RowNote):
        return {key: _plain(getattr(value, key)) for key in value.__slots__}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return dict(value) if isinstance(value, Mapping) else value
