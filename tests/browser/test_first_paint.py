"""What the server process has loaded when the first page is there."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import App

# Shared objects tell what a running process has loaded, whatever its modules are called.
HEAVY = ("torch/lib", "libtorch", "onnxruntime")


def test_first_paint_of_the_chat_loads_no_torch_and_no_transformers(page: Page, app: App) -> None:
    page.goto(f"{app.url}/chat")
    expect(page.get_by_placeholder("Say something, as the client")).to_be_visible()
    loaded = Path(f"/proc/{app.process.pid}/maps").read_text()
    assert "numpy" in loaded  # the list of loaded libraries can be read
    for name in HEAVY:
        assert name not in loaded, f"{name} is loaded by the first page"
