"""The run that comes with the project: the sample evaluated, to look at before there is another."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from counsel_core.errors import DataFileError
from counsel_core.runs.folder import cannot_write, write_json
from counsel_core.runs.runs import Run, load_run, runs_dir
from counsel_core.settings import DATA, Settings

if TYPE_CHECKING:
    import pandas as pd

PACKED = DATA / "samples" / "sample_run.zip"
TITLE = "The sample, evaluated (comes with the project)"


def sample_table(name: str) -> pd.DataFrame:
    """Return a table of the packed run by the stem of its file, `topic_distances` for one.

    Raises
    ------
    DataFileError
        The archive is missing or damaged, or holds no such table.
    """
    from counsel_core.runs.results import read_table

    return read_table(_read(f"{name}.csv"))


def install_sample_run(settings: Settings) -> Run:
    """Put the packed run among the runs of this installation, unless it is there; return it.

    It is a run like any other from then on: it can be renamed, exported and removed.

    Raises
    ------
    DataFileError
        The archive is missing or damaged.
    RunError
        The folder of the runs cannot be written.
    """
    plan = json.loads(_read("journal/plan.json"))
    created = datetime.fromisoformat(plan["created"])
    run_id = f"{created:%Y%m%d-%H%M%S}-5a3b1e"
    target = runs_dir(settings) / run_id
    if not (target / "journal" / "plan.json").exists():
        _unpack(target, {**plan, "title": TITLE})
    return load_run(run_id, settings)


def _unpack(target: Path, plan: dict[str, object]) -> None:
    """Unpack beside the target first, so that nothing half-written is ever a run."""
    fresh = target.with_name(f".{target.name}.part")
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        with zipfile.ZipFile(io.BytesIO(_bytes())) as archive:
            archive.extractall(fresh)
        write_json(fresh / "journal" / "plan.json", plan)
        shutil.rmtree(target, ignore_errors=True)
        fresh.rename(target)
    except OSError as error:
        raise cannot_write(target, error) from error


def _bytes() -> bytes:
    try:
        return PACKED.read_bytes()
    except OSError as error:
        raise DataFileError(str(PACKED), f"it cannot be read ({error.strerror}); restore the file") from error


def _read(name: str) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(_bytes())) as archive:
            return archive.read(name)
    except (zipfile.BadZipFile, KeyError) as error:
        raise DataFileError(str(PACKED), f"it is damaged ({error}); restore the file") from error
