"""The runs of this installation: started, watched, cancelled, resumed, read and removed."""

from __future__ import annotations

import re
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from counsel_core.errors import RunError, UnknownNameError
from counsel_core.metrics import find_metric
from counsel_core.records import Json, QADataset, Score
from counsel_core.runs.folder import (
    OUTPUTS,
    RunFolder,
    cannot_write,
    create_folder,
    is_released,
    read_json,
    write_json,
)
from counsel_core.runs.journal import read_entry, read_journal
from counsel_core.runs.plan import Plan, differences, read_plan
from counsel_core.runs.progress import RunStatus, read_status, write_status
from counsel_core.runs.scores import scores_frame
from counsel_core.runs.snapshot import load_snapshot, save_snapshot
from counsel_core.runs.units import FAILED, read_units
from counsel_core.settings import PROJECT, Settings

if TYPE_CHECKING:
    import pandas as pd

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
_TITLE_LENGTH = 200
_children: list[subprocess.Popen[bytes]] = []
"""The workers this process started; kept so that the system can forget those that have ended."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run: its folder and its plan."""

    id: str
    folder: Path
    plan: Plan
    title: str
    created: datetime

    @property
    def files(self) -> RunFolder:
        """The files of the run."""
        return RunFolder(self.folder)


def runs_dir(settings: Settings) -> Path:
    """Return the folder of all runs of this installation."""
    return settings.data_dir / "runs"


def start(
    plan: Plan, dataset: QADataset, settings: Settings, *, title: str = "", workers: int | None = None
) -> Run:
    """Start a run in a process of its own, which outlives this one; several can run at once.

    Raises
    ------
    RunError
        The folder of the runs cannot be written.
    """
    now = datetime.now(UTC)
    run_id = f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
    prepare(RunFolder(runs_dir(settings) / run_id), plan, dataset, title=title, created=now)
    run = load_run(run_id, settings)
    _spawn(run, settings, workers=workers)
    return run


def prepare(
    folder: RunFolder,
    plan: Plan,
    dataset: QADataset,
    *,
    title: str = "",
    created: datetime | None = None,
    resume: bool = False,
) -> None:
    """Lay down what a worker needs, or check that what is there belongs to the same plan.

    Raises
    ------
    RunError
        The folder holds a run already and it shall not be resumed, or it is a run of another plan, or
        files that the results would overwrite; or it cannot be written.
    """
    if folder.plan.exists():
        _check_same(folder, plan, resume=resume)
        return
    in_the_way = [name for name in OUTPUTS if (folder.root / name).exists()]
    if in_the_way:
        raise RunError(
            f"{folder.root} holds {', '.join(in_the_way)} and no run that they belong to. Choose an empty "
            "folder, or move them away."
        )
    create_folder(folder.work)
    save_snapshot(folder.dataset, dataset)
    write_status(folder, RunStatus("waiting", updated=time.time()))
    when = (created or datetime.now(UTC)).isoformat()
    write_json(folder.plan, {"title": _title(title), "created": when, "plan": plan.as_json()})


def _check_same(folder: RunFolder, plan: Plan, *, resume: bool) -> None:
    old = _read(folder)[0]
    changed = differences(old, plan)
    if changed:
        raise RunError(
            f"{folder.root} holds a run of another plan ({'; '.join(changed)}). Results are never mixed: "
            "choose another folder, or give what that run was started with."
        )
    if not resume:
        raise RunError(
            f"{folder.root} holds this run already. Give --resume to go on with it, or choose another folder."
        )


def list_runs(settings: Settings) -> list[Run]:
    """Return every run that can be read, the latest first."""
    return [found for found in _found(settings) if isinstance(found, Run)]


def damaged_runs(settings: Settings) -> list[str]:
    """Return a sentence for each run that cannot be read: which file is wrong, and what to do."""
    return [str(found) for found in _found(settings) if isinstance(found, RunError)]


def _found(settings: Settings) -> Iterator[Run | RunError]:
    names = {path.parts[-3] for path in runs_dir(settings).glob("*/journal/plan.json")}
    for name in sorted(filter(_ID.fullmatch, names), reverse=True):
        try:
            yield load_run(name, settings)
        except RunError as error:
            yield error


def load_run(run_id: str, settings: Settings) -> Run:
    """Return a run by its id.

    Raises
    ------
    UnknownNameError
        There is none.
    RunError
        Its files are damaged.
    """
    folder = RunFolder(runs_dir(settings) / run_id)
    if not _ID.fullmatch(run_id) or not folder.plan.exists():
        raise UnknownNameError("run", run_id, (run.id for run in list_runs(settings)))
    plan, title, created = _read(folder)
    return Run(run_id, folder.root, plan, title, created)


