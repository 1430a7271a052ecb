"""The examples of docs/adding.md, put as files into a copy of the project."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from counsel_core.settings import PROJECT

# A line that begins with a file's name in backquotes, then the next block is what is in the file.
EXAMPLE = re.compile(r"^`([\w/]+\.(?:py|toml))`[^\n]*:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = dict(EXAMPLE.findall((PROJECT / "docs" / "adding.md").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    for name in ("counsel_core", "pages", "data", "tests"):
        shutil.copytree(PROJECT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("app.py", "pyproject.toml", "requirements.txt"):
        shutil.copy(PROJECT / name, root)
    for name, content in EXAMPLES.items():
        assert not (root / name).exists()
        (root / name).write_text(content, encoding="utf-8")
    return root


def run(copy: Path, *arguments: str, lines: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=copy,
        input=lines.encode(),
        capture_output=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout.decode() + done.stderr.decode()
    return done.stdout.decode()


def chat(copy: Path, arguments: str, lines: str) -> list[dict]:
    return [
        json.loads(line)
        for line in run(copy, "counsel_core", "chat", *arguments.split(), "--json", lines=lines).splitlines()
    ]


def test_every_kind_of_thing_has_its_example() -> None:
    folders = {str(Path(name).parent) for name in EXAMPLES}
    packages = ("llm", "agents", "metrics", "datasets", "commands")
    plug_ins = {*(f"counsel_core/{name}" for name in packages), "pages"}
    assert folders == plug_ins | {"data/protocols", "data/clients"}


def test_the_agent_and_the_provider_are_found_and_answer(copy: Path) -> None:
    first, second = chat(copy, "--agent mirror", "My rent is due.\nI am tired.")
    assert first["reply"] == "That was line 1, and I heard every word of it."
    assert second["state"] == {"lines": 2}
    (echoed,) = chat(copy, "--agent mirror --model parrot --set greeting=Hi", "My rent is due.")
    assert echoed["reply"] == "My rent is due."


def test_the_agent_keeps_to_what_every_agent_keeps_to(copy: Path) -> None:
    said = run(copy, "pytest", "-q", "-k", "mirror", "tests/contracts/test_agents.py")
    assert re.search(r"\b1[0-9] passed", said)


def test_the_format_is_recognised_and_the_metric_scores_it(copy: Path) -> None:
    file = copy / "pairs.csv"
    file.write_text("prompt,chosen,rejected\nI am tired.,Since when? That sounds hard.,Sleep more.\n")
    read = json.loads(run(copy, "counsel_core", "read-dataset", str(file), "--json"))
    assert (read["format"], read["sources"]) == ("pairs", ["reference", "rejected"])
    out = copy / "run"
    run(copy, "counsel_core", "evaluate", str(file), "--out", str(out), "--metrics", "questions_asked")
    rows = csv.DictReader((out / "summary.csv").read_text(encoding="utf-8-sig").splitlines())
    # One of the two sentences of "Since when? That sounds hard." asks, the one of "Sleep more." does not.
    assert {row["source"]: float(row["mean"]) for row in rows} == {"reference": 0.5, "rejected": 0.0}


def test_the_metric_keeps_to_what_every_metric_keeps_to(copy: Path) -> None:
    said = run(copy, "pytest", "-q", "-k", "questions_asked", "tests/contracts/test_metrics.py")
    assert " passed" in said


def test_the_command_lists_the_sessions(copy: Path) -> None:
    chat(copy, "--agent plain --title Rent", "My rent is due.")
    listed = [
        json.loads(row) for row in run(copy, "counsel_core", "sessions", "--agent", "plain").splitlines()
    ]
    assert [(row["title"], row["turns"]) for row in listed] == [("Rent", 1)]


def test_the_page_is_in_the_navigation_and_draws(copy: Path) -> None:
    code = (
        "from pathlib import Path\n"
        "from streamlit.testing.v1 import AppTest\n"
        "def test_it():\n"
        "    app = AppTest.from_file(Path.cwd() / 'app.py').run(timeout=60)\n"
        "    from app import find_pages\n"
        "    assert 'Techniques' in [page.title for page in find_pages()]\n"
        "    app.switch_page('pages/techniques.py').run(timeout=60)\n"
        "    assert not app.exception\n"
        "    assert any('Guided Discovery' in block.value for block in app.markdown)\n"
    )
    (copy / "tests" / "pages" / "test_added.py").write_text(code)
    run(copy, "pytest", "-q", "tests/pages/test_added.py")


def test_the_protocol_is_followed(copy: Path) -> None:
    first, *_ = chat(copy, "--agent sudosys --protocol two_steps_en", "I worry about the rent.")
    assert first["state"]["stage"]["name"] == "Listening"
    assert "rent" in first["state"]["topics"]["1"]["trouble"]


def test_the_sample_client_is_sound(copy: Path) -> None:
    run(copy, "pytest", "-q", "tests/unit/test_clients.py")
    code = "from counsel_core.clients import load_clients; print(load_clients()['ines_music'].label)"
    done = subprocess.run([sys.executable, "-c", code], cwd=copy, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "Ines: the neighbour's music"


def test_the_examples_pass_the_checks_of_the_project(copy: Path) -> None:
    code = [name for name in EXAMPLES if name.endswith(".py")]
    run(copy, "ruff", "check", "--no-cache", *code)
    run(copy, "ruff", "format", "--no-cache", "--check", *code)
