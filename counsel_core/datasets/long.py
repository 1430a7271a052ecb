"""The long format: a row for each answer, with a column that says whose it is."""

from __future__ import annotations

from collections.abc import Iterator

from counsel_core.datasets._base import (
    ColumnMap,
    DatasetFormat,
    Dropped,
    Entry,
    Table,
    attributes,
    guess_by_name,
)
from counsel_core.datasets.limits import LONGEST_NAME, MOST_SOURCES, shortened
from counsel_core.errors import DatasetError
from counsel_core.records import OTHER_THERAPISTS, REFERENCE, RowNote

_NAMES = {
    "source": ("source", "model", "author", "来源", "模型"),
    "answer": ("answer", "response", "text", "回答", "回复"),
    "question": ("question", "prompt", "问题"),
    "id": ("id", "question_id", "item", "编号"),
    "topic": ("topic", "category", "主题", "话题"),
    "blocked": ("blocked",),
}
BLOCKED = frozenset(("yes", "true", "1"))
"""What a cell holds that marks an answer as held back by the reply check."""


def source_name(given: str) -> str:
    """Return a source's name: trimmed, and the two that have a meaning in one spelling.

    Examples
    --------
    >>> source_name(" Reference"), source_name("Other therapists"), source_name("GPT 3.5")
    ('reference', 'other_therapists', 'GPT 3.5')
    """
    name = " ".join(given.split())
    known = name.casefold().replace(" ", "_").replace("-", "_")
    return known if known in {REFERENCE, OTHER_THERAPISTS} else name


def _guess(table: Table, given: ColumnMap) -> ColumnMap:
    if given.get("reference") in table.columns:
        return {}  # a column of gold answers: that is the wide format
    return guess_by_name(table, given, _NAMES)


def _read(table: Table, columns: ColumnMap) -> Iterator[Entry | RowNote | Dropped]:
    named = {role: str(column) for role, column in columns.items()}
    gold = source_name(named.pop("reference", REFERENCE))
    place = {role: table.columns.index(column) for role, column in named.items()}
    other = attributes(table, set(named.values()))
    sources: set[str] = set()
    for row, cells in table.rows:
        source = source_name(cells[place["source"]])
        question = cells[place["question"]]
        key = cells[place["id"]].strip() if "id" in place else " ".join(question.split())
        if not source or not key:
            missing = named["source"] if not source else named["id" if "id" in place else "question"]
            yield Dropped(row, f"{missing!r} is empty: it cannot be told to what the answer belongs")
            continue
        sources.add(source)
        _check_sources(table, sources, row, named["source"])
        yield Entry(
            row=row,
            id=key,
            question=question,
            topic=cells[place["topic"]] if "topic" in place else "",
            source=REFERENCE if source == gold else source,
            text=cells[place["answer"]],
            place=f"{named['answer']} of {source}",
            columns={name: cells[index] for name, index in other.items()},
            blocked="blocked" in place and cells[place["blocked"]].strip().lower() in BLOCKED,
        )
    if sources and gold not in sources:
        found = shortened(", ".join(sorted(sources)), 200)
        reason = f"no row has the gold standard's source, {gold!r}; found: {found}. Map reference=NAME."
        raise DatasetError(table.file, reason, column=named["source"])


def _check_sources(table: Table, sources: set[str], row: int, column: str) -> None:
    if len(sources) > MOST_SOURCES or max(map(len, sources)) > LONGEST_NAME:
        most = f"{MOST_SOURCES} sources, with names of at most {LONGEST_NAME} characters,"
        reason = f"at most {most} are read. Does the column say whose an answer is?"
        raise DatasetError(table.file, reason, row=row, column=column)


LONG = DatasetFormat(
    name="long",
    label="Long: a row for each answer",
    description="Columns question, source, answer, and optionally topic and id; the gold standard's source "
    "is named reference.",
    order=2,
    needs=frozenset(("question", "source", "answer")),
    takes=frozenset(("id", "topic", "blocked", "reference")),
    guess=_guess,
    read=_read,
)
