"""The figures of the emotion model's card: measured on GoEmotions through the code that ships.

    PYTHONPATH=. python data/models/emotion/figures.py GOEMOTIONS [MINILM CHECKPOINT]

GOEMOTIONS holds test.tsv (text, label numbers, comment id) and labels.txt of GoEmotions (Demszky et al.
2020). With MINILM and CHECKPOINT, as train.py takes and writes them, the float weights are measured beside
the int8 model. Prints the tables in Markdown.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from counsel_core.language.emotion import embedded

Floats = NDArray[np.float32]


def read_labels(folder: Path) -> list[str]:
    """Return the names of the labels, in the order of their numbers."""
    return (folder / "labels.txt").read_text(encoding="utf-8").split()


def read_split(file: Path, labels: int) -> tuple[list[str], Floats]:
    """Return the texts of one split and a row of 0 and 1 for each."""
    rows = [line.split("\t") for line in file.read_text(encoding="utf-8").split("\n") if line]
    targets = np.zeros((len(rows), labels), dtype=np.float32)
    for number, row in enumerate(rows):
        targets[number, [int(label) for label in row[1].split(",")]] = 1
    return [row[0] for row in rows], targets


def ranked_by(texts: Sequence[str], labels: Sequence[str]) -> Floats:
    """Return each label's probability for each text, as the embedded model ranks them."""
    rows = [dict(ranking) for ranking in embedded().rank(texts)]
    return np.array([[row[label] for label in labels] for row in rows], dtype=np.float32)


def precision_recall_f1(found: NDArray[np.bool_], targets: Floats) -> tuple[Floats, Floats, Floats]:
    """Return each label's precision, recall and F1; 0 where a label is never found, or never there."""
    true = (found & (targets == 1)).sum(axis=0)
    precision = true / np.maximum(found.sum(axis=0), 1)
    recall = true / np.maximum(targets.sum(axis=0), 1)
    return precision, recall, 2 * true / np.maximum(found.sum(axis=0) + targets.sum(axis=0), 1)


def macro_f1(found: NDArray[np.bool_], targets: Floats) -> float:
    """Return the mean of the labels' F1."""
    return float(precision_recall_f1(found, targets)[2].mean())


def best_threshold(probabilities: Floats, targets: Floats) -> float:
    """Return the one threshold for all labels that has the highest macro-F1, to two decimals."""
    thresholds = [percent / 100 for percent in range(5, 70)]
    return max(thresholds, key=lambda value: macro_f1(probabilities >= value, targets))


def top_hit(probabilities: Floats, targets: Floats, k: int) -> float:
    """Return the share of texts with one of their labels among the first k."""
    first = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
    return float(np.take_along_axis(targets, first, axis=1).any(axis=1).mean())


def summary(probabilities: Floats, targets: Floats, threshold: float) -> dict[str, float]:
    """Return the figures over all labels."""
    found = probabilities >= threshold
    precision, recall, f1 = precision_recall_f1(found, targets)
    both = found.sum() + targets.sum()
    return {
        "macro-F1": float(f1.mean()),
        "macro precision": float(precision.mean()),
        "macro recall": float(recall.mean()),
        "micro-F1": float(2 * (found & (targets == 1)).sum() / both),
        "a label ranked first": top_hit(probabilities, targets, 1),
        "among the first three": top_hit(probabilities, targets, 3),
        "among the first five": top_hit(probabilities, targets, 5),
    }


def main() -> None:
    """Print the tables of the card."""
    folder = Path(sys.argv[1])
    labels = read_labels(folder)
    texts, targets = read_split(folder / "test.tsv", len(labels))
    model = embedded()
    shipped = ranked_by(texts, labels)
    columns = {"int8, as shipped": shipped}
    if len(sys.argv) > 3:
        from train import float_probabilities  # noqa: PLC0415 (the int8 model alone needs no torch)

        columns["float"] = float_probabilities(texts, len(labels), Path(sys.argv[2]), Path(sys.argv[3]))
    threshold = model.threshold
    print(f"{model.weights}, {len(texts):,} texts of test, threshold {threshold:.2f} (chosen on dev)\n")
    print("| over all labels | " + " | ".join(columns) + " |\n|---" * 1 + "|---" * len(columns) + "|")
    summaries = [summary(column, targets, threshold) for column in columns.values()]
    for name in summaries[0]:
        print(f"| {name} | " + " | ".join(f"{one[name]:.3f}" for one in summaries) + " |")
    print("\n| label | n | precision | recall | F1 |" + " F1 float |" * (len(columns) - 1))
    print("|---|---|---|---|---|" + "---|" * (len(columns) - 1))
    precision, recall, f1 = precision_recall_f1(shipped >= threshold, targets)
    others = [precision_recall_f1(one >= threshold, targets)[2] for one in list(columns.values())[1:]]
    for place, label in enumerate(labels):
        cells = [precision[place], recall[place], f1[place], *(one[place] for one in others)]
        print(f"| {label} | {int(targets[:, place].sum())} | {' | '.join(f'{cell:.2f}' for cell in cells)} |")


if __name__ == "__main__":
    main()
