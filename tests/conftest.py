"""What every test shares: a data folder of its own, and no environment of the machine's user."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from counsel_core.settings import Settings, read_settings

# How long it takes to draw an example says how busy the machine is, not whether the program is right.
hypothesis_settings.register_profile("here", suppress_health_check=[HealthCheck.too_slow], deadline=None)
hypothesis_settings.load_profile("here")


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("COUNSEL_DATABASE_URL", "COUNSEL_LOCAL_ONLY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COUNSEL_DATA_DIR", str(tmp_path / "user_data"))


@pytest.fixture
def settings() -> Settings:
    return read_settings()
