"""Make the second opinion for English: fine-tune MiniLM on the labelled set, quantise it, choose thresholds.

    PYTHONPATH=.:data/models/emotion:data/safety python data/models/risk/train_risk.py MINILM GOEMOTIONS

MINILM is a folder with weights and tokenizer of all-MiniLM-L6-v2, as for `data/models/emotion/train.py`,
whose network and ONNX file are used; GOEMOTIONS the folder of GoEmotions (Demszky et al. 2020, Apache-2.0).
Two labels: danger (concern or imminent) and imminent. Trained on the half `tune` of the labelled set (the
untouched half is never read) and on ordinary talk, so that a long tale of plain distress does not sound like
danger: the project's sentences on cognitive distortions, its sample questions and clients, and a thousand
comments of GoEmotions, all of them left alone by the rules.

Thresholds come from three-fold cross-validation: the lowest with which at most 5 % of the harmless labelled
lines and 3 % of the ordinary texts are raised that the rules leave alone, and at most 12 % of the lines of
concern and 0.5 % of the ordinary texts become imminent. Written beside this file: model.onnx, and model.json
with thresholds, figures and sha256.

Beyond requirements.txt it needs the package onnx (1.23.2, with ml_dtypes).
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from onnx_file import write_onnx
from train import HEADS, Finetuned, batches, optimiser_for, padded, probabilities, step, tokenise
from train_likeness import lowest_threshold

from counsel_core.clients import load_clients
from counsel_core.language.emotion import WINDOW
from counsel_core.records import RISK_LEVELS
from counsel_core.safety.likeness import language_of, pieces_of
from counsel_core.safety.patterns import SAFETY_DATA
from counsel_core.safety.risk import check_risk
from counsel_core.settings import DATA

HERE = Path(__file__).parent
LABELS = ["danger", "imminent"]
EPOCHS, BATCH, LONGEST, SEED, FOLDS = 5, 32, 96, 7, 3
WARM_UP = 0.06
ALARMS, RISEN = 0.05, 0.12
ORDINARY_ALARMS, ORDINARY_RISEN = 0.03, 0.005
COMMENTS = 1000

Matrix = NDArray[np.float32]


def read_lines() -> tuple[list[str], NDArray[np.int64]]:
    """Return the English lines that may be trained on, and their levels: 0 none, 1 concern, 2 imminent."""
    with (SAFETY_DATA / "labelled_utterances.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["half"] != "untouched"]
    rows = [row for row in rows if language_of(row["text"]) == "en"]
    return [row["text"] for row in rows], np.array([RISK_LEVELS.index(row["level"]) for row in rows])


def read_ordinary(goemotions: Path) -> list[str]:
    """Return texts of ordinary talk, plain distress among them, that the rules leave alone."""
    texts: list[str] = []
    with (DATA / "distortions" / "labelled.tsv").open(encoding="utf-8", newline="") as file:
        texts += [row["sentence"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    texts += (DATA / "distortions" / "undistorted.txt").read_text(encoding="utf-8").splitlines()
    with (DATA / "samples" / "sample_questions.csv").open(encoding="utf-8", newline="") as file:
        texts += [row["question"] for row in csv.DictReader(file)]
    texts += [line for client in load_clients().values() for line in client.lines if client.language == "en"]
    rows = (goemotions / "train.tsv").read_text(encoding="utf-8").splitlines()
    comments = sorted(
        (row.split("\t")[0] for row in rows), key=lambda text: hashlib.sha256(text.encode()).digest()
    )
    texts += comments[:COMMENTS]
    return [text for text in dict.fromkeys(texts) if text.strip() and check_risk(text).level == "none"]


def finetune(texts: list[str], levels: NDArray[np.int64], minilm: Path) -> Finetuned:
    """Train the whole network on some lines."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    ids = tokenise(texts, minilm, LONGEST)
    wanted = torch.tensor(np.stack([levels > 0, levels > 1], axis=1), dtype=torch.float32)
    model = Finetuned(minilm, len(LABELS))
    optimiser = optimiser_for(model)
    steps = EPOCHS * -(-len(ids) // BATCH)
    warm = max(1, int(WARM_UP * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda done: min((done + 1) / warm, (steps - done) / (steps - warm))
    )
    draw = np.random.default_rng(SEED)
    for _ in range(EPOCHS):
        model.train()
        for numbers in batches(ids, draw.permutation(len(ids)).tolist(), BATCH):
            step(model, optimiser, *padded(ids, numbers), wanted[numbers])
            schedule.step()
    return model


def weighed(model: Finetuned, texts: list[str], minilm: Path) -> Matrix:
    """Return danger and imminence of each text, of whichever of its pieces has most: shape (n, 2)."""
    pieces = [pieces_of(text, "en") for text in texts]
    flat = [piece for some in pieces for piece in some]
    found = probabilities(model, tokenise(flat, minilm, WINDOW))
    ends = np.cumsum([len(some) for some in pieces])[:-1]
    return np.array([part.max(axis=0) for part in np.split(found, ends)])


def fold_of(text: str) -> int:
    """Return which fold a text is held out in."""
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % FOLDS


def with_pieces(texts: list[str]) -> list[str]:
    """Return texts as they are weighed: whole, and piece by piece."""
    return list(dict.fromkeys(piece for text in texts for piece in pieces_of(text, "en")))


def choose(
    texts: list[str], levels: NDArray[np.int64], ordinary: list[str], minilm: Path
) -> dict[str, object]:
    """Return the thresholds, and what cross-validation says of them beside the rules."""
    folds, plain_folds = (np.array([fold_of(text) for text in some]) for some in (texts, ordinary))
    found = np.zeros((len(texts), 2), dtype=np.float32)
    plain = np.zeros((len(ordinary), 2), dtype=np.float32)
    for fold in range(FOLDS):
        kept = [text for text in texts if fold_of(text) != fold]
        more = with_pieces([text for text in ordinary if fold_of(text) != fold])
        known = np.concatenate([levels[folds != fold], np.zeros(len(more), dtype=np.int64)])
        model = finetune([*kept, *more], known, minilm)
        found[folds == fold] = weighed(model, [text for text in texts if fold_of(text) == fold], minilm)
        plain[plain_folds == fold] = weighed(model, [t for t in ordinary if fold_of(t) == fold], minilm)
        print(f"fold {fold + 1} of {FOLDS}", flush=True)
    rules = np.array([RISK_LEVELS.index(check_risk(text).level) for text in texts])
    harmless, concern = (levels == 0) & (rules == 0), (levels == 1) & (rules < 2)
    raised_from = max(
        lowest_threshold(found[harmless, 0], ALARMS), lowest_threshold(plain[:, 0], ORDINARY_ALARMS)
    )
    imminent_from = max(
        lowest_threshold(found[concern, 1], RISEN), lowest_threshold(plain[:, 1], ORDINARY_RISEN)
    )
    alone, risen = found[:, 0] >= raised_from, (found[:, 1] >= imminent_from) & (found[:, 0] >= raised_from)
    return {
        "thresholds": [raised_from, imminent_from],
        "cross_validated": {
            "lines": len(texts),
            "ordinary texts": len(ordinary),
            "dangers raised by it alone": float(alone[levels > 0].mean()),
            "dangers raised by rules": float((rules > 0)[levels > 0].mean()),
            "dangers raised by both": float((alone | (rules > 0))[levels > 0].mean()),
            "imminent as imminent by rules": float((rules == 2)[levels == 2].mean()),
            "imminent as imminent by both": float((risen | (rules == 2))[levels == 2].mean()),
            "harmless raised by both": float((alone | (rules > 0))[levels == 0].mean()),
            "ordinary texts raised": float((plain[:, 0] >= raised_from).mean()),
        },
    }


def main() -> None:
    """Train, choose, quantise, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("minilm", type=Path, help="the folder of all-MiniLM-L6-v2's weights")
    parser.add_argument("goemotions", type=Path, help="the folder of GoEmotions")
    arguments = parser.parse_args()
    minilm = arguments.minilm
    (texts, levels), ordinary = read_lines(), read_ordinary(arguments.goemotions)
    about = choose(texts, levels, ordinary, minilm)
    more = with_pieces(ordinary)
    known = np.concatenate([levels, np.zeros(len(more), dtype=np.int64)])
    model = finetune([*texts, *more], known, minilm)
    weights = {name: values.float().numpy() for name, values in model.state_dict().items()}
    file = HERE / "model.onnx"
    write_onnx(weights, len(LABELS), HEADS, WINDOW, file)
    told = {
        "name": "MiniLM fine-tuned on labelled utterances (int8)",
        "file": file.name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "threshold": about["thresholds"][0],  # type: ignore[index] - a list, as `choose` says
        "labels": LABELS,
        "trained_on": hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16],
        **about,
    }
    (HERE / "model.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
