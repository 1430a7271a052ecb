"""Train the embedded emotion head: a linear layer on the frozen MiniLM encoder, on GoEmotions.

    PYTHONPATH=. .venv/bin/python data/models/emotion/train.py FOLDER [--keep VECTORS.npz]

FOLDER holds train.tsv, dev.tsv, test.tsv (text, label numbers, comment id) and labels.txt of GoEmotions
(Demszky et al. 2020). Writes head.npz beside this file and prints the figures of its README. The same
data give the same head on the same machine: nothing here is drawn at random.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from counsel_core.language.embeddings import minilm, model_file, open_session, open_tokenizer

HERE = Path(__file__).parent
BATCH = 64
PENALTIES = (3e-8, 1e-7, 3e-7)

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


def batches(texts: Sequence[str]) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
    """Yield texts of the same number of tokens together, so that none is padded."""
    by_length: dict[int, list[tuple[int, list[int]]]] = defaultdict(list)
    for number, encoding in enumerate(open_tokenizer().encode_batch(list(texts))):
        by_length[len(encoding.ids)].append((number, encoding.ids))
    for group in by_length.values():
        for start in range(0, len(group), BATCH):
            part = group[start : start + BATCH]
            yield [number for number, _ in part], np.array([ids for _, ids in part], dtype=np.int64)


def encode(texts: Sequence[str]) -> Floats:
    """Encode many texts fast; vectors differ a little from those encoded one at a time (int8 scales)."""
    session = open_session(model_file())
    names = {node.name for node in session.get_inputs()}
    vectors = np.zeros((len(texts), 384), dtype=np.float32)
    for numbers, ids in batches(texts):
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden = session.run(None, {name: value for name, value in feed.items() if name in names})[0]
        pooled = hidden.mean(axis=1)
        vectors[numbers] = pooled / np.linalg.norm(pooled, axis=1, keepdims=True)
    return vectors


def fit(vectors: Floats, targets: Floats, penalty: float) -> tuple[Floats, Floats]:
    """Return weights and bias of one logistic regression a label: cross-entropy, L2 penalty, L-BFGS."""
    x, y = torch.from_numpy(vectors), torch.from_numpy(targets)
    weights = torch.zeros(x.shape[1], y.shape[1], requires_grad=True)
    rates = y.mean(dim=0)
    bias = torch.log(rates / (1 - rates)).requires_grad_()
    optimiser = torch.optim.LBFGS(
        [weights, bias], max_iter=300, history_size=20, line_search_fn="strong_wolfe"
    )

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(x @ weights + bias, y)
        total = loss + penalty * weights.square().sum()
        total.backward()
        return total

    optimiser.step(closure)
    return weights.detach().numpy(), bias.detach().numpy()


def probabilities(vectors: Floats, weights: Floats, bias: Floats) -> Floats:
    """Return each label's probability."""
    return np.asarray(1 / (1 + np.exp(-(vectors @ weights + bias))), dtype=np.float32)


def macro_f1(found: NDArray[np.bool_], targets: Floats) -> float:
    """Return the mean of the labels' F1; a label that is never found and never there counts 0."""
    true = (found & (targets == 1)).sum(axis=0)
    both = found.sum(axis=0) + targets.sum(axis=0)
    return float(np.mean(2 * true / np.maximum(both, 1)))


def top_hit(ranked: Floats, targets: Floats, k: int) -> float:
    """Return the share of texts with one of their labels among the first k."""
    first = np.argsort(-ranked, axis=1, kind="stable")[:, :k]
    return float(np.take_along_axis(targets, first, axis=1).any(axis=1).mean())


def mean_loss(found: Floats, targets: Floats) -> float:
    """Return the binary cross-entropy."""
    clipped = np.clip(found, 1e-7, 1 - 1e-7)
    return float(-(targets * np.log(clipped) + (1 - targets) * np.log(1 - clipped)).mean())


def main() -> None:
    """Train, choose penalty and threshold on dev, measure on test, write head.npz."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path, help="the folder of GoEmotions")
    parser.add_argument("--keep", type=Path, help="keep the vectors here, or take them from here")
    arguments = parser.parse_args()
    started = time.perf_counter()
    labels = read_labels(arguments.folder)
    splits = {
        name: read_split(arguments.folder / f"{name}.tsv", len(labels)) for name in ("train", "dev", "test")
    }
    if arguments.keep and arguments.keep.exists():
        vectors = dict(np.load(arguments.keep))
    else:
        vectors = {name: encode(splits[name][0]) for name in ("train", "dev")}
        vectors["test"] = minilm().embed(splits["test"][0])  # as the program will: one at a time
        if arguments.keep:
            np.savez(arguments.keep, **vectors)
    print(f"encoded in {time.perf_counter() - started:.0f} s", flush=True)

    dev, dev_targets = vectors["dev"], splits["dev"][1]
    heads = {penalty: fit(vectors["train"], splits["train"][1], penalty) for penalty in PENALTIES}
    losses = {penalty: mean_loss(probabilities(dev, *head), dev_targets) for penalty, head in heads.items()}
    for penalty, loss in losses.items():
        print(f"penalty {penalty:g}: dev loss {loss:.5f}")
    weights, bias = heads[min(losses, key=losses.__getitem__)]
    weights, bias = weights.astype(np.float16), bias.astype(np.float16)  # as they will be read

    found = probabilities(dev, weights.astype(np.float32), bias.astype(np.float32))
    thresholds = np.arange(0.02, 0.6, 0.01)
    threshold = max(thresholds, key=lambda value: macro_f1(found >= value, dev_targets))
    np.savez_compressed(HERE / "head.npz", weights=weights, bias=bias, labels=np.array(labels))

    ranked, targets = (
        probabilities(vectors["test"], weights.astype(np.float32), bias.astype(np.float32)),
        splits["test"][1],
    )
    print(f"test: {len(targets)} texts, loss {mean_loss(ranked, targets):.5f}, threshold {threshold:.2f}")
    print(f"test: macro-F1 {macro_f1(ranked >= threshold, targets):.3f}")
    for k in (1, 3, 5):
        print(f"test: one of the labels among the first {k}: {top_hit(ranked, targets, k):.3f}")
    prior = np.tile(splits["train"][1].mean(axis=0), (len(targets), 1)).astype(np.float32)
    print(
        f"by frequency alone: first {top_hit(prior, targets, 1):.3f}, three {top_hit(prior, targets, 3):.3f}"
    )
    print(f"{(time.perf_counter() - started):.0f} s in all")


if __name__ == "__main__":
    main()
