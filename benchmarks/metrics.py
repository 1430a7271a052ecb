"""The four text metrics against a plain loop written from the paper's pseudocode, on Counsel Chat.

Claims shown here, all in one run:

1. The values are the same, for every answer.
2. On ten times the data, with process start excluded, ours is at least 1.8 times as fast on two cores.
3. Its time grows with the data and not faster, and its memory stays below 1 GB.

The plain loop does what Algorithms 2 to 5 say, one answer after the other, in one process, with the
paper's packages (TextBlob, readability, a least-squares line). Copies of the data are made different
by a word at the end of each text; what is kept of sentences holds less than one copy of the data, so that
nothing is had twice.

Run it with `make bench`, or `python benchmarks/metrics.py FILE [COPIES]`. Without the file (its origin is
in data/README.md) it says so and ends.
"""

from __future__ import annotations

import math
import multiprocessing
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from counsel_core.datasets import read_dataset
from counsel_core.metrics import find_metric
from counsel_core.metrics.recycling import fluff_words
from counsel_core.records import QADataset
from counsel_core.runs.journal import Entry, Journal, read_entry
from counsel_core.runs.text_scoring import TextSettings, score_texts, set_up_process, usable_cores
from counsel_core.runs.units import Units, read_units
from counsel_core.settings import PROJECT

NAMES = ("sentiment_change", "intra_sentiment", "simplicity", "recycling")
FILE = PROJECT.parent / "shared" / "data" / "20220401_counsel_chat.csv"
FASTER, MEMORY_MB, LINEAR = 1.8, 1000, 1.25
COPIES = 10


def plain_loop(units: Units, fluff: set[str]) -> dict[tuple[int, str], float | None]:
    """Score every unit as the pseudocode says."""
    import numpy as np
    import readability
    from textblob import TextBlob

    def analyse_sentiment(text: str) -> float:
        return float(TextBlob(text).sentiment.polarity)

    def sigmoid(x: float) -> float:
        return 1 / (1 + math.exp(-x)) if x > -700 else 0.0

    def sentiment_change(question: str, response: str) -> float | None:
        before, after = analyse_sentiment(question), analyse_sentiment(response)
        if before == 0:
            return None if after == 0 else float(after > 0)
        return sigmoid((after - before) / abs(before))

    def intra_sentiment(response: str) -> float:
        values = [analyse_sentiment(sentence) for sentence in response.split(".")]
        if len(values) == 1:
            return 0.5
        return sigmoid(float(np.polyfit(np.arange(len(values)), values, 1)[0]))

    def simplicity(response: str) -> float | None:
        if len(response.split(" ")) <= 100:
            return None
        return float(readability.getmeasures(response, lang="en")["readability grades"]["Kincaid"])

    def recycling(question: str, response: str) -> float:
        asked = set(question.lower().split())
        words = [word for word in response.lower().split() if word not in fluff]
        return sum(word in asked for word in words) / len(words) if words else 0.0

    found: dict[tuple[int, str], float | None] = {}
    for number, given in enumerate(units.inputs):
        found[number, "intra_sentiment"] = intra_sentiment(given.answer)
        found[number, "simplicity"] = simplicity(given.answer)
        if given.question is not None:
            found[number, "sentiment_change"] = sentiment_change(given.question, given.answer)
            found[number, "recycling"] = recycling(given.question, given.answer)
    return found


def ours(units: Units, workers: int) -> dict[tuple[int, str], float | None]:
    """Score every unit as `evaluate` does, journal included."""
    with tempfile.TemporaryDirectory() as folder:
        journal: Journal[Entry] = Journal(Path(folder) / "results.jsonl", "benchmark", read_entry)
        score_texts(
            units.tasks([find_metric(name) for name in NAMES]),
            units.inputs,
            TextSettings("paper", {}),
            workers=workers,
            deliver=journal.append,
            cancel=threading.Event(),
        )
        journal.close()
        return {(entry.unit, entry.metric): entry.value for entry in journal.entries.values()}


