"""Train the heads of the second opinion by likeness on the labelled set: `likeness.npz` beside this file.

    PYTHONPATH=. python data/safety/train_likeness.py

The untouched half is never read. Strength of the penalty and thresholds come from five-fold
cross-validation: as many dangers heard as possible while at most 3 % of the harmless lines are raised by
likeness that the rules leave alone, and while at most 4 % of the lines of concern become imminent.
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

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from counsel_core.records import LANGUAGES, RISK_LEVELS, Language
from counsel_core.safety.likeness import WEIGHTS, Head, language_of, pieces_of, vectors_of
from counsel_core.safety.risk import check_risk

LABELLED = Path(__file__).with_name("labelled_utterances.csv")
UNTOUCHED = "untouched"
FOLDS = 5
PENALTIES = (0.1, 0.3, 1.0)
ALARMS, RISEN = 0.03, 0.04
NOBODY = 2.0
"""A threshold that no probability reaches."""

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


def fit(vectors: Matrix, levels: NDArray[np.int64], penalty: float) -> tuple[Matrix, Matrix]:
    """Return weights and bias of the penalised multinomial logistic regression; classes weigh alike."""
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
    return found[:-3].reshape(dimension, 3), found[-3:]


def weighed(head: Head, texts: Sequence[str], language: Language) -> Iterator[tuple[float, float]]:
    """Yield what is decided on for each text: the likest piece's danger, and the highest imminence."""
    for text in texts:
        found = head.probabilities(vectors_of(pieces_of(text, language), language))
        yield float((found[:, 1] + found[:, 2]).max()), float(found[:, 2].max())


def out_of_fold(rows: Rows, language: Language, penalty: float) -> Matrix:
    """Return danger and imminence of each line by heads that were not trained on it: shape (n, 2)."""
    vectors = vectors_of([row["text"] for row in rows], language).astype(np.float64)
    levels = levels_of(rows)
    folds = np.array([int(hashlib.sha256(row["text"].encode()).hexdigest(), 16) % FOLDS for row in rows])
    found = np.zeros((len(rows), 2))
    for fold in range(FOLDS):
        here = folds == fold
        head = Head(*fit(vectors[~here], levels[~here], penalty), NOBODY, NOBODY)
        texts = [row["text"] for row, held in zip(rows, here, strict=True) if held]
        found[here] = list(weighed(head, texts, language))
    return found


def levels_of(rows: Rows) -> NDArray[np.int64]:
    """Return the labels as numbers: 0 none, 1 concern, 2 imminent."""
    return np.array([RISK_LEVELS.index(row["level"]) for row in rows])


def lowest_threshold(values: Matrix, share: float) -> float:
    """Return the lowest threshold that at most a share of the values reaches."""
    allowed = int(share * len(values))
    ranked = np.sort(values)[::-1]
    return float(np.nextafter(ranked[allowed], NOBODY)) if len(ranked) > allowed else 0.0


def train(rows: Rows, language: Language) -> tuple[Head, dict[str, float]]:
    """Return the head of a language and what cross-validation says of it beside the rules."""
    levels = levels_of(rows)
    rules = np.array([RISK_LEVELS.index(check_risk(row["text"]).level) for row in rows])
    best: tuple[float, float, Matrix, float, float] | None = None
    for penalty in PENALTIES:
        found = out_of_fold(rows, language, penalty)
        raised_from = lowest_threshold(found[(levels == 0) & (rules == 0), 0], ALARMS)
        imminent_from = lowest_threshold(found[(levels == 1) & (rules < 2), 1], RISEN)
        heard = float(((found[:, 0] >= raised_from) | (rules > 0))[levels > 0].mean())
        if best is None or heard > best[0]:
            best = (heard, penalty, found, raised_from, imminent_from)
    assert best is not None  # noqa: S101 - PENALTIES is not empty
    heard, penalty, found, raised_from, imminent_from = best
    vectors = vectors_of([row["text"] for row in rows], language).astype(np.float64)
    weights, bias = fit(vectors, levels, penalty)
    risen = (found[:, 1] >= imminent_from) & (found[:, 0] >= raised_from)
    about = {
        "lines": len(rows),
        "penalty": penalty,
        "dangers heard by rules": float((rules > 0)[levels > 0].mean()),
        "dangers heard by both": heard,
        "imminent as imminent by rules": float((rules == 2)[levels == 2].mean()),
        "imminent as imminent by both": float(((rules == 2) | risen)[levels == 2].mean()),
        "harmless raised by both": float(((found[:, 0] >= raised_from) | (rules > 0))[levels == 0].mean()),
    }
    return Head(weights.astype(np.float32), bias.astype(np.float32), raised_from, imminent_from), about


def main() -> None:
    """Train both heads and write them."""
    rows = read_training_half()
    heads, about = {}, {}
    for language in LANGUAGES:
        heads[language], about[language] = train(
            [row for row in rows if language_of(row["text"]) == language], language
        )
    told = {
        "trained_on": digest_of(rows),
        "thresholds": {name: [head.raised_from, head.imminent_from] for name, head in heads.items()},
        "cross_validated": about,
    }
    arrays: dict[str, NDArray[np.generic]] = {"about": np.array(json.dumps(told))}
    for name, head in heads.items():
        arrays[f"{name}_weights"] = head.weights.astype(np.float16)
        arrays[f"{name}_bias"] = head.bias
    write_arrays(WEIGHTS, arrays)
    json.dump(told, sys.stdout, indent=1)


def write_arrays(path: Path, arrays: dict[str, NDArray[np.generic]]) -> None:
    """Write an .npz whose bytes depend on its arrays alone."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, array in arrays.items():
            held = io.BytesIO()
            np.lib.format.write_array(held, array, allow_pickle=False)
            out.writestr(zipfile.ZipInfo(f"{name}.npy", (2026, 1, 1, 0, 0, 0)), held.getvalue())


if __name__ == "__main__":
    main()
