"""The files of a run's results: the scores, the tables, what the run was, and the report."""

from __future__ import annotations

import io
import platform
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from counsel_core.datasets.formulas import spreadsheet_safe
from counsel_core.metrics import find_metric
from counsel_core.records import Json, ModelSpec, QADataset, Score
from counsel_core.runs.call_facts import totals
from counsel_core.runs.folder import RunFolder, write_json, write_whole
from counsel_core.runs.journal import Entry
from counsel_core.runs.naming import agent_label
from counsel_core.runs.plan import Plan
from counsel_core.runs.profiles import profile_scales
from counsel_core.runs.report import report_page
from counsel_core.runs.scores import scores_frame
from counsel_core.runs.units import FAILED, NOT_YET

if TYPE_CHECKING:
    import pandas as pd

    from counsel_core.statistics.analysis import Analysis, Part


def write_results(
    folder: RunFolder,
    plan: Plan,
    dataset: QADataset,
    scores: Sequence[Score],
    entries: Iterable[Entry],
    judge: ModelSpec | None = None,
) -> None:
    """Write every file of the results. The scores are the same bytes for the same results.

    `judge` is the judge's entry, whose prices say what its calls cost.

    Raises
    ------
    RunError
        A file cannot be written.
    """
    frame = scores_frame(scores)
    write_whole(folder.root / "scores.parquet", _parquet(frame))
    tables = result_tables(frame, plan) | _second_emotions(scores) | _beside(scores)
    for name, table in tables.items():
        write_whole(folder.root / f"{name}.csv", csv_bytes(table))
    facts = _facts(plan, dataset, scores, entries, judge)
    write_whole(folder.root / "report.html", report_page(plan, facts, tables).encode())
    write_json(folder.root / "run.json", facts)


def result_tables(frame: pd.DataFrame, plan: Plan) -> dict[str, pd.DataFrame]:
    """Return the tables of a run's scores by the stem of their file."""
    from counsel_core.statistics.analysis import analyse
    from counsel_core.statistics.tables import paired

    analysis = analyse(frame, profile_scales(plan.metrics), seed=plan.seed)
    return with_reasons({**tables_of(analysis), "paired": paired(frame)}, frame)


def tables_of(analysis: Analysis) -> dict[str, pd.DataFrame]:
    """Return every table that needs no more than an analysis, what it says in words among them."""
    import pandas as pd

    from counsel_core.statistics.cards import model_cards
    from counsel_core.statistics.recommendation import Recommendation, recommend
    from counsel_core.statistics.tables import all_tables

    said = [asdict(one) for one in recommend(analysis, label=agent_label, proxies=_proxies(analysis))]
    words = pd.DataFrame(said, columns=[one.name for one in fields(Recommendation)])
    own = {"recommendations": words, "model_cards": model_cards(analysis)}
    return {name: _counted(table, analysis) for name, table in {**all_tables(analysis), **own}.items()}


