"""Train the second opinion for Chinese on the labelled set: `likeness.npz` beside this file.

    PYTHONPATH=. python data/safety/train_likeness.py

The untouched half is never read. Strength of the penalty and thresholds come from five-fold
cross-validation: as many dangers heard as possible while at most 2 % of the harmless lines are raised by
likeness that the rules leave alone, and while at most 2 % of the lines of concern become imminent.
Weights are kept as 16-bit floats. No random number is drawn: the same set gives the same file.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sys
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from counsel_core.records import RISK_LEVELS
from counsel_core.safety.likeness import WEIGHTS, Head, language_of, ngrams_of, pieces_of
from counsel_core.safety.risk import check_risk

LABELLED = Path(__file__).with_name("labelled_utterances.csv")
UNTOUCHED = "untouched"
FOLDS = 5
PENALTIES = (0.1, 0.3, 1.0)
ALARMS, RISEN = 0.02, 0.02

Rows = list[dict[str, str]]
Matrix = NDArray[np.float64]


def read_training_half(path: Path = LABELLED) -> Rows:
    """Return the labelled lines that may be trained on."""
    with path.open(encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["half"] != UNTOUCHED]


def digest_of(rows: Rows) -> str:
    """Return what tells this training half from others."""
    lines = "\n".join(f"{row['level']}\t{row['text']}" for row in rows)
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def fit(vectors: Matrix, levels: NDArray[np.int64], penalty: float) -> Head:
    """Return the penalised multinomial logistic regression; classes weigh alike."""
    count, dimension = vectors.shape
    wanted = np.eye(3)[levels]
    weight = (count / 3 / wanted.sum(axis=0))[levels]

    def loss(flat: Matrix) -> tuple[float, Matrix]:
        weights, bias = flat[:-3].reshape(dimension, 3), flat[-3:]
        logits = vectors @ weights + bias
        logits -= logits.max(axis=1, keepdims=True)
        logs = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        slope = (np.exp(logs) - wanted) * weight[:, None]
        gradient = np.concatenate([(vectors.T @ slope + penalty * weights).ravel(), slope.sum(axis=0)])
        value = -(weight * logs[np.arange(count), levels]).sum() + penalty / 2 * (weights**2).sum()
        return float(value), gradient

    start = np.zeros(dimension * 3 + 3)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 400}).x
    weights, bias = found[:-3].reshape(dimension, 3), found[-3:]
    return Head(weights.astype(np.float32), bias.astype(np.float32))


def weighed(head: Head, texts: Sequence[str]) -> Iterator[tuple[float, float]]:
    """Yield what is decided on for each text: danger and imminence, of whichever piece has most."""
    for text in texts:
        danger, imminent = head.probabilities(ngrams_of(pieces_of(text, "zh"))).max(axis=0)
        yield float(danger), float(imminent)


def out_of_fold(rows: Rows, penalty: float) -> Matrix:
    """Return danger and imminence of each line by heads that were not trained on it: shape (n, 2)."""
    vectors, levels = vectors_of(rows), levels_of(rows)
    folds = np.array([int(hashlib.sha256(row["text"].encode()).hexdigest(), 16) % FOLDS for row in rows])
    found = np.zeros((len(rows), 2))
    for fold in range(FOLDS):
        here = folds == fold
        head = fit(vectors[~here], levels[~here], penalty)
        found[here] = list(weighed(head, [row["text"] for row, held in zip(rows, here, strict=True) if held]))
    return found


def vectors_of(rows: Rows) -> Matrix:
    """Return the lines' n-grams."""
    return ngrams_of([row["text"] for row in rows]).astype(np.float64)


def levels_of(rows: Rows) -> NDArray[np.int64]:
    """Return the labels as numbers: 0 none, 1 concern, 2 imminent."""
    return np.array([RISK_LEVELS.index(row["level"]) for row in rows])


def lowest_threshold(values: NDArray[np.floating[Any]], share: float) -> float:
    """Return the lowest threshold that at most a share of the values reaches.

    >>> lowest_threshold(np.array([0.1, 0.2, 0.3, 0.4]), 0.25) > 0.3
    True
    """
    allowed = int(share * len(values))
    ranked = np.sort(values)[::-1]
    return float(np.nextafter(ranked[allowed], np.float64(2.0))) if len(ranked) > allowed else 0.0


def train(rows: Rows) -> tuple[Head, dict[str, Any]]:
    """Return the head and what is told of it: thresholds, and figures beside the rules."""
    levels = levels_of(rows)
    rules = np.array([RISK_LEVELS.index(check_risk(row["text"]).level) for row in rows])
    tried = []
    for penalty in PENALTIES:
        found = out_of_fold(rows, penalty)
        raised_from = lowest_threshold(found[(levels == 0) & (rules == 0), 0], ALARMS)
        imminent_from = lowest_threshold(found[(levels == 1) & (rules < 2), 1], RISEN)
        alone = found[:, 0] >= raised_from
        tried.append((float(alone[levels > 0].mean()), penalty, raised_from, imminent_from, found))
    heard, penalty, raised_from, imminent_from, found = max(tried, key=lambda one: one[0])
    alone = found[:, 0] >= raised_from
    risen = alone & (found[:, 1] >= imminent_from)
    return fit(vectors_of(rows), levels, penalty), {
        "trained_on": digest_of(rows),
        "thresholds": [raised_from, imminent_from],
        "cross_validated": {
            "lines": len(rows),
            "penalty": penalty,
            "dangers raised by it alone": heard,
            "dangers raised by rules": float((rules > 0)[levels > 0].mean()),
            "dangers raised by both": float((alone | (rules > 0))[levels > 0].mean()),
            "imminent as imminent by rules": float((rules == 2)[levels == 2].mean()),
            "imminent as imminent by both": float((risen | (rules == 2))[levels == 2].mean()),
            "harmless raised by both": float((alone | (rules > 0))[levels == 0].mean()),
        },
    }


def main() -> None:
    """Train the head and write it."""
    head, told = train([row for row in read_training_half() if language_of(row["text"]) == "zh"])
    arrays: dict[str, NDArray[Any]] = {
        "about": np.array(json.dumps(told)),
        "weights": head.weights.astype(np.float16),
        "bias": head.bias,
    }
    write_arrays(WEIGHTS, arrays)
    json.dump(told, sys.stdout, indent=1)


def write_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write an .npz whose bytes depend on its arrays alone."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, array in arrays.items():
            held = io.BytesIO()
            np.lib.format.write_array(held, array, allow_pickle=False)
            out.writestr(zipfile.ZipInfo(f"{name}.npy", (2026, 1, 1, 0, 0, 0)), held.getvalue())


if __name__ == "__main__":
    main()
