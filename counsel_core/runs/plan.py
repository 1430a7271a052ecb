"""The plan of a run: all that its results depend on, so that results of two plans are never mixed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from importlib.metadata import version
from typing import Any, get_args

from counsel_core.errors import InputError, RunError, UnknownNameError
from counsel_core.language.emotion import EMBEDDED, emotion_model
from counsel_core.llm.catalogue import effective_local_only, open_model
from counsel_core.metrics import find_metric, metrics
from counsel_core.metrics._base import Metric
from counsel_core.metrics._judging import prompt_digest
from counsel_core.metrics.recycling import FLUFF_FILE
from counsel_core.records import Json, Preset, QADataset
from counsel_core.runs.snapshot import digest_of
from counsel_core.settings import Settings

SEED = 1
"""What the resampling of questions begins with, unless a plan says otherwise."""

SETTINGS = ("rbo_p", "repeats", "fluff", "second_emotions")
"""The settings of a run's metrics; each has a default, and the second emotion model is none."""

_BESIDE = ("dataset_name", "cache")
"""What is in a plan for its reader: the name of the file, and whether answers of before may be used."""

_PACKAGES = ("textblob", "readability", "nupunkt", "rbo")
"""Packages whose version changes what the metrics give."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is scored, how and by what. `dataset` is the SHA-256 of all that was read from the file.

    `judge` and `emotion_model` are names to open a model by, beside what tells it from others of that name.
    """

    dataset: str
    dataset_name: str
    file: str
    policy: str
    sources: tuple[str, ...]
    metrics: tuple[str, ...]
    preset: Preset
    settings: Json = field(default_factory=dict)
    judge: str | None = None
    judge_model: str = ""
    emotion_model: str | None = None
    emotion_weights: str = ""
    seed: int = SEED
    versions: Json = field(default_factory=dict)
    cache: bool = True

    @property
    def digest(self) -> str:
        """The SHA-256 of the plan; equal plans give equal results. What is in `_BESIDE` does not count."""
        value = {key: one for key, one in self.as_json().items() if key not in _BESIDE}
        return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()

    def as_json(self) -> Json:
        """Return the plan as JSON gives it back."""
        value: Json = json.loads(json.dumps(asdict(self)))
        return value


def make_plan(
    dataset: QADataset,
    *,
    app: Settings,
    preset: str = "paper",
    names: Sequence[str] | None = None,
    judge: str | None = None,
    emotions: str | None = None,
    settings: Mapping[str, Any] | None = None,
    sources: Sequence[str] | None = None,
    seed: int = SEED,
    cache: bool = True,
) -> Plan:
    """Return the plan of a run, checked.

    Parameters
    ----------
    names
        The metrics. None: all that can be had; agreeability and active listening are judged if there
        is a judge, and replaced by their proxies, which are named so, if there is none.
    judge
        The name of a language model of the Models page.
    emotions
        The emotion model: `embedded` (None too), a folder, or a hub name.
    sources
        Those to score; None: all of the data set.
    settings
        What `MetricContext.settings` takes: `rbo_p`, `repeats`, `fluff`; and `second_emotions`, the name of
        an emotion model to rank beside the first.
    cache
        Whether what the judge was asked before, in whichever run, is answered from the cache.

    Raises
    ------
    UnknownNameError
        There is no such preset, metric, source or model.
    InputError
        The data set has no answer; a metric needs a judge and there is none, or the judge is no language
        model.
    LocalOnlyError, MissingKeyError
        The judge may not or cannot be asked.
    DataFileError
        The emotion model is not on this machine.
    """
    for key in settings or {}:
        if key not in SETTINGS:
            raise UnknownNameError("setting of a run", key, SETTINGS)
    if preset not in get_args(Preset):
        raise UnknownNameError("preset", preset, get_args(Preset))
    if not dataset.answers:
        raise InputError(
            f"{dataset.name} holds no answer to score; read-dataset says what was dropped and why."
        )
    chosen = _choose(names, judge)
    emotion_name, weights = _emotions(chosen, emotions, app)
    known = dataset.sources
    for source in sources or ():
        if source not in known:
            raise UnknownNameError("source in the data set", source, known)
    return Plan(
        dataset=digest_of(dataset),
        dataset_name=dataset.name,
        file=dataset.sha256,
        policy=dataset.policy,
        sources=tuple(source for source in known if sources is None or source in sources),
        metrics=tuple(metric.name for metric in chosen),
        preset="paper" if preset == "paper" else "standard",
        settings=dict(sorted((settings or {}).items())),
        judge=judge if any(metric.work == "judge" for metric in chosen) else None,
        judge_model=_judge_model(judge, app) if judge else "",
        emotion_model=emotion_name,
        emotion_weights=weights,
        seed=seed,
        versions=_versions(chosen, settings or {}) | _second_weights(chosen, settings or {}, app),
        cache=cache,
    )


