"""`read-dataset` as a shell sees it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from counsel_core.cli import main

WIDE = "Q,R,T,A,B\nHow?,Early.,sleep,Sheep.,Milk.\nWhy?,Late.,mood,,Tea\u00a0time.\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "upload.csv"
    path.write_text(WIDE, encoding="utf-8")
    return path


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["read-dataset", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_one_json_object_with_the_agreed_keys(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = _run(capsys, str(file), "--map", "question=Q,reference=R,topic=T,models=A+B", "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    assert json.loads(out) == {
        "format": "wide",
        "encoding": "utf-8",
        "items": 2,
        "answers": 5,
        "sources": ["reference", "A", "B"],
        "topics": {"sleep": 1, "mood": 1},
        "repaired": [
            {"row": 3, "reason": "no-break spaces in 'B': kept, mended where preset standard reads it"}
        ],
        "dropped": [{"row": 3, "reason": "no answer in 'A'"}],
    }


def test_without_json_it_is_told_in_words(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = _run(
        capsys, str(file), "--map", '{"question": "Q", "reference": "R", "models": ["A", "B"]}'
    )
    assert code == 0
    assert "2 items, 2 of them with a question text" in out
    assert "row 3: no answer in 'A'" in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],  # the columns are of no known format
        ["--map", "question"],
        ["--map", "question=Q,reference=nowhere"],
        ["--map", "{"],
        ["--map", "[" * 100_000],
        ["--map", '{"question": 1}'],
        ["--map", "question=Q,reference=R", "--topic", "nowhere"],
    ],
)
def test_what_cannot_be_read_is_refused_with_one_line(
    arguments: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _run(capsys, str(file), *arguments, "--json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("error: ")


@pytest.mark.parametrize("name", ["nowhere.csv", "", ".", "a\0b"])
def test_a_file_that_cannot_be_opened_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _run(capsys, str(tmp_path / name), "--json")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "cannot be read" in err


def test_a_file_that_is_too_large_is_not_read_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as sparse:
        sparse.truncate(2**40)
    code, _, err = _run(capsys, str(path), "--json")
    assert code == 2
    assert "more than 100 MB" in err
