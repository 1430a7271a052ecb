"""Emotion models of transformers, on a tiny RoBERTa made here: real weights are not at hand in tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from counsel_core.errors import DataFileError
from counsel_core.language.emotion import emotion_model
from counsel_core.language.emotion_classifier import Classifier

LABELS = ("joy", "fear", "grief", "neutral")
TEXT = "i am sad and afraid today"


def _make(folder: Path, *, multi: bool = True, labels: tuple[str, ...] = LABELS, positions: int = 42) -> str:
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaForSequenceClassification, RobertaTokenizerFast

    folder.mkdir(exist_ok=True)
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(
        [TEXT] * 4, vocab_size=320, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    )
    bpe.save_model(str(folder))
    tokenizer = RobertaTokenizerFast(
        vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt"), model_max_length=positions - 2
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=positions,
        pad_token_id=1,
        id2label=dict(enumerate(labels)),
        problem_type="multi_label_classification" if multi else None,
        initializer_range=0.5,
    )
    RobertaForSequenceClassification(config).save_pretrained(folder)
    return str(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return _make(tmp_path_factory.mktemp("roberta"))


def _direct(folder: str, rows: list[list[int]]) -> Any:
    import torch
    from transformers import AutoModelForSequenceClassification

    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        return [model(input_ids=torch.tensor([row])).logits[0] for row in rows]


def test_it_ranks_every_label_by_the_models_probability(folder: str) -> None:
    import torch
    from transformers import AutoTokenizer

    ids = AutoTokenizer.from_pretrained(folder)(TEXT)["input_ids"]
    expected = torch.sigmoid(_direct(folder, [ids])[0]).numpy()
    model = emotion_model(folder)
    ((ranking),) = model.rank([TEXT])
    assert model.labels == LABELS
    assert [dict(ranking)[label] for label in LABELS] == pytest.approx(list(expected), abs=1e-5)
    assert [probability for _, probability in ranking] == sorted((float(p) for p in expected), reverse=True)


def test_a_model_for_one_label_gives_probabilities_that_sum_to_one(tmp_path: Path) -> None:
    model = emotion_model(_make(tmp_path / "single", multi=False))
    assert sum(probability for _, probability in model.rank([TEXT])[0]) == pytest.approx(1, abs=1e-5)


def test_a_text_over_the_limit_is_the_mean_of_its_windows(folder: str) -> None:
    import torch
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    long = " ".join([TEXT] * 20)
    ids = tokenizer(long, add_special_tokens=False, truncation=False)["input_ids"]
    assert len(ids) > 40
    # 40 positions, two of them for the special tokens: pieces of 38
    rows = [
        [tokenizer.bos_token_id, *ids[start : start + 38], tokenizer.eos_token_id]
        for start in range(0, len(ids), 38)
    ]
    expected = torch.stack([torch.sigmoid(logits) for logits in _direct(folder, rows)]).mean(dim=0).numpy()
    found = dict(emotion_model(folder).rank([long])[0])
    assert [found[label] for label in LABELS] == pytest.approx(list(expected), abs=1e-5)


def test_windows_have_256_tokens_where_the_encoder_takes_more(tmp_path: Path) -> None:
    model = Classifier(_make(tmp_path / "large", positions=514), download=False)
    sizes: list[int] = []
    inner = model._model

    def counted(**batch: Any) -> Any:
        sizes.append(batch["input_ids"].shape[1])
        return inner(**batch)

    model._model = counted
    words = " ".join(["today"] * 400)  # fits into 512
    model.rank([words])
    assert 400 <= sizes[0] <= 512
    model.rank([" ".join(["today"] * 700)])
    assert sizes[1:] == [256]


def test_its_weights_are_told_from_others(folder: str, tmp_path: Path) -> None:
    other = _make(tmp_path / "other", labels=("joy", "fear"))
    assert emotion_model(folder).weights.startswith("sha256:")
    assert emotion_model(folder).weights != emotion_model(other).weights
    assert emotion_model(folder).name == folder


def test_it_is_loaded_once(folder: str) -> None:
    assert emotion_model(folder) is emotion_model(folder)


def test_equal_texts_rank_equally_alone_and_together(folder: str) -> None:
    alone = emotion_model(folder).rank([TEXT])[0]
    assert emotion_model(folder).rank(["today", TEXT, "i am"])[1] == alone
    assert np.isfinite([probability for _, probability in alone]).all()


def test_a_model_without_a_trained_head_is_refused(tmp_path: Path) -> None:
    from transformers import RobertaConfig, RobertaModel

    folder = _make(tmp_path / "headless")
    RobertaModel(RobertaConfig.from_pretrained(folder)).save_pretrained(folder)
    with pytest.raises(DataFileError, match="no trained classification head"):
        emotion_model(folder)


@pytest.mark.parametrize("source", ["nowhere/at-all", "/no/such/folder"])
def test_missing_weights_are_an_error_that_says_what_to_do(source: str) -> None:
    with pytest.raises(DataFileError, match=r"Give a folder .* or leave it at 'embedded'"):
        emotion_model(source)


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="Give a folder"):
        emotion_model(str(tmp_path))
