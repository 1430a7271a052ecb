"""The library of data sets on disk: saved, listed, loaded, removed, and broken ones told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counsel_core.datasets import library
from counsel_core.datasets.library import find, list_saved, load, original, remove, save
from counsel_core.errors import DataFileError, DatasetError
from counsel_core.settings import Settings

DATA = b"Q,R,mood,A\nHow?,Early.,low,Sheep.\n"
MAPPING = {"question": "Q", "reference": "R", "models": ["A"]}


@pytest.fixture(autouse=True)
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "samples"
    folder.mkdir()
    monkeypatch.setattr(library, "SAMPLES", folder)
    return folder


def test_what_is_saved_is_listed_and_loads_as_it_was_read(settings: Settings) -> None:
    assert list_saved(settings) == ()
    saved = save(settings, "mine.csv", DATA, mapping=MAPPING, policy="longest", topic_column="mood")
    assert list_saved(settings) == (saved,)
    assert (saved.name, saved.size, saved.policy) == ("mine.csv", len(DATA), "longest")
    dataset = load(settings, saved.key)
    assert dataset.sources == ("reference", "A")
    assert dataset.items[0].topic == "low"
    assert dataset.sha256.startswith(saved.key)
    assert original(settings, saved.key) == DATA


def test_the_same_bytes_again_replace_how_they_are_read(settings: Settings) -> None:
    first = save(settings, "mine.csv", DATA, mapping=MAPPING)
    second = save(settings, "renamed.csv", DATA, mapping={**MAPPING, "topic": "mood"})
    assert first.key == second.key
    assert [saved.name for saved in list_saved(settings)] == ["renamed.csv"]
    assert load(settings, first.key).items[0].topic == "low"
    assert not [path for path in (settings.data_dir / "datasets").iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("name", ["../../etc/passwd.csv", "a/b\\c.csv", "x" * 300 + ".csv", "名\n前.csv", ""])
def test_a_files_name_is_never_a_path(name: str, settings: Settings) -> None:
    key = save(settings, name, DATA, mapping=MAPPING).key
    assert [path.name for path in (settings.data_dir / "datasets").iterdir()] == [key]
    assert load(settings, key).name == name


def test_a_file_that_cannot_be_read_is_not_saved(settings: Settings) -> None:
    with pytest.raises(DatasetError):
        save(settings, "mine.csv", b"a,b\n1,2\n")
    assert list_saved(settings) == ()


def test_a_removed_data_set_is_gone(settings: Settings) -> None:
    key = save(settings, "mine.csv", DATA, mapping=MAPPING).key
    remove(settings, key)
    assert list_saved(settings) == ()
    assert list((settings.data_dir / "datasets").iterdir()) == []
    for act in (load, original, find, remove):
        with pytest.raises(DatasetError, match="no such data set"):
            act(settings, key)


@pytest.mark.parametrize("key", ["..", "../..", "", "0123456789abcdef", "sample-x"])
def test_a_key_that_is_none_is_refused(key: str, settings: Settings) -> None:
    save(settings, "mine.csv", DATA, mapping=MAPPING)
    with pytest.raises(DatasetError, match="no such data set"):
        remove(settings, key)


@pytest.mark.parametrize("about", ["", "{", "[]", "{}", '{"name": 1}', "[" * 100_000])
def test_a_broken_entry_is_listed_with_its_problem_and_can_be_removed(about: str, settings: Settings) -> None:
    key = save(settings, "mine.csv", DATA, mapping=MAPPING).key
    (settings.data_dir / "datasets" / key / "about.json").write_text(about)
    assert "upload it once more" in list_saved(settings)[0].problem
    with pytest.raises(DatasetError, match=r"about\.json"):
        load(settings, key)
    remove(settings, key)
    assert list_saved(settings) == ()


def test_changed_bytes_are_refused(settings: Settings) -> None:
    key = save(settings, "mine.csv", DATA, mapping=MAPPING).key
    (settings.data_dir / "datasets" / key / "content").write_bytes(DATA + b"x,y,z,a\n")
    with pytest.raises(DatasetError, match="changed"):
        load(settings, key)


def test_a_folder_that_takes_nothing_is_told(settings: Settings) -> None:
    settings.data_dir.mkdir(parents=True)
    (settings.data_dir / "datasets").write_text("a file where a folder should be")
    with pytest.raises(DatasetError, match="cannot be saved"):
        save(settings, "mine.csv", DATA, mapping=MAPPING)


def test_samples_come_first_with_what_is_said_of_them_and_stay(settings: Settings, samples: Path) -> None:
    (samples / "questions.csv").write_bytes(b"question,reference\nHow?,Early.\n")
    (samples / "questions.toml").write_text('title = "Questions"\n')
    (samples / "README.md").write_text("About")
    save(settings, "mine.csv", DATA, mapping=MAPPING)
    assert next((saved.key, saved.sample) for saved in list_saved(settings)) == ("sample-questions", True)
    assert load(settings, "sample-questions").about == {"title": "Questions"}
    with pytest.raises(DatasetError, match="stays"):
        remove(settings, "sample-questions")
    (samples / "questions.toml").write_text("title = 1\n")
    with pytest.raises(DataFileError, match="title"):
        load(settings, "sample-questions")


def test_the_entry_is_readable_json(settings: Settings) -> None:
    key = save(settings, "mine.csv", DATA, mapping=MAPPING).key
    about = json.loads((settings.data_dir / "datasets" / key / "about.json").read_text())
    assert about["mapping"] == MAPPING
