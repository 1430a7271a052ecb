"""Fetching a model against a hub on loopback: described first, checked afterwards, nothing left behind."""

from __future__ import annotations

import errno
import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from counsel_core.errors import DataFileError, LocalOnlyError, ProviderUnavailableError, StoppedError
from counsel_core.llm.catalogue import set_local_only
from counsel_core.llm.downloads import Offer, Recommended, describe, download, recommended
from counsel_core.llm.gguf import gguf_folder
from counsel_core.settings import Settings

MODEL = Recommended("Small", "someone/Small-GGUF", "small.gguf", "A test.")
DATA = b"GGUF" + bytes(range(256)) * 4096
DIGEST = hashlib.sha256(DATA).hexdigest()
COMMIT = "a" * 40
PIECE = 65_536


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does for one file, whose bytes and checksum the server holds."""

    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        if self.path.startswith("/api/models/"):
            card = {
                "id": MODEL.repository,
                "sha": COMMIT,
                "siblings": [],
                "cardData": {"license": "apache-2.0"},
            }
            self._send(200, json.dumps(card).encode(), {"content-type": "application/json"})
            return
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        server = self.server
        if not self.path.endswith("/small.gguf"):
            self._send(404, b"", {"x-error-code": "EntryNotFound"})
            return
        headers = {"etag": f'"{server.etag}"', "x-linked-etag": f'"{server.etag}"', "x-repo-commit": COMMIT}
        headers |= {"x-linked-size": str(len(DATA)), "accept-ranges": "bytes"}
        self._send(200, server.data, headers, body=body)

    def _send(self, code: int, data: bytes, headers: dict[str, str], *, body: bool = True) -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        for start in range(0, len(data) if body else 0, PIECE):
            self.wfile.write(data[start : start + PIECE])
            self.server.left.wait(self.server.pause)

    def log_message(self, *given: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.daemon_threads = True
    server.data, server.etag = DATA, DIGEST
    server.pause, server.left = 0.0, threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield server
    server.left.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def online(settings: Settings) -> Settings:
    set_local_only(False, settings)
    return settings


def address(hub: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{hub.server_address[1]}"


def left(settings: Settings) -> list[str]:
    folder = gguf_folder(settings)
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_it_is_described_fetched_checked_and_offered(hub, online: Settings) -> None:
    offer = describe(MODEL, online, hub=address(hub))
    assert offer == Offer(MODEL, len(DATA), DIGEST, COMMIT, "apache-2.0")
    assert left(online) == []
    received: list[int] = []
    file = download(offer, online, cancel=threading.Event(), listen=received.append, hub=address(hub))
    assert file.read_bytes() == DATA
    assert received[-1] == len(DATA)
    assert left(online) == ["small.gguf"]


def test_local_only_asks_nothing(hub, settings: Settings) -> None:
    for call in (
        lambda: describe(MODEL, settings, hub=address(hub)),
        lambda: download(
            Offer(MODEL, 1, DIGEST, COMMIT, ""), settings, cancel=threading.Event(), hub=address(hub)
        ),
    ):
        with pytest.raises(LocalOnlyError, match="nothing was asked or fetched"):
            call()


def test_another_checksum_is_thrown_away(hub, online: Settings) -> None:
    offer = describe(MODEL, online, hub=address(hub))
    hub.data = DATA[:-1] + b"x"
    with pytest.raises(ProviderUnavailableError, match="another checksum"):
        download(offer, online, cancel=threading.Event(), hub=address(hub))
    assert left(online) == []


def test_stopped_it_leaves_nothing(hub, online: Settings) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(StoppedError):
        download(describe(MODEL, online, hub=address(hub)), online, cancel=cancel, hub=address(hub))
    assert left(online) == []


def test_what_the_hub_does_not_have_or_vouch_for_is_named(hub, online: Settings) -> None:
    with pytest.raises(ProviderUnavailableError, match=r"does not give other\.gguf"):
        describe(replace(MODEL, file="other.gguf"), online, hub=address(hub))
    hub.etag = "no-checksum"
    with pytest.raises(ProviderUnavailableError, match="no size or checksum"):
        describe(MODEL, online, hub=address(hub))


def test_without_a_hub_it_says_so(online: Settings) -> None:
    with pytest.raises(ProviderUnavailableError, match="cannot be reached"):
        describe(MODEL, online, hub="http://127.0.0.1:1")


def test_an_environment_that_forbids_the_hub_is_named(hub, online: Settings, monkeypatch) -> None:
    # What HF_HUB_OFFLINE=1 sets when the package is imported.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ProviderUnavailableError, match="HF_HUB_OFFLINE"):
        describe(MODEL, online, hub=address(hub))


def test_stopped_midway_it_leaves_nothing(hub, online: Settings, monkeypatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", PIECE)
    hub.pause = 0.2  # the whole would take 3.2 s
    offer = describe(MODEL, online, hub=address(hub))
    cancel, received = threading.Event(), []

    def listen(count: int) -> None:
        received.append(count)
        cancel.set()

    with pytest.raises(StoppedError):
        download(offer, online, cancel=cancel, listen=listen, hub=address(hub))
    assert 0 < received[-1] < len(DATA)
    assert left(online) == []


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (OSError("Consistency check failed: file should be of size 9 but has size 3"), "did not come whole"),
        (OSError(errno.ENOSPC, "No space left on device"), "cannot be written: No space left"),
    ],
)
def test_what_breaks_off_or_finds_no_room_is_told_apart(hub, online, monkeypatch, error, word) -> None:
    def fail(*given: object, **named: object) -> None:
        raise error

    offer = describe(MODEL, online, hub=address(hub))
    monkeypatch.setattr("huggingface_hub.file_download.http_get", fail)
    with pytest.raises(ProviderUnavailableError, match=word):
        download(offer, online, cancel=threading.Event(), hub=address(hub))
    assert left(online) == []


def test_the_list_is_whole_and_claims_no_checksum(tmp_path: Path) -> None:
    for model in recommended():
        assert model.file.endswith(".gguf")
        assert model.repository.count("/") == 1
    broken = tmp_path / "r.toml"
    broken.write_text('[[model]]\nname = "x"\n')
    with pytest.raises(DataFileError, match="entry 1 lacks repository, file, about"):
        recommended(broken)
