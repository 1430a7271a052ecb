"""`read-dataset`: what a file holds, what was repaired and what was dropped."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any, get_args

from counsel_core.commands._base import DONE, Command, print_json, print_line
from counsel_core.commands._long_work import read_file
from counsel_core.datasets import read_dataset
from counsel_core.errors import InputError
from counsel_core.records import GoldPolicy, Json, QADataset
from counsel_core.settings import Settings

_SHOWN = 10


def _configure(parser: argparse.ArgumentParser) -> None:
    add_dataset_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, with every note")


def add_dataset_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what every command that reads a data set takes."""
    parser.add_argument("file", help="CSV, TSV, XLSX, JSON, JSON Lines or Parquet")
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="ROLE=COLUMN",
        help="question=Q,reference=R,topic=T,models=A+B; or a JSON object, for names with commas",
    )
    parser.add_argument(
        "--gold", choices=get_args(GoldPolicy), default="upvotes", help="how the gold answer is chosen"
    )
    parser.add_argument("--topic", metavar="COLUMN", help="the column that serves as the topic")


def read_from(arguments: argparse.Namespace) -> QADataset:
    """Read the data set that `add_dataset_arguments` describes.

    Raises
    ------
    InputError
        The file cannot be opened, or --map cannot be read.
    DatasetError
        The file's content is no data set.
    """
    path = Path(arguments.file)
    return read_dataset(
        path.name,
        read_file(path),
        mapping=read_mapping(arguments.map),
        policy=arguments.gold,
        topic_column=arguments.topic,
    )


def read_mapping(given: list[str]) -> Json:
    """Read --map.

    Examples
    --------
    >>> read_mapping(["question=Q,models=A+B"])
    {'question': 'Q', 'models': 'A+B'}
    """
    mapping: dict[str, Any] = {}
    for text in given:
        if text.lstrip().startswith("{"):
            mapping |= _json_mapping(text)
            continue
        for pair in text.split(","):
            role, equals, column = (part.strip() for part in pair.partition("="))
            if not (role and equals and column):
                raise InputError(f"--map has {pair!r}; give ROLE=COLUMN, such as question=Q,models=A+B.")
            mapping[role] = column
    return mapping


def _json_mapping(text: str) -> Json:
    try:
        mapping = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError('--map is no valid JSON; give {"question": "Q", "models": ["A"]}.') from error
    for role, value in mapping.items():
        if not isinstance(value, str) and not (role == "models" and _are_texts(value)):
            raise InputError(f"--map has {role!r} that is no name; only models may be a list of names.")
    return dict(mapping)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _run(arguments: argparse.Namespace, _: Settings) -> int:
    dataset = read_from(arguments)
    if arguments.json:
        print_json(_as_json(dataset))
    else:
        print_line(_as_text(dataset))
    return DONE


def _as_json(dataset: QADataset) -> Json:
    return {
        "format": dataset.format,
        "encoding": dataset.encoding,
        "items": len(dataset.items),
        "answers": len(dataset.answers),
        "sources": list(dataset.sources),
        "topics": dict(Counter(item.topic for item in dataset.items if item.topic).most_common()),
        "repaired": [{"row": note.row, "reason": note.reason} for note in dataset.repaired],
        "dropped": [{"row": note.row, "reason": note.reason} for note in dataset.dropped],
    }


def _as_text(dataset: QADataset) -> str:
    counts = Counter(answer.source for answer in dataset.answers)
    questions = sum(item.question is not None for item in dataset.items)
    topics = Counter(item.topic for item in dataset.items if item.topic).most_common()
    lines = [
        f"{dataset.name}: format {dataset.format}, {dataset.encoding}",
        f"{len(dataset.items)} items, {questions} of them with a question text",
        *(f"  {counts[source]} answers of {source}" for source in dataset.sources),
        f"{len(topics)} topics" + "".join(f"\n  {count} {topic}" for topic, count in topics),
    ]
    for title, notes in (("repaired", dataset.repaired), ("dropped", dataset.dropped)):
        lines.append(f"{len(notes)} notes of what was {title}")
        lines += (f"  row {note.row}: {note.reason}" for note in notes[:_SHOWN])
        if len(notes) > _SHOWN:
            lines.append(f"  … and {len(notes) - _SHOWN} more (--json lists all)")
    return "\n".join(lines)


READ_DATASET = Command(
    "read-dataset", "Read a data set, and tell what was repaired and dropped.", _configure, _run
)
