"""Contriever's loading and pooling, on a tiny BERT made here: its weights are not at hand in tests."""

import numpy as np
import pytest

from counsel_core.errors import DataFileError
from counsel_core.language.contriever import contriever, holds_model


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("contriever")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "i", "am", "a", "loser", "it", "rained", "today"]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
    )
    transformers.BertModel(config).save_pretrained(folder)
    transformers.BertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


def test_vectors_have_length_1_and_the_models_dimension(folder):
    rows = contriever(str(folder)).embed(["I am a loser", "it rained today", ""])
    assert rows.shape == (3, 16)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 0], abs=1e-5)


def test_it_is_the_mean_over_the_tokens_of_the_last_layer(folder):
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        inputs = tokenizer(["i am a loser"], return_tensors="pt")
        mean = model(**inputs).last_hidden_state[0].mean(dim=0).numpy()
    row = contriever(str(folder)).embed(["i am a loser"])[0]
    assert row == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)


def test_padding_in_a_batch_changes_nothing(folder):
    alone = contriever.__wrapped__(str(folder)).embed(["it rained"])[0]
    together = contriever.__wrapped__(str(folder)).embed(["i am a loser today", "it rained", "a"])[1]
    assert together == pytest.approx(alone, abs=1e-5)


def test_it_is_loaded_once_and_named(folder):
    assert contriever(str(folder)) is contriever(str(folder))
    assert contriever(str(folder)).name == "Contriever (mean pooling)"


def test_a_folder_without_a_model_is_refused(folder, tmp_path):
    assert holds_model(folder)
    assert not holds_model(tmp_path)
    with pytest.raises(DataFileError, match="holds no encoder that transformers can load"):
        contriever(str(tmp_path))


def test_a_hub_name_is_not_fetched_unasked():
    with pytest.raises(DataFileError, match="nobody/no-such-model"):
        contriever("nobody/no-such-model")
