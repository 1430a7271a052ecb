"""A run's results by topic, where any column of few values may be the topic."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from counsel_core.errors import RunError, UnknownNameError
from counsel_core.records import QADataset, QAItem
from counsel_core.runs.folder import create_folder, read_json, write_json, write_whole
from counsel_core.runs.profiles import profile_scales
from counsel_core.runs.results import edition, load_table, read_table
from counsel_core.runs.runs import Run
from counsel_core.runs.writing import csv_bytes, tables_of

if TYPE_CHECKING:
    import pandas as pd

OWN_TOPIC = ""
"""Stands for the data set's own topic, beside the names of its other columns."""
TABLES = ("topics", "z_scores", "topic_distances", "topic_summary", "recommendations")
"""What is kept of each column: stems of the run's files."""
PAPER_TOPICS = ("depression", "relationships", "anxiety", "intimacy", "parenting")
"""The topics of the framework paper's Tables 4 to 7."""
SHOWN_AT_FIRST = 5


def topic_columns(dataset: QADataset) -> tuple[str, ...]:
    """Return the columns that can be the topic: the data set's own first, if it has one.

    A column with one value only, or with another value for every question, divides nothing.
    """
    names = dict.fromkeys(name for item in dataset.items for name in item.columns)
    usable = [name for name in names if 1 < len(topic_sizes(dataset, name)) < len(dataset.items)]
    own = [OWN_TOPIC] if topic_sizes(dataset, OWN_TOPIC) else []
    return (*own, *usable)


def topic_of(item: QAItem, column: str = OWN_TOPIC) -> str | None:
    """Return the topic of a question by the data set itself or by another column; None if it has none."""
    return (item.topic if column == OWN_TOPIC else item.columns.get(column)) or None


def topic_sizes(dataset: QADataset, column: str = OWN_TOPIC) -> dict[str, int]:
    """Return the number of questions of each topic, the largest first, equal ones by name."""
    counts = Counter(topic for item in dataset.items if (topic := topic_of(item, column)))
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def first_topics(sizes: Mapping[str, int], number: int = SHOWN_AT_FIRST) -> list[str]:
    """Return the topics to show at first: the paper's five if all are there, otherwise the largest.

    Examples
    --------
    >>> first_topics({"work": 9, "grief": 5, "love": 2}, 2)
    ['work', 'grief']
    >>> first_topics({name: 1 for name in ("work", "Parenting", *PAPER_TOPICS[:4])})
    ['depression', 'relationships', 'anxiety', 'intimacy', 'Parenting']
    """
    known = {name.casefold(): name for name in reversed(list(sizes))}
    if all(name in known for name in PAPER_TOPICS):
        return [known[name] for name in PAPER_TOPICS]
    return sorted(sizes, key=lambda name: -sizes[name])[:number]


def are_ready(run: Run, column: str = OWN_TOPIC) -> bool:
    """Return whether a column's tables are there, made from the run's present scores."""
    if column == OWN_TOPIC:
        return True
    made = _folder(run, column) / "made.json"
    return made.is_file() and read_json(made) == _made_of(run, column)


def load_topic_table(run: Run, name: str, column: str = OWN_TOPIC) -> pd.DataFrame:
    """Return one of `TABLES`: the run's own, or the one that `make_ready` wrote for another column.

    Raises
    ------
    RunError
        There is no such table yet.
    """
    if column == OWN_TOPIC:
        return load_table(run, name)
    path = _folder(run, column) / f"{name}.csv"
    try:
        return read_table(path.read_bytes())
    except OSError as error:
        raise RunError(f"The results by {column} are not made yet: open them on the Topics page.") from error


def make_ready(run: Run, dataset: QADataset, scores: pd.DataFrame, column: str) -> None:
    """Compute the tables with another column as the topic, and keep them in the run's folder.

    Nothing is done where they are there. The resampling is the run's: its seed, its questions.

    Raises
    ------
    UnknownNameError
        The data set has no such column.
    RunError
        The folder cannot be written.
    """
    from counsel_core.statistics.analysis import analyse

    if are_ready(run, column):
        return
    if column not in (known := topic_columns(dataset)):
        raise UnknownNameError("column", column, (name or "topic" for name in known))
    analysis = analyse(
        regrouped(scores, dataset, column), profile_scales(run.plan.metrics), seed=run.plan.seed
    )
    folder = _folder(run, column)
    create_folder(folder)
    tables = tables_of(analysis)
    for name in TABLES:
        write_whole(folder / f"{name}.csv", csv_bytes(tables[name]))
    write_json(folder / "made.json", _made_of(run, column))


def regrouped(scores: pd.DataFrame, dataset: QADataset, column: str) -> pd.DataFrame:
    """Return the scores with the values of another column as their topics."""
    import pandas as pd

    topics = {item.id: topic_of(item, column) for item in dataset.items}
    values = [topics[str(item)] for item in scores["item"]]
    return scores.assign(topic=pd.Series(values, index=scores.index, dtype="object"))


def items_of(dataset: QADataset, topics: Iterable[str], column: str = OWN_TOPIC) -> list[QAItem]:
    """Return the questions of some topics, in the order of the data set."""
    wanted = set(topics)
    return [item for item in dataset.items if topic_of(item, column) in wanted]


def scores_behind(scores: pd.DataFrame, items: Iterable[QAItem], source: str) -> pd.DataFrame:
    """Return what one source's numbers of a topic are made of: a row a question, a column a metric.

    Several answers of the source to one question are averaged; `answers` counts them. A question that
    the source did not answer has no row; a missing value is NaN, its reasons in `missing`.
    """
    import pandas as pd

    questions = {item.id: item for item in items}
    rows = scores[(scores["source"] == source) & scores["item"].isin(list(questions))]
    values = rows.pivot_table(
        index="item", columns="metric", values="value", dropna=False, observed=True, sort=False
    )
    values = values.reindex([name for name in questions if name in set(rows["item"])])
    without = rows[rows["value"].isna() & (rows["reason"].astype(str) != "")]
    reasons: dict[str, list[str]] = {}
    for one in without.drop_duplicates(["item", "metric"]).itertuples():
        reasons.setdefault(str(one.item), []).append(f"{one.metric}: {one.reason}")
    answers = rows.groupby("item", observed=True)["position"].nunique()
    frame = pd.DataFrame(
        {
            "item": list(values.index),
            "question": [questions[name].question for name in values.index],
            "answers": answers.reindex(values.index).to_list(),
        }
    )
    for metric in dict.fromkeys(rows["metric"].astype(str)):
        frame[metric] = values[metric].to_list() if metric in values else float("nan")
    frame["missing"] = ["; ".join(reasons.get(str(name), ())) for name in values.index]
    return frame


def _folder(run: Run, column: str) -> Path:
    return run.files.work / "by_column" / hashlib.sha256(column.encode()).hexdigest()[:16]


def _made_of(run: Run, column: str) -> dict[str, object]:
    return {"column": column, "edition": edition(run), "plan": run.plan.digest}