def start_seconds(workers: int) -> float:
    """Return how long it takes until as many processes have loaded what the metrics need."""
    began = time.perf_counter()
    spawn = multiprocessing.get_context("spawn")
    settings = TextSettings("paper", {})
    with ProcessPoolExecutor(workers, spawn, set_up_process, (settings,)) as pool:
        for future in [pool.submit(time.sleep, 0.05) for _ in range(workers)]:
            future.result()
    return time.perf_counter() - began


def copied(dataset: QADataset, copies: int) -> QADataset:
    """Return a data set of so many copies, each text of a copy ending with a word of its own."""

    def each() -> Iterator[int]:
        return iter(range(copies))

    items = tuple(
        replace(
            item,
            id=f"{item.id}-{copy}",
            question=None if item.question is None else f"{item.question} copy{copy}",
        )
        for copy in each()
        for item in dataset.items
    )
    answers = tuple(
        replace(answer, item=f"{answer.item}-{copy}", text=f"{answer.text} copy{copy}")
        for copy in each()
        for answer in dataset.answers
    )
    return replace(dataset, items=items, answers=answers)


def largest_difference(
    one: dict[tuple[int, str], float | None], other: dict[tuple[int, str], float | None]
) -> float:
    """Return the largest difference of two sets of values; infinite where only one has a value."""
    if one.keys() != other.keys():
        return math.inf
    worst = 0.0
    for key, value in one.items():
        twin = other[key]
        if (value is None) != (twin is None):
            return math.inf
        if value is not None and twin is not None:
            worst = max(worst, abs(value - twin))
    return worst


def memory_mb() -> float:
    """Return the most memory this process and its largest child held."""
    return sum(
        resource.getrusage(who).ru_maxrss / 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )


def main(file: Path, copies: int) -> bool:
    dataset = read_dataset(file.name, file.read_bytes())
    fluff = set(fluff_words())
    cores = usable_cores()
    seconds: dict[int, tuple[float, float, float]] = {}
    good = True
    print(f"{cores} cores; four text metrics, preset paper")
    print(f"{'answers':>10}{'plain s':>10}{'ours s':>10}{'start s':>10}{'ratio':>8}{'w/o start':>11}  values")
    for times in (1, copies):
        units = read_units(copied(dataset, times), dataset.sources)
        began = time.perf_counter()
        mine = ours(units, cores)
        took = time.perf_counter() - began
        start = start_seconds(cores)
        memory = memory_mb()
        began = time.perf_counter()
        theirs = plain_loop(units, fluff)
        plain = time.perf_counter() - began
        worst = largest_difference(mine, theirs)
        seconds[times] = plain, took, took - start
        print(
            f"{len(units.inputs):>10,}{plain:>10.2f}{took:>10.2f}{start:>10.2f}{plain / took:>8.2f}"
            f"{plain / (took - start):>11.2f}  largest difference {worst:.1e}"
        )
        good = good and worst < 1e-9
    plain, _, own = seconds[copies]
    growth = own / seconds[1][2] / copies
    print(f"{plain / own:.2f} times as fast as the plain loop (expected: {FASTER} on two cores)")
    print(f"{copies} times the data take {growth * copies:.1f} times as long ({growth:.2f} of linear)")
    print(f"memory: {memory:.0f} MB, this process and its largest child (limit {MEMORY_MB})")
    return good and plain / own >= FASTER and growth <= LINEAR and memory < MEMORY_MB


if __name__ == "__main__":
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else FILE
    if not given.exists():
        print(f"{given.name} is not here: nothing was measured.")
        raise SystemExit(0)
    within = main(given, int(sys.argv[2]) if len(sys.argv) > 2 else COPIES)
    raise SystemExit(0 if within else "a claim of this benchmark does not hold; see above")
