"""A data set becomes a CSV file that reads back as the same questions and answers."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence

from counsel_core.datasets._base import ATTRIBUTE, Table
from counsel_core.datasets.formulas import spreadsheet_safe
from counsel_core.datasets.wide import BLOCKED_COLUMN, FIRST_COLUMNS, NEXT_COLUMN, source_columns
from counsel_core.errors import DatasetError
from counsel_core.records import REFERENCE, Answer, QADataset


def write_wide(dataset: QADataset, *, spreadsheet: bool = False) -> bytes:
    """Write a row for each question, with a column for each source.

    A source's further answers stand in columns named "gpt #2", "gpt #3". A blocked answer's text is left
    out; a column named "gpt (blocked)" marks it.

    Parameters
    ----------
    spreadsheet
        Put an apostrophe before cells that a spreadsheet would take for formulas, and a byte order mark
        before all. Such a file is for looking at: it does not read back the same.

    Raises
    ------
    DatasetError
        A source has the name of another column, "question" for one: write the long format.
    """
    columns = _answer_columns(dataset)
    others = _other_columns(dataset)
    marks = {(answer.source, answer.position) for answer in dataset.answers if answer.blocked}
    marked = [key for key in columns if key in marks]
    header = [
        *FIRST_COLUMNS[:-1],
        *columns.values(),
        *(BLOCKED_COLUMN.format(columns[key]) for key in marked),
        *(ATTRIBUTE + name for name in others),
    ]
    _check_header(dataset, header, {name: source for (source, _), name in columns.items()})
    given = {(answer.item, answer.source, answer.position): answer for answer in dataset.answers}

    def cells() -> Iterable[Sequence[str]]:
        for item in dataset.items:
            answers = {key: given.get((item.id, *key)) for key in columns}
            yield [
                *(item.id, item.question or "", item.topic or ""),
                *map(_shown, answers.values()),
                *(_mark(answers[key]) for key in marked),
                *(item.columns.get(name, "") for name in others),
            ]

    return _csv(header, cells(), spreadsheet=spreadsheet)


def write_long(dataset: QADataset, *, spreadsheet: bool = False) -> bytes:
    """Write a row for each answer; questions that have none are left out.

    `spreadsheet` is that of `write_wide`; a blocked answer's text is left out here too.
    """
    others = _other_columns(dataset)
    taken = {"id", "question", "topic", "source", "answer", "blocked"}
    header = [
        *("id", "question", "topic", "source", "answer", "blocked"),
        *(ATTRIBUTE + name if name in taken else name for name in others),
    ]
    items = {item.id: item for item in dataset.items}

    def cells() -> Iterable[Sequence[str]]:
        for answer in dataset.answers:
            item = items[answer.item]
            told = [answer.source, _shown(answer), _mark(answer)]
            rest = (item.columns.get(name, "") for name in others)
            yield [item.id, item.question or "", item.topic or "", *told, *rest]

    return _csv(header, cells(), spreadsheet=spreadsheet)


def _answer_columns(dataset: QADataset) -> dict[tuple[str, int], str]:
    """Return each source and position with the name of its column, the reference always first."""
    most = Counter({REFERENCE: 0})
    for answer in dataset.answers:
        most[answer.source] = max(most[answer.source], answer.position)
    return {
        (source, position): NEXT_COLUMN.format(source, position + 1) if position else source
        for source in (REFERENCE, *(name for name in dataset.sources if name != REFERENCE))
        for position in range(most[source] + 1)
    }


def _other_columns(dataset: QADataset) -> list[str]:
    return list(dict.fromkeys(name for item in dataset.items for name in item.columns))


def _check_header(dataset: QADataset, header: list[str], sources: dict[str, str]) -> None:
    """Refuse names of sources that would be read back as something else."""
    clear = len(set(header)) == len(header)
    table = Table(dataset.name, "csv", "utf-8", tuple(header), ())
    back = {name: source for name, (source, _) in source_columns(table).items()} if clear else {}
    for name, source in sources.items():
        if back.get(name) != source or name.strip() != name:
            reason = "a source of this name cannot have a column of its own; write the long format."
            raise DatasetError(dataset.name, reason, column=name)


def _shown(answer: Answer | None) -> str:
    return "" if answer is None or answer.blocked else answer.text


def _mark(answer: Answer | None) -> str:
    return "yes" if answer is not None and answer.blocked else ""


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]], *, spreadsheet: bool) -> bytes:
    written = io.StringIO(newline="")
    writer = csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    for row in (header, *rows):
        # No CSV reader takes a zero character, and a model may have written one.
        cells = [cell.replace("\0", "") for cell in row]
        writer.writerow(map(spreadsheet_safe, cells))
    return written.getvalue().encode("utf-8-sig" if spreadsheet else "utf-8", errors="replace")
