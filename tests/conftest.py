"""What every test shares: a data folder of its own, and no environment of the machine's user."""

from __future__ import annotations

from pathlib import Path

import pytest

from counsel_core.settings import Settings, read_settings


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("COUNSEL_DATABASE_URL", "COUNSEL_LOCAL_ONLY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COUNSEL_DATA_DIR", str(tmp_path / "user_data"))


@pytest.fixture
def settings() -> Settings:
    return read_settings()
