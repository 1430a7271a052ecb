from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counsel_core.errors import DataFileError
from counsel_core.language.embeddings import (
    CACHED_TEXTS,
    TOKENIZER,
    CachedEmbedder,
    character_ngrams,
    cosine,
    embedder_for,
    minilm,
)


def test_the_tokenizer_is_the_one_whose_origin_is_documented() -> None:
    # sha256 as written in data/models/README.md
    digest = hashlib.sha256(TOKENIZER.read_bytes()).hexdigest()
    assert digest in (TOKENIZER.parent.parent / "README.md").read_text()


def test_a_damaged_tokenizer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tokenizer.json").write_bytes(TOKENIZER.read_bytes()[:1000])
    monkeypatch.setattr("counsel_core.language.embeddings.TOKENIZER", tmp_path / "tokenizer.json")
    with pytest.raises(DataFileError, match=r"tokenizer\.json: it is damaged"):
        minilm.__wrapped__().embed(["Hello."])


def test_minilm_puts_like_meanings_together() -> None:
    rows = minilm().embed(["I cannot pay the rent.", "My landlord wants his money.", "The cat is orange."])
    near, far = cosine(rows[0], rows[1:])
    assert near > far + 0.2


def test_rows_are_unit_vectors_and_an_empty_text_is_the_zero_vector() -> None:
    rows = minilm().embed(["hello", "  "])
    assert rows.shape == (2, 384)
    assert np.linalg.norm(rows[0]) == pytest.approx(1, abs=1e-6)
    assert not rows[1].any()


def test_a_text_has_one_vector_whatever_its_neighbours() -> None:
    # int8 activations are scaled by what is encoded together: encoding one by one avoids that.
    from counsel_core.language.embeddings import _MiniLM

    alone = _MiniLM().encode(["I feel alone."])
    among = _MiniLM().encode(["I feel alone.", "Everything is wonderful and loud and bright!" * 9])
    assert np.array_equal(alone[0], among[0])


def test_long_texts_are_cut_rather_than_refused() -> None:
    assert minilm().embed(["word " * 5000]).shape == (1, 384)


@given(st.lists(st.text(max_size=30), max_size=5))
@settings(max_examples=50)
def test_ngram_rows_have_length_one_or_zero(texts: list[str]) -> None:
    lengths = np.linalg.norm(character_ngrams().embed(texts), axis=1)
    assert all(abs(length - 1) < 1e-5 or length == 0 for length in lengths)


def test_chinese_gets_the_encoder_that_says_what_it_is() -> None:
    assert "no language model" in embedder_for("zh").name
    rows = embedder_for("zh").embed(["我睡不好觉", "我晚上睡不好", "房租太贵了"])
    near, far = cosine(rows[0], rows[1:])
    assert near > far


def test_the_cache_is_bounded_and_encodes_a_text_once() -> None:
    asked: list[str] = []

    def encode(texts: object) -> np.ndarray:
        asked.extend(texts)  # type: ignore[arg-type]
        return np.ones((len(texts), 1), dtype=np.float32)  # type: ignore[arg-type]

    embedder = CachedEmbedder("counting", 1, encode)
    embedder.embed(["a", "b", "a"])
    embedder.embed(["b"])
    assert asked == ["a", "b"]
    embedder.embed([str(number) for number in range(CACHED_TEXTS + 5)])
    assert len(embedder._vectors) == CACHED_TEXTS


def test_importing_loads_nothing_heavy() -> None:
    code = (
        "import sys, counsel_core.language.embeddings\n"
        "print([m for m in ('torch', 'transformers', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