def with_reasons(tables: dict[str, pd.DataFrame], frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables with the reason, of a mean without a value, that most of its scores give."""
    lacking = frame[frame["value"].isna() & (frame["reason"] != "")]
    found = dict(tables)
    for name, keys in (("summary", ["source", "metric"]), ("topic_summary", ["topic", "source", "metric"])):
        reasons = lacking.groupby(keys, sort=False)["reason"].agg(lambda given: given.mode()[0]).to_dict()
        table = tables[name]
        places = list(table[keys].itertuples(index=False, name=None))
        better = [
            reasons.get(place, said) if n == 0 else said
            for place, n, said in zip(places, table["n"], table["reason"], strict=True)
        ]
        found[name] = table.assign(reason=better)
    return found


def _proxies(analysis: Analysis) -> list[str]:
    return [name for name in analysis.profile_metrics if find_metric(name).proxy_of]


def _counted(table: pd.DataFrame, analysis: Analysis) -> pd.DataFrame:
    """Return a table over several metrics with how many of them are proxies; others as they are."""
    if "n" not in table or "metric" in table or not {"r", "distance", "z"} & set(table.columns):
        return table
    import pandas as pd

    by_topic = {part.topic: part for part in analysis.topics}
    proxies = _proxies(analysis)
    counts = [_proxies_behind(row, analysis, by_topic, proxies) for row in table.to_dict("records")]
    table = table.copy()
    table.insert(list(table.columns).index("n") + 1, "proxies", pd.Series(counts, table.index, dtype=int))
    return table


def _proxies_behind(
    row: Mapping[Hashable, Any],
    analysis: Analysis,
    by_topic: Mapping[str | None, Part],
    proxies: Sequence[str],
) -> int:
    """Return how many proxies are among the metrics that a row's sources have on its topics."""
    sources = [row[name] for name in ("source", "source_1", "source_2") if name in row]
    topics = [row[name] for name in ("topic", "topic_1", "topic_2") if name in row]
    parts = [by_topic[topic] for topic in topics] or [analysis.overall]
    left_out = row.get("without", "")
    return sum(
        name in proxies
        and name != left_out
        and all(part.known[analysis.place(source)][at] for part in parts for source in sources)
        for at, name in enumerate(analysis.profile_metrics)
    )


def _second_emotions(scores: Sequence[Score]) -> dict[str, pd.DataFrame]:
    """Return how two emotion models agree, where a run has two."""
    import pandas as pd

    from counsel_core.statistics.emotion_models import emotion_agreement

    both = [
        (one.source, one.value, second["value"], second["overlap"])
        for one in scores
        if (second := one.detail.get("second")) is not None
    ]
    if not both:
        return {}
    frame = pd.DataFrame(both, columns=["source", "first", "second", "overlap"])
    return {"emotion_models": emotion_agreement(frame.astype({"overlap": float}))}


def _beside(scores: Sequence[Score]) -> dict[str, pd.DataFrame]:
    """Return the means of what metrics report beside their values."""
    import pandas as pd

    names = {one.metric: find_metric(one.metric).beside for one in scores}
    found = [
        (one.source, one.metric, label, float(one.detail[key]))
        for one in scores
        for key, label in names[one.metric].items()
        if one.detail.get(key) is not None
    ]
    if not found:
        return {}
    frame = pd.DataFrame(found, columns=["source", "metric", "measure", "value"])
    groups = frame.groupby(["source", "metric", "measure"], sort=False)["value"]
    return {"beside": groups.agg(mean="mean", sd="std", n="count").reset_index()}


def csv_bytes(table: pd.DataFrame) -> bytes:
    """Return a table as CSV with all digits; a text that a spreadsheet would run is made harmless."""
    shown = table.copy()
    for name in shown.columns:
        if shown[name].dtype.kind not in "fiub":
            shown[name] = shown[name].map(_harmless)
    text: str = shown.to_csv(index=False, lineterminator="\n")
    return text.encode()


def _harmless(value: object) -> object:
    return spreadsheet_safe(value) if isinstance(value, str) else value


def _parquet(frame: pd.DataFrame) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    text = pa.string()
    kinds = {"value": pa.float64(), "position": pa.int64()}
    schema = pa.schema([(name, kinds.get(name, text)) for name in frame.columns])
    buffer = io.BytesIO()
    table = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
    pq.write_table(table, buffer)  # type: ignore[no-untyped-call] # pyarrow has no types
    return buffer.getvalue()


def _facts(
    plan: Plan,
    dataset: QADataset,
    scores: Sequence[Score],
    entries: Iterable[Entry],
    judge: ModelSpec | None,
) -> Json:
    """Return what a reader must know of the run beside its numbers."""
    missing = Counter(
        (one.source, one.metric, one.reason) for one in scores if one.value is None and not _failed(one)
    )
    return {
        "plan": plan.as_json(),
        "digest": plan.digest,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "complete": not any(one.reason == NOT_YET or _failed(one) for one in scores),
        "dataset": {
            "name": dataset.name,
            "sha256": dataset.sha256,
            "format": dataset.format,
            "encoding": dataset.encoding,
            "policy": dataset.policy,
            "items": len(dataset.items),
            "repaired": len(dataset.repaired),
            "dropped": len(dataset.dropped),
            "about": dict(dataset.about),
        },
        "answers": dict(Counter(answer.source for answer in dataset.answers)),
        "blocked": dict(Counter(answer.source for answer in dataset.answers if answer.blocked)),
        "scores": len(scores),
        "missing": [
            {"source": source, "metric": metric, "reason": reason, "n": number}
            for (source, metric, reason), number in missing.items()
        ],
        "failed": [
            {"item": one.item, "source": one.source, "metric": one.metric, "error": one.reason}
            for one in scores
            if _failed(one)
        ],
        "judge": _judge_facts(plan, entries, judge),
    }


def _failed(score: Score) -> bool:
    return score.value is None and score.reason.startswith(FAILED)


def _judge_facts(plan: Plan, entries: Iterable[Entry], judge: ModelSpec | None) -> Json | None:
    if plan.judge is None:
        return None
    calls = [call for entry in entries for call in entry.detail.get("calls", ())]
    return {"name": plan.judge, "model": plan.judge_model, **totals(calls, judge)}
