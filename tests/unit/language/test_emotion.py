"""The embedded emotion model: its weights, windows and rankings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import DataFileError
from counsel_core.language import emotion
from counsel_core.language.embeddings import minilm, open_tokenizer
from counsel_core.language.emotion import HEAD, WINDOW, embedded, emotion_model, ranked

LONG = " ".join(["My sister died last year and I still cry every night."] * 60)


def test_the_model_card_names_these_weights() -> None:
    card = (HEAD.parent / "README.md").read_text(encoding="utf-8")
    assert embedded().weights.removeprefix("sha256:") in card
    assert HEAD.stat().st_size < 1_000_000


def test_it_has_goemotions_28_labels_with_neutral_last() -> None:
    assert len(set(embedded().labels)) == 28
    assert embedded().labels[0] == "admiration"
    assert embedded().labels[-1] == "neutral"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I am so sad that she died.", "sadness"),
        ("Thank you so much for your help!", "gratitude"),
        ("I am terrified of the exam.", "fear"),
        ("This makes me furious!", "anger"),
        ("I am so sorry, please forgive me.", "remorse"),
        ("I love you all.", "love"),
    ],
)
def test_it_finds_the_emotion_of_a_plain_sentence(text: str, label: str) -> None:
    assert embedded().rank([text])[0][0][0] == label


@given(st.lists(st.text(max_size=40), max_size=3))
def test_every_label_is_ranked_with_a_probability(texts: list[str]) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    rankings = embedded().rank(texts)
    assert len(rankings) == len(texts)
    for ranking in rankings:
        probabilities = [probability for _, probability in ranking]
        assert {label for label, _ in ranking} == set(embedded().labels)
        assert probabilities == sorted(probabilities, reverse=True)
        assert all(0 <= probability <= 1 for probability in probabilities)


def test_ties_stand_in_the_order_of_the_labels() -> None:
    assert ranked(("a", "b", "c"), np.array([0.2, 0.3, 0.2])) == [("b", 0.3), ("a", 0.2), ("c", 0.2)]


def test_a_long_text_is_the_mean_of_its_windows() -> None:
    model = embedded()
    windows = model._windows(LONG)
    assert len(windows) == 3  # 60 sentences of 12 tokens: 720, in windows of 254
    assert "".join(windows) == LONG
    tokenizer = open_tokenizer()
    tokenizer.no_truncation()
    assert all(len(tokenizer.encode(window).ids) <= WINDOW for window in windows)
    each = [dict(ranking) for ranking in model.rank(windows)]
    whole = dict(model.rank([LONG])[0])
    for label, probability in whole.items():
        assert probability == pytest.approx(np.mean([one[label] for one in each]), abs=1e-6)


def test_the_end_of_a_long_text_counts() -> None:
    ends_well = dict(embedded().rank([LONG + " Thank you so much, I am grateful." * 40])[0])
    assert ends_well["gratitude"] > 5 * dict(embedded().rank([LONG])[0])["gratitude"]


@given(st.text(st.sampled_from("ab é我.\n"), min_size=250, max_size=700))
def test_windows_lose_no_word(text: str) -> None:
    windows = embedded()._windows(text)
    assert "".join("".join(windows).split()) == "".join(text.split())


def test_it_is_the_sigmoid_of_a_linear_layer_on_the_shared_encoder() -> None:
    with np.load(HEAD) as stored:
        weights, bias = stored["weights"].astype(float), stored["bias"].astype(float)
    vector = minilm().embed(["I am so sad."])[0].astype(float)
    expected = 1 / (1 + np.exp(-(vector @ weights + bias)))
    found = dict(embedded().rank(["I am so sad."])[0])
    assert [found[label] for label in embedded().labels] == pytest.approx(list(expected), abs=1e-5)


@pytest.mark.parametrize("content", [None, b"", b"PK\x03\x04 damaged"])
def test_missing_or_damaged_weights_are_named(tmp_path, monkeypatch, content: bytes | None) -> None:
    file = tmp_path / "head.npz"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(emotion, "HEAD", file)
    with pytest.raises(DataFileError, match="restore the file"):
        embedded.__wrapped__()


def test_embedded_is_the_default() -> None:
    assert emotion_model() is emotion_model("embedded") is embedded()
