"""The house's doors: import-linter's contracts can fail, and nothing heavy is loaded early."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from counsel_core.settings import PROJECT

HEAVY = ("torch", "transformers", "openai", "onnxruntime", "streamlit", "plotly", "scipy", "alembic")


def _lint(root: Path) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(root), "PYTHONSAFEPATH": "1"}
    return subprocess.run(command, cwd=root, env=environment, text=True, capture_output=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("counsel_core", "pages"):
        shutil.copytree(PROJECT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "pyproject.toml", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("file", "forbidden", "contract"),
    [
        ("exports/web.py", "import streamlit", "The library knows no Streamlit"),
        ("agents/plain.py", "import counsel_core.storage.schema", "Agents know no storage"),
        ("records.py", "import counsel_core.conversation", "Data goes one way"),
        ("plots/distortions.py", "import scipy", "Plots compute nothing and reach nothing"),
        ("a_module_placed_nowhere.py", '"""Nobody said where I stand."""', "Data goes one way"),
    ],
)
def test_a_planted_import_breaks_its_contract(copy: Path, file: str, forbidden: str, contract: str) -> None:
    with (copy / "counsel_core" / file).open("a", encoding="utf-8") as module:
        module.write(f"\n{forbidden}\n")
    result = _lint(copy)
    assert result.returncode != 0
    assert contract in result.stdout
    assert "BROKEN" in result.stdout or "not listed" in result.stdout or "missing" in result.stdout.lower()


def test_the_command_line_starts_without_anything_heavy() -> None:
    code = f"import sys, counsel_core.cli\nprint([m for m in {HEAVY!r} if m in sys.modules])"
    found = subprocess.check_output([sys.executable, "-c", code], cwd=PROJECT, text=True)
    assert found.strip() == "[]"


def test_only_settings_reads_the_environment() -> None:
    readers = [
        path.name
        for path in (PROJECT / "counsel_core").rglob("*.py")
        if "environ" in path.read_text(encoding="utf-8").replace("environment", "")
    ]
    assert readers == ["settings.py"]