def status(run: Run) -> RunStatus:
    """Return how far a run is."""
    for child in _children[:]:
        if child.poll() is not None:
            _children.remove(child)
    return read_status(run.files)


def cancel(run: Run) -> None:
    """Ask a run to stop: it does within a second or as soon as open calls are given up."""
    try:
        run.files.cancel.touch()
    except OSError as error:
        raise cannot_write(run.files.cancel, error) from error


def resume(run: Run, settings: Settings, *, workers: int | None = None) -> None:
    """Go on with a run where it stopped; what was scored, and what failed, is not scored again.

    Raises
    ------
    RunError
        It is at work already, or its folder cannot be written.
    """
    _start_again(run, settings, workers, retry=False)


def retry_failed(run: Run, settings: Settings, *, workers: int | None = None) -> None:
    """Score the items that failed once more, and whatever else is left; raises as `resume` does."""
    _start_again(run, settings, workers, retry=True)


def rename(run: Run, title: str) -> Run:
    """Give a run another title."""
    value = {**read_json(run.files.plan), "title": _title(title)}
    write_json(run.files.plan, value)
    return Run(run.id, run.folder, run.plan, value["title"], run.created)


def remove(run: Run) -> None:
    """Remove a run with all its files.

    Raises
    ------
    RunError
        It is at work, or cannot be removed.
    """
    if status(run).at_work:
        raise RunError("The run is at work. Cancel it first, then remove it.")
    try:
        shutil.rmtree(run.folder)
    except OSError as error:
        raise RunError(f"{run.folder} cannot be removed: {error.strerror}.") from error


def load_dataset(run: Run) -> QADataset:
    """Return the data set as the run read it."""
    return load_snapshot(run.files.dataset)


def load_scores(run: Run) -> pd.DataFrame:
    """Return the scores of a run, complete or so far; the columns are those of `scores.COLUMNS`."""
    import pandas as pd

    file = run.folder / "scores.parquet"
    if status(run).state == "finished" and file.exists():
        return pd.read_parquet(file)
    return scores_frame(_scores(run))


def load_details(run: Run, item: str) -> list[Score]:
    """Return one item's scores with what they were made of: a judge's raw answers, ranked emotions."""
    return [score for score in _scores(run) if score.item == item]


def load_failures(run: Run) -> list[Score]:
    """Return the items that failed; `reason` says why."""
    return [score for score in _scores(run) if score.value is None and score.reason.startswith(FAILED)]


def _scores(run: Run) -> list[Score]:
    entries = read_journal(run.files.journal, run.plan.digest, read_entry)
    chosen = [find_metric(name) for name in run.plan.metrics]
    return read_units(load_dataset(run), run.plan.sources).scores(chosen, entries)


def _read(folder: RunFolder) -> tuple[Plan, str, datetime]:
    value: Json = read_json(folder.plan)
    try:
        return read_plan(value["plan"]), str(value["title"]), datetime.fromisoformat(value["created"])
    except (KeyError, TypeError, ValueError) as error:
        raise RunError(f"{folder.plan}: it is damaged. Start a new run.") from error


def _title(title: str) -> str:
    return " ".join(title.split())[:_TITLE_LENGTH]


def _start_again(run: Run, settings: Settings, workers: int | None, *, retry: bool) -> None:
    if status(run).at_work or not is_released(run.files):
        raise RunError("The run is at work already.")
    run.files.cancel.unlink(missing_ok=True)
    last = read_status(run.files)
    write_status(run.files, RunStatus("waiting", last.steps, updated=time.time()))
    _spawn(run, settings, workers=workers, retry=retry)


def _spawn(run: Run, settings: Settings, *, workers: int | None, retry: bool = False) -> None:
    """Start the worker in a session of its own: it ends neither with this process nor with its terminal.

    Keys of hosted models reach it through its environment, never through a file of the run.
    """
    command = [sys.executable, "-m", "counsel_core.runs.worker", str(run.folder)]
    command += [f"--workers={workers}"] if workers else []
    command += ["--retry-failed"] if retry else []
    environment = {key: value for key, value in settings.secrets.items() if isinstance(value, str)}
    environment |= {"COUNSEL_DATA_DIR": str(settings.data_dir)}
    if settings.local_only_locked:
        environment |= {"COUNSEL_LOCAL_ONLY": "1" if settings.local_only else "0"}
    try:
        with run.files.log.open("ab") as log:
            child = subprocess.Popen(  # noqa: S603 - this Python, and a folder that this process made
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=PROJECT,
                env=environment,
                start_new_session=True,
            )
    except OSError as error:
        raise cannot_write(run.files.log, error) from error
    _children.append(child)
