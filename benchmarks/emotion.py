"""The embedded emotion model against a pipeline of transformers on the same weights, on GoEmotions.

Claims shown here, all in one run:

1. It ranks at least 3 times as many texts a second as the pipeline, which reads one text at a time.
2. On two cores it ranks at least 600 texts of GoEmotions' length a second, and at least 100 of 128 tokens.
3. The same label is first in 95 % of the texts at least: nothing was traded for the speed.

The pipeline has the float weights that the shipped int8 file was made of, and one thread or all, whichever is
faster here. The two take turns in rounds, so that what else the machine does falls on both; nothing comes
from a cache.

Run it with `python benchmarks/emotion.py GOEMOTIONS MINILM CHECKPOINT [TEXTS]`: the folder of GoEmotions, and
MiniLM's weights and the checkpoint that data/models/emotion/train.py takes and writes. Without the weights it
measures the embedded model alone; without the texts it says so and ends.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from counsel_core.language.embeddings import open_tokenizer
from counsel_core.language.emotion import FOLDER, EmbeddedModel, Ranking, embedded
from counsel_core.settings import PROJECT

GOEMOTIONS = PROJECT.parent / "shared" / "data" / "goemotions"
TEXTS, ROUNDS, LONG, LONG_TEXTS = 2000, 4, 128, 200
FASTER, SHORT_RATE, LONG_RATE, SAME = 3, 600, 100, 0.95


def read_texts(folder: Path, count: int) -> list[str]:
    """Return the first texts of the test split."""
    lines = (folder / "test.tsv").read_text(encoding="utf-8").split("\n")
    return [line.split("\t")[0] for line in lines if line][:count]


def long_texts(texts: Sequence[str], count: int) -> list[str]:
    """Return texts of 128 tokens, each made of several of the texts given."""
    tokenizer = open_tokenizer()
    made = []
    for start in range(count):
        joined = " ".join(texts[(start * 7 + place) % len(texts)] for place in range(60))
        places = tokenizer.encode(joined, add_special_tokens=False).offsets
        made.append(joined[: places[LONG - 3][1]])  # [CLS] and [SEP] are the other two
    return made


def pipeline_on(minilm: Path, checkpoint: Path, labels: Sequence[str]) -> Callable[[str], list[Any]]:
    """Return a pipeline of transformers with the float weights."""
    import torch
    import transformers

    hub: Any = transformers  # hardly typed

    class Mean(torch.nn.Module):
        """Stands for BERT's own pooler; a text alone has no padding to leave out."""

        def forward(self, hidden: torch.Tensor) -> torch.Tensor:
            return hidden.mean(dim=1)

    config = hub.BertConfig.from_pretrained(minilm, id2label=dict(enumerate(labels)))
    model = hub.BertForSequenceClassification(config).eval()
    model.bert.pooler = Mean()
    weights = torch.load(checkpoint)
    renamed = {
        name.replace("encoder.", "bert.", 1).replace("head.", "classifier.", 1): values
        for name, values in weights.items()
    }
    model.load_state_dict(renamed)
    tokenizer = hub.AutoTokenizer.from_pretrained(minilm)
    classify = hub.pipeline("text-classification", model=model, tokenizer=tokenizer, device="cpu")
    return partial(classify, top_k=None, function_to_apply="sigmoid")


def one_by_one(classify: Callable[[str], list[Any]], texts: Sequence[str]) -> list[list[Any]]:
    return [classify(text) for text in texts]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    done = work()
    return time.perf_counter() - began, done


def fewest_seconds(classify: Callable[[str], list[Any]], texts: Sequence[str]) -> int:
    """Let torch have one thread or all, whichever is faster, and return how many."""
    import torch

    seconds = {}
    for threads in (1, torch.get_num_threads()):
        torch.set_num_threads(threads)
        classify("a first text")
        seconds[threads] = timed(partial(one_by_one, classify, texts))[0]
    best = min(seconds, key=seconds.__getitem__)
    torch.set_num_threads(best)
    return best


def compare(texts: Sequence[str], classify: Callable[[str], list[Any]]) -> bool:
    """Rank the texts with both, round by round, and print how fast each was and how far they agree."""
    model = EmbeddedModel(FOLDER)
    model.rank(["a first text, so that everything is loaded"])
    threads = fewest_seconds(classify, texts[:100])
    ours = theirs = 0.0
    same, furthest = 0, 0.0
    for number in range(ROUNDS):
        part = texts[number::ROUNDS]
        seconds, rankings = timed(partial(model.rank, part))
        ours += seconds
        seconds, answers = timed(partial(one_by_one, classify, part))
        theirs += seconds
        for ranking, answer in zip(rankings, answers, strict=True):
            same += ranking[0][0] == answer[0]["label"]
            furthest = max(furthest, _distance(ranking, answer))
    print(f"pipeline ({threads} threads): {len(texts) / theirs:,.0f} texts/s")
    print(f"embedded: {len(texts) / ours:,.0f} texts/s")
    print(f"{theirs / ours:.1f} times as fast as the pipeline (expected: {FASTER})")
    print(f"the same label first in {same / len(texts):.1%}; probabilities differ by {furthest:.3f} at most")
    return theirs / ours >= FASTER and same / len(texts) >= SAME


def _distance(ranking: Ranking, answer: list[Any]) -> float:
    found = dict(ranking)
    return max(abs(found[one["label"]] - float(one["score"])) for one in answer)


def rate(texts: Sequence[str]) -> float:
    """Return how many texts a second a model ranks that was just opened."""
    model = EmbeddedModel(FOLDER)
    model.rank(["a first text, so that everything is loaded"])
    return len(texts) / timed(lambda: model.rank(texts))[0]


def main(folder: Path, weights: tuple[Path, Path] | None, count: int) -> bool:
    texts = read_texts(folder, count)
    good = True
    print(f"{len(texts):,} texts of GoEmotions' test split; {embedded().name}, {embedded().weights}")
    if weights is None:
        print("no float weights were given: the pipeline was not measured")
    else:
        good = compare(texts, pipeline_on(*weights, embedded().labels))
    short, long = rate(texts), rate(long_texts(texts, LONG_TEXTS))
    print(f"GoEmotions' length: {short:,.0f} texts/s (expected: {SHORT_RATE} on two cores)")
    print(f"{LONG} tokens: {long:,.0f} texts/s (expected: {LONG_RATE} on two cores)")
    return good and short >= SHORT_RATE and long >= LONG_RATE


if __name__ == "__main__":
    given = sys.argv[1:]
    place = Path(given[0]) if given else GOEMOTIONS
    if not (place / "test.tsv").exists():
        print(f"{place.name}/test.tsv is not here: nothing was measured.")
        raise SystemExit(0)
    files = (Path(given[1]), Path(given[2])) if len(given) > 2 else None
    for file in files or ():
        if not file.exists():
            raise SystemExit(
                f"{file} is not there; data/models/emotion/train.py says where weights come from"
            )
    within = main(place, files, int(given[3]) if len(given) > 3 else TEXTS)
    raise SystemExit(0 if within else "a claim of this benchmark does not hold; see above")
