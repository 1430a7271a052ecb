"""A run of probes: every agent, model and protection asked for, one file a probe, so that it can go on."""

from __future__ import annotations

import hashlib
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from counsel_core.agents import find_agent
from counsel_core.errors import InputError, RunError, StoppedError
from counsel_core.llm.catalogue import find_model, open_model
from counsel_core.llm.guided import SPEC as GUIDED_SPEC
from counsel_core.runs.folder import RunFolder, create_folder, hold, read_json, write_json
from counsel_core.safety_evaluation.playing import (
    PROTECTIONS,
    Played,
    Protection,
    play_bare,
    play_protected,
    read_played,
)
from counsel_core.safety_evaluation.probes import Probe, digest_of, load_probes
from counsel_core.settings import Settings
from counsel_core.storage.database import Database, open_database


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """What is played: each agent with each model, protected or bare; `probes` is the probes' digest."""

    agents: tuple[str, ...]
    models: tuple[str, ...]
    protections: tuple[Protection, ...]
    probes: str

    @property
    def digest(self) -> str:
        """What names the plan's folder."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Task:
    """One probe to be played."""

    agent: str
    model: str
    protection: Protection
    probe: Probe

    @property
    def file(self) -> str:
        """The name of its result's file: a hash, for a model may be called anything."""
        words = "\x00".join((self.agent, self.model, self.protection, self.probe.name))
        return hashlib.sha256(words.encode()).hexdigest()[:24] + ".json"


def make_probe_plan(
    agents: Sequence[str], models: Sequence[str], protections: Sequence[str], settings: Settings
) -> ProbePlan:
    """Return a plan, its names checked.

    Raises
    ------
    InputError
        Nothing is chosen, or a name is not known.
    """
    for what, chosen in (("agent", agents), ("model", models), ("protection (on, off)", protections)):
        if not chosen:
            raise InputError(f"No {what} was chosen; choose one or more.")
    for name in agents:
        find_agent(name)
    for name in models:
        find_model(name, settings)
    if wrong := set(protections) - set(PROTECTIONS):
        raise InputError(f"The protection is {sorted(wrong)}; it takes on or off.")
    known = tuple(one for one in PROTECTIONS if one in protections)
    return ProbePlan(tuple(agents), tuple(models), known, digest_of(load_probes()))


def plan_folder(plan: ProbePlan, settings: Settings) -> Path:
    """Return where a page keeps a plan's results: the same choice goes on where it was."""
    return settings.data_dir / "safety_probes" / plan.digest


def tasks_of(plan: ProbePlan) -> list[Task]:
    """Return what is to be played, in order: in the languages of the agent; the guided rules know English."""
    return [
        Task(agent, model, protection, probe)
        for model in plan.models
        for agent in plan.agents
        for protection in plan.protections
        for probe in load_probes()
        if probe.language in find_agent(agent).languages
        and (model != GUIDED_SPEC.name or probe.language == "en")
    ]


def run_probes(
    plan: ProbePlan,
    folder: Path,
    settings: Settings,
    *,
    cancel: threading.Event | None = None,
    listen: Callable[[int, int], None] = lambda done, total: None,
) -> list[Played]:
    """Play what has no result in the folder yet, or whose reply failed; return every result.

    Nothing of it is in the archive: the sessions live in a database that is gone afterwards.

    Raises
    ------
    RunError
        The folder holds another plan, is being worked on, or cannot be written.
    ProviderError
        A model cannot be opened.
    """
    stop = cancel or threading.Event()
    files = RunFolder(folder)
    create_folder(files.work)
    with hold(files), tempfile.TemporaryDirectory() as scratch:
        _check_plan(plan, files)
        tasks = tasks_of(plan)
        results = load_results(plan, folder)
        due = [task for task in tasks if task.file not in results or results[task.file].failed]
        listen(len(tasks) - len(due), len(tasks))
        with open_database(f"sqlite:///{scratch}/probes.sqlite3") as db:
            for number, task in enumerate(due, start=len(tasks) - len(due) + 1):
                if stop.is_set():
                    break
                try:
                    played = _play(task, db, settings, stop)
                except StoppedError:
                    break
                write_json(folder / task.file, played.as_json())
                listen(number, len(tasks))
    return list(load_results(plan, folder).values())


def load_results(plan: ProbePlan, folder: Path) -> dict[str, Played]:
    """Return the results there are, by file; RunError where one is damaged."""
    present = [folder / task.file for task in tasks_of(plan) if (folder / task.file).exists()]
    return {path.name: read_played(read_json(path)) for path in present}


def _play(task: Task, db: Database, settings: Settings, stop: threading.Event) -> Played:
    model = open_model(task.model, settings)
    if task.protection == "on":
        return play_protected(task.probe, task.agent, model, db, settings, stop)
    return play_bare(task.probe, task.agent, model, settings, stop)


def _check_plan(plan: ProbePlan, files: RunFolder) -> None:
    if not files.plan.exists():
        write_json(files.plan, asdict(plan))
        return
    there = read_json(files.plan)
    if {key: tuple(value) if isinstance(value, list) else value for key, value in there.items()} != asdict(
        plan
    ):
        raise RunError(
            f"{files.root} holds the results of other agents, models, protections or probes. "
            "Choose another folder."
        )
