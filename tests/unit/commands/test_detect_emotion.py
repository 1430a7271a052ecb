"""`detect-emotion` as a shell sees it."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from counsel_core.cli import main
from counsel_core.language.emotion import embedded

Shell = Callable[..., tuple[int, list[str], str]]


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    def run(*arguments: str, lines: str) -> tuple[int, list[str], str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines.encode())))
        code = main(["detect-emotion", *arguments])
        out = capsys.readouterr()
        return code, out.out.splitlines(), out.err

    return run


def test_a_line_a_text_with_every_label_highest_first(shell: Shell) -> None:
    code, out, err = shell(lines="I am so sad that she died.\n\nThank you so much!\n")
    assert (code, err) == (0, "")
    rankings = [json.loads(line)["ranking"] for line in out]
    assert [ranking[0][0] for ranking in rankings] == ["sadness", "gratitude"]
    for ranking in rankings:
        assert {label for label, _ in ranking} == set(embedded().labels)
        values = [probability for _, probability in ranking]
        assert values == sorted(values, reverse=True)
        assert all(0 <= value <= 1 for value in values)


def test_another_language_fails_alone_and_says_what_to_do(shell: Shell) -> None:
    code, out, err = shell(lines="我睡不好觉。\nThank you!\n")
    assert code == 1
    assert "English" in json.loads(out[0])["error"]
    assert json.loads(out[1])["ranking"][0][0] == "gratitude"
    assert err == (
        "line 1 failed: The embedded emotion model reads English only; give another one with --model.\n"
    )


def test_a_model_that_is_not_there_is_refused_in_one_line(shell: Shell, tmp_path: Path) -> None:
    code, out, err = shell("--model", str(tmp_path / "none"), lines="Thank you!\n")
    assert (code, out) == (2, [])
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert "'embedded'" in err