def _versions(chosen: Sequence[Metric], settings: Mapping[str, Any]) -> Json:
    """Return what else the results depend on: packages, the editable fluff words, the judge's prompts."""
    found: Json = {name: version(name) for name in _PACKAGES}
    if "fluff" not in settings:
        found[FLUFF_FILE.name] = sha256(FLUFF_FILE.read_bytes()).hexdigest()[:16]
    judged = [metric.name for metric in chosen if metric.work == "judge"]
    return found | {f"prompt of {name}": prompt_digest(name) for name in judged}


def read_plan(value: Any) -> Plan:
    """Return a plan from its JSON; RunError if it is none."""
    try:
        return Plan(**{**value, "sources": tuple(value["sources"]), "metrics": tuple(value["metrics"])})
    except (TypeError, KeyError) as error:
        raise RunError(
            "The plan of the run cannot be read: it is of another version. Start a new run."
        ) from error


def differences(old: Plan, new: Plan) -> list[str]:
    """Return what differs between two plans, in words, that results depend on.

    >>> a = Plan("d", "a.csv", "f", "upvotes", (), ("recycling",), "paper")
    >>> from dataclasses import replace
    >>> differences(a, replace(a, preset="standard"))
    ['preset: paper → standard']
    """
    if old.digest == new.digest:
        return []
    found = []
    before, after = old.as_json(), new.as_json()
    for key in before:
        if before[key] == after[key] or key in _BESIDE:
            continue
        if key in ("dataset", "file"):
            found.append("the data set has changed")
        else:
            found.append(f"{key.replace('_', ' ')}: {_said(before[key])} → {_said(after[key])}")
    return list(dict.fromkeys(found))


def _said(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def _choose(names: Sequence[str] | None, judge: str | None) -> list[Metric]:
    if names is None:
        return [
            metric
            for metric in metrics().values()
            if (not metric.proxy_of if judge else metric.work != "judge")
        ]
    if not names:
        raise UnknownNameError("metric", "", metrics())
    wanted = {find_metric(name).name for name in names}
    chosen = [metric for metric in metrics().values() if metric.name in wanted]
    without = [metric.name for metric in chosen if metric.work == "judge" and not judge]
    if without:
        raise InputError(
            f"{' and '.join(without)}: a judge is needed, and none was given. Name a language model as "
            f"judge, or choose the proxy: {', '.join(f'{name}_proxy' for name in without)}."
        )
    return chosen


def _judge_model(judge: str, app: Settings) -> str:
    spec = open_model(judge, app).spec
    if spec.location == "rules":
        raise InputError(
            f"The judge is {spec.label}: judging needs a language model. Choose one of the Models page, "
            "or the proxy metrics."
        )
    return spec.model or spec.label


def _second_weights(chosen: Sequence[Metric], settings: Mapping[str, Any], app: Settings) -> Json:
    """Return what tells the weights of the second emotion model from others."""
    name = settings.get("second_emotions")
    if not name:
        return {}
    if not any(metric.name == "emotion_consistency" for metric in chosen):
        raise InputError(
            f"The second emotion model is {name}, but emotion consistency is not among the metrics."
        )
    model = emotion_model(name, download=not effective_local_only(app))
    return {"second emotion model": f"{model.name}, {model.weights}"}


def _emotions(chosen: Sequence[Metric], name: str | None, app: Settings) -> tuple[str | None, str]:
    """Return the name of the emotion model and what tells its weights from others."""
    if not any(metric.name == "emotion_consistency" for metric in chosen):
        return None, ""
    name = name or EMBEDDED
    model = emotion_model(name, download=not effective_local_only(app))
    return name, f"{model.name}, {model.weights}"
