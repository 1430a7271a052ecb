"""A key that is marked is used everywhere, by a server that repeats it; then it is looked for everywhere."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from counsel_core.cli import main
from counsel_core.conversation import start_session, take_turn
from counsel_core.errors import CounselError
from counsel_core.exports import export_session
from counsel_core.llm.catalogue import open_model, save_model
from counsel_core.settings import Settings, read_settings
from counsel_core.storage.database import Database
from counsel_core.storage.sessions import load_session
from tests.fakes import openai_server as fake

KEY = "sk-marked-0d9e71-nowhere-to-be-found"
AGENTS = ("plain", "stage_unaware", "sudosys", "cocoa")


@pytest.fixture
def server() -> Iterator[fake.OpenAIServer]:
    with fake.OpenAIServer() as running:
        yield running


@pytest.fixture
def keyed(server: fake.OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Return the settings of an installation whose two models have the marked key."""
    monkeypatch.setenv("MARKED_KEY", KEY)
    settings = read_settings()
    for name, url in (("talkative", server.base_url), ("away", "http://127.0.0.1:1/v1")):
        entry = {"name": name, "base_url": url, "model": "scripted", "key_variable": "MARKED_KEY"}
        limits = {"retries": 0, "connect_seconds": 1.0, "stall_seconds": 5.0}
        save_model({**entry, "options": limits}, settings)
    return settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["question", "reference", "gpt"])
        rows.writerows([["I feel sad about my rent.", "Your rent is a topic.", "Be happy."]] * 2)
    return path


def everything_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in folder.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            yield str(path), gzip.decompress(data) if path.suffix == ".gz" else data


def test_the_key_is_sent_and_found_nowhere_else(
    visit, keyed: Settings, server: fake.OpenAIServer, database: Database, file: Path, tmp_path, capsys
) -> None:
    said: list[str] = []
    repeats = fake.text(f"You sent Bearer {KEY}.")
    refuses = fake.status(401, f"Incorrect API key provided: {KEY}")
    for agent in AGENTS:
        session = start_session(database, agent=agent, model="talkative", settings=keyed)
        for answer, model in ((repeats, "talkative"), (refuses, "talkative"), (repeats, "away")):
            server.answers(answer)
            try:
                take_turn(database, open_model(model, keyed), session.id, "I failed again.")
            except CounselError as error:
                said.append(str(error))
        said += [export_session(database, session.id, kind) for kind in ("json", "md", "html")]
        said += [visit("chat", session=session.id).words, visit("archive", replay=session.id).words]
        assert load_session(database, session.id).turn_count
    for answer in (repeats, refuses):
        server.answers(answer)
        out = tmp_path / f"out{len(said)}"
        metrics = "agreeability,active_listening"
        main(["evaluate", str(file), "--out", str(out), "--metrics", metrics, "--judge", "talkative"])
        main(["answer", str(file), "--out", f"{out}.csv", "--models", "talkative,away"])
        page = visit("models").press("test_talkative")
        said += [page.words, repr(page.app.session_state)]
        said += [visit("home").words, visit("metrics").words]
    main(["doctor"])
    printed = capsys.readouterr()
    said += [printed.out, printed.err]
    assert {request.headers["authorization"] for request in server.log} == {f"Bearer {KEY}"}
    assert len(server.log) > len(AGENTS) * 2
    found = [text[:200] for text in said if KEY in text]
    found += [name for name, data in everything_in(tmp_path) if KEY.encode() in data]
    assert found == []
