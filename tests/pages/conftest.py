"""Pages are driven with Streamlit's AppTest, on a data folder of the test's own."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from counsel_core.conversation import start_session, take_turn
from counsel_core.llm.catalogue import open_model
from counsel_core.records import Session
from counsel_core.settings import PROJECT, Settings
from counsel_core.storage.database import Database, open_database
from counsel_core.storage.sessions import load_session

PATIENCE = 30.0
_READ = ("title", "subheader", "markdown", "text", "caption", "error", "warning", "info", "success", "code")


class Visit:
    """One browser tab on the app."""

    def __init__(self, page: str, **address: str | list[str]) -> None:
        self.app = AppTest.from_file(str(PROJECT / "app.py"), default_timeout=PATIENCE)
        self.go(page, **address)

    @classmethod
    def of_dialog(cls, call: str, *imports: str) -> Visit:
        """Open a dialog by itself: AppTest does not keep one open from run to run, as a browser does."""
        opened = cls.__new__(cls)
        opened.app = AppTest.from_string("\n".join([*imports, call]), default_timeout=PATIENCE).run()
        return opened

    def go(self, page: str, **address: str | list[str]) -> Visit:
        """Open a page at an address."""
        self.app.switch_page(str(Path("pages") / f"{page}.py"))
        for key in list(self.app.query_params):
            del self.app.query_params[key]
        for key, value in address.items():
            self.app.query_params[key] = value
        self.app.run()
        return self

    @property
    def words(self) -> str:
        """Every text of the page and its sidebar, as a reader sees it; a crash is an error of the test."""
        assert not self.app.exception, self.app.exception[0].message
        parts = [str(element.value) for kind in _READ for element in self.app.get(kind)]
        return "\n".join(parts).replace("\u2060", "").replace("\\", "")

    def has(self, key: str) -> bool:
        """Whether there is a button."""
        return any(button.key == key for button in self.app.button)

    def press(self, key: str) -> Visit:
        """Press a button."""
        self.app.button(key=key).click().run()
        return self

    def choose(self, menu: str, option: str) -> Visit:
        """Choose from a menu button."""
        self.app.menu_button(key=menu).set_value(option).run()
        return self

    def say(self, line: str) -> Visit:
        """Type a line as the client and wait until its turn is over."""
        self.app.chat_input[0].set_value(line).run()
        return self.until(lambda: not self.has("stop"))

    def until(self, condition: Callable[[], bool]) -> Visit:
        """Run the page until a condition holds, as its polling does in a browser."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, self.words
            time.sleep(0.1)
            self.app.run()
        return self


@pytest.fixture(autouse=True)
def _clear_caches() -> Iterator[None]:
    # What one AppTest cached would be served to the next one in this process.
    st.cache_data.clear()
    st.cache_resource.clear()
    yield
    st.cache_data.clear()
    st.cache_resource.clear()


@pytest.fixture
def visit() -> type[Visit]:
    return Visit


@pytest.fixture
def database(settings: Settings) -> Iterator[Database]:
    with open_database(settings.database_url) as opened:
        yield opened


@pytest.fixture
def talk(database: Database, settings: Settings) -> Callable[..., Session]:
    """Have a session with the guided rules and return it."""

    def talked(agent: str, *lines: str, **options: object) -> Session:
        session = start_session(database, agent=agent, model="guided", settings=settings, **options)
        for line in lines:
            take_turn(database, open_model("guided", settings), session.id, line)
        return load_session(database, session.id)

    return talked


@pytest.fixture
def unused_tcp_port() -> int:
    """Return a port of this machine at which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def session_dialog() -> Callable[..., Visit]:
    """Open a dialog about a session: `module.function`, the session, further arguments."""

    def opened(dialog: str, session: Session, *arguments: object) -> Visit:
        module, function = dialog.rsplit(".", 1)
        given = ", ".join(["load_session(database(), " + repr(session.id) + ")", *map(repr, arguments)])
        return Visit.of_dialog(
            f"{function}({given})",
            f"from pages._ui.{module} import {function}",
            "from pages._ui.workspace import database",
            "from counsel_core.storage.sessions import load_session",
        )

    return opened
