"""The embedded emotion model: its files, windows, rankings, and how good they are."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import DataFileError
from counsel_core.language import emotion
from counsel_core.language.embeddings import CACHED_TEXTS, open_tokenizer
from counsel_core.language.emotion import FOLDER, WINDOW, EmbeddedModel, embedded, emotion_model, ranked
from counsel_core.settings import PROJECT

GOEMOTIONS = PROJECT.parent / "shared" / "data" / "goemotions"
LONG = " ".join(["My sister died last year and I still cry every night."] * 60)
SHORT = [
    "I am so sad that she died.",
    "Thank you so much for your help!",
    "ok",
    "What on earth did he mean by that, and why would he say it to you of all people?",
    "I love you all.",
]


def test_the_weights_are_those_that_the_metadata_and_the_card_name() -> None:
    about = json.loads((FOLDER / "model.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256((FOLDER / about["file"]).read_bytes()).hexdigest()
    assert digest == about["sha256"]
    assert embedded().weights == f"sha256:{digest[:16]}"
    assert digest in (FOLDER / "README.md").read_text(encoding="utf-8")
    assert (FOLDER / about["file"]).stat().st_size < 30_000_000


def test_it_has_goemotions_28_labels_with_neutral_last() -> None:
    assert len(set(embedded().labels)) == 28
    assert embedded().labels[0] == "admiration"
    assert embedded().labels[-1] == "neutral"


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("I am so sad that she died.", "sadness"),
        ("Thank you so much!", "gratitude"),
        ("I am terrified of the exam.", "fear"),
        ("This makes me furious!", "anger"),
        ("I am so sorry, please forgive me.", "remorse"),
        ("I love you all.", "love"),
        ("That is disgusting.", "disgust"),
        ("Why do you think so?", "curiosity"),
        ("The meeting is at four.", "neutral"),
    ],
)
def test_it_finds_the_emotion_of_a_plain_sentence(text: str, label: str) -> None:
    ((first, probability), *_) = embedded().rank([text])[0]
    assert first == label
    assert probability >= embedded().threshold


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


def test_the_labels_of_a_text_are_those_from_the_threshold_on() -> None:
    threshold = embedded().threshold
    ranking = [("joy", 0.9), ("love", threshold), ("fear", threshold - 0.001)]
    assert embedded().labels_of(ranking) == ("joy", "love")
    assert embedded().labels_of(ranking[2:]) == ()


def test_a_ranking_does_not_depend_on_its_neighbours() -> None:
    # Exactly: a run that is repeated has to find the same. New models, for nothing comes from a cache.
    together = EmbeddedModel(FOLDER).rank([*SHORT, LONG])
    alone = [EmbeddedModel(FOLDER).rank([text])[0] for text in (*SHORT, LONG)]
    backwards = EmbeddedModel(FOLDER).rank([LONG, *reversed(SHORT)])
    assert together == alone
    assert list(reversed(backwards)) == together


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_a_ranking_does_not_depend_on_the_cores(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(emotion, "_cores", lambda: cores)
    texts = [f"{text} {number}" for number in range(8) for text in SHORT]
    expected = [embedded().rank([text])[0] for text in texts]
    assert EmbeddedModel(FOLDER).rank(texts) == expected


def test_many_threads_may_ask_one_model_at_once() -> None:
    model = EmbeddedModel(FOLDER)
    asked = [[*SHORT[start:], *SHORT[:start]] for start in range(5)] * 4
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(model.rank, asked))
    expected = {text: embedded().rank([text])[0] for text in SHORT}
    for texts, rankings in zip(asked, answers, strict=True):
        assert rankings == [expected[text] for text in texts]


def test_a_text_is_read_once_and_so_many_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model = EmbeddedModel(FOLDER)
    read: list[str] = []

    def counted(text: str) -> np.ndarray:
        read.append(text)
        return np.full(28, 0.5, dtype=np.float32)

    monkeypatch.setattr(model, "_probabilities", counted)
    model.rank(["a", "b", "a"])
    model.rank(["b", "a"])
    assert sorted(read) == ["a", "b"]
    model.rank([str(number) for number in range(CACHED_TEXTS)])
    assert len(model._known) == CACHED_TEXTS
    assert len(model.rank([str(number) for number in range(CACHED_TEXTS + 5)])) == CACHED_TEXTS + 5
    assert len(model._known) == CACHED_TEXTS


def _tokens(text: str) -> list[int]:
    tokenizer = open_tokenizer()
    tokenizer.no_truncation()
    return list(tokenizer.encode(text).ids)


def test_a_long_text_is_the_mean_of_its_windows() -> None:
    model = embedded()
    windows = model._windows(LONG)
    # 60 sentences of 12 tokens: 720, in windows of 254 and the two special tokens
    assert [len(window) for window in windows] == [256, 256, 720 - 2 * 254 + 2]
    _, session = model._load()
    each = [session.run(None, {"ids": np.array([window])})[0][0] for window in windows]
    whole = dict(model.rank([LONG])[0])
    expected = np.mean(each, axis=0)
    assert [whole[label] for label in model.labels] == pytest.approx(expected.tolist(), abs=1e-6)


def test_the_end_of_a_long_text_counts() -> None:
    ends_well = dict(embedded().rank([LONG + " Thank you so much, I am grateful." * 40])[0])
    assert ends_well["gratitude"] > 5 * dict(embedded().rank([LONG])[0])["gratitude"]


@given(st.text(st.sampled_from("ab é我.\n"), min_size=0, max_size=900))
def test_windows_lose_no_token(text: str) -> None:
    first, *inner, last = _tokens(text)
    windows = embedded()._windows(text)
    assert [token for window in windows for token in window[1:-1]] == inner
    assert all(len(window) <= WINDOW and (window[0], window[-1]) == (first, last) for window in windows)


def test_windows_are_cut_between_words() -> None:
    # Each of these words is three tokens, and 254 is no multiple of three.
    word = "unputdownable"
    size = len(_tokens(word)) - 2
    assert size > 1
    windows = embedded()._windows(" ".join([word] * 200))
    assert len(windows) > 1
    assert all((len(window) - 2) % size == 0 for window in windows)


def _copied(folder: Path) -> Path:
    for name in ("model.json", "model.onnx"):
        shutil.copy(FOLDER / name, folder / name)
    return folder


@pytest.mark.parametrize("name", ["model.json", "model.onnx"])
@pytest.mark.parametrize("content", [None, b"", b"{damaged", b"[]", b"{}"])
def test_a_missing_or_damaged_file_is_named(tmp_path: Path, name: str, content: bytes | None) -> None:
    file = _copied(tmp_path) / name
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DataFileError, match="restore data/models/emotion") as caught:
        EmbeddedModel(tmp_path)
    assert caught.value.file == str(file)


def test_one_changed_byte_of_the_weights_is_noticed(tmp_path: Path) -> None:
    file = _copied(tmp_path) / "model.onnx"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(DataFileError, match=r"not the file that model\.json describes"):
        EmbeddedModel(tmp_path)


def test_embedded_is_the_default() -> None:
    assert emotion_model() is emotion_model("embedded") is embedded()


def test_importing_and_asking_for_it_load_no_runtime() -> None:
    code = (
        "import sys; from counsel_core.language.emotion import embedded; embedded().labels; "
        "print([name for name in ('onnxruntime', 'tokenizers', 'torch') if name in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


@pytest.mark.skipif(not GOEMOTIONS.exists(), reason="GoEmotions is not on this machine")
def test_it_is_as_good_on_goemotions_test_texts_as_its_card_says() -> None:
    # The published split of Demszky et al. 2020: 5,427 texts; their BERT-base has a macro-F1 of 0.46.
    lines = (GOEMOTIONS / "test.tsv").read_text(encoding="utf-8").split("\n")
    rows = [line.split("\t") for line in lines if line]
    names = (GOEMOTIONS / "labels.txt").read_text(encoding="utf-8").split()
    gold = [{names[int(number)] for number in row[1].split(",")} for row in rows]
    rankings = embedded().rank([row[0] for row in rows])
    assert len(rankings) == 5427
    given = [set(embedded().labels_of(ranking)) for ranking in rankings]
    scores = []
    for name in names:
        both = sum(name in one and name in other for one, other in zip(gold, given, strict=True))
        either = sum(name in one for one in gold) + sum(name in other for other in given)
        scores.append(2 * both / either)
    top = [any(label in one for label, _ in ranking[:3]) for one, ranking in zip(gold, rankings, strict=True)]
    macro, hits = float(np.mean(scores)), float(np.mean(top))
    assert macro >= 0.51
    assert hits >= 0.86
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"| macro-F1 | {macro:.3f} |" in card
    assert f"| among the first three | {hits:.3f} |" in card
