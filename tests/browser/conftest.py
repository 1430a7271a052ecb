"""The running app and a real headless Chromium, as a user has them."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from counsel_core.settings import PROJECT, Settings, read_settings

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ARTEFACTS = PROJECT / "artefacts" / "screenshots"
SERVER_STARTS_WITHIN = 90.0
expect.set_options(timeout=20_000)


@dataclass(frozen=True)
class App:
    """A running app: where it answers, where its data are, what it printed."""

    url: str
    settings: Settings
    log: Path
    process: subprocess.Popen[bytes]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            # One worker drives the browser, so that two Chromiums do not fight over two cores.
            item.add_marker(pytest.mark.xdist_group("browser"))
            # A real browser on a busy machine stalls now and then: once more, and the summary says "R".
            item.add_marker(pytest.mark.flaky(reruns=1))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_healthy(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + SERVER_STARTS_WITHIN
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the app did not start:\n{log.read_text(errors='replace')}")


def start_app(folder: Path, **environment: str) -> App:
    """Start the app on a free port with a data folder of its own."""
    port, log = _free_port(), folder / "app.log"
    variables = {**os.environ, "COUNSEL_DATA_DIR": str(folder / "data"), **environment}
    command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=PROJECT, env=variables, stdout=out, stderr=out)
    app = App(f"http://127.0.0.1:{port}", read_settings(variables), log, process)
    _wait_until_healthy(app.url, process, log)
    return app


def stop_app(app: App) -> None:
    app.process.terminate()
    try:
        app.process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        app.process.kill()
        app.process.wait()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        reason = f"{CHROMIUM} is not there; install Debian's package chromium"
        if os.environ.get("COUNSEL_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    running = start_app(tmp_path_factory.mktemp("app"))
    yield running
    stop_app(running)


@pytest.fixture
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of its own; a screenshot of how it ended is kept under artefacts/."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(30_000)
    yield page
    ARTEFACTS.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w.-]+", "_", request.node.name)
    page.screenshot(path=ARTEFACTS / f"{name}.png")
    context.close()
