"""Settings: read once at the edge (app, command line) and passed in; nothing else reads the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from counsel_core.errors import InputError

PROJECT = Path(__file__).resolve().parent.parent
DATA = PROJECT / "data"
"""The data files that come with the project; a user's own data are in `Settings.data_dir`."""

_TRUE, _FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


@dataclass(frozen=True)
class Settings:
    """Where the user's data live and what may leave this machine.

    `local_only_locked` is true when the environment decides, so that a page cannot change it.
    `retention_days`: sessions that nobody used for so long are deleted; None: never.
    `secrets` holds possible keys of hosted models; it never appears in a representation.
    """

    data_dir: Path
    database_url: str
    local_only: bool = True
    local_only_locked: bool = False
    retention_days: int | None = None
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def models_file(self) -> Path:
        """The TOML file that lists the user's models."""
        return self.data_dir / "models.toml"

    @property
    def resources_file(self) -> Path:
        """The deployer's own contacts for people in danger, laid over those that come with the project."""
        return self.data_dir / "resources.toml"

    @property
    def protocols_dir(self) -> Path:
        """The folder of the user's own protocols."""
        return self.data_dir / "protocols"


def read_settings(
    environment: Mapping[str, str] | None = None, secrets: Mapping[str, str] | None = None
) -> Settings:
    """Read the settings from the environment; `secrets` (Streamlit's) fill what it lacks.

    Raises
    ------
    InputError
        COUNSEL_LOCAL_ONLY holds neither yes nor no, COUNSEL_RETENTION_DAYS no number of days, or
        COUNSEL_DATA_DIR can be no folder.
    """
    env = os.environ if environment is None else environment
    data_dir = _folder(env.get("COUNSEL_DATA_DIR") or str(PROJECT / "user_data"))
    database = env.get("COUNSEL_DATABASE_URL") or f"sqlite:///{_in_url(data_dir / 'counsel.sqlite3')}"
    given = env.get("COUNSEL_LOCAL_ONLY", "").strip().lower()
    if given and given not in _TRUE | _FALSE:
        raise InputError(f"COUNSEL_LOCAL_ONLY is {given!r}; use 1 (on) or 0 (off).")
    return Settings(
        data_dir=data_dir,
        database_url=database,
        local_only=given not in _FALSE,
        local_only_locked=bool(given),
        retention_days=_days(env.get("COUNSEL_RETENTION_DAYS", "").strip()),
        secrets={**(secrets or {}), **env},
    )


def _days(given: str) -> int | None:
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and 0 < int(given) <= 36_500):
        raise InputError(f"COUNSEL_RETENTION_DAYS is {given!r}; give a number of days from 1 to 36500.")
    return int(given)


def _folder(given: str) -> Path:
    try:
        return Path(given).expanduser().resolve()
    except (OSError, RuntimeError) as error:  # a user that does not exist; links that go round in circles
        reason = str(error).rstrip(".")
        raise InputError(f"COUNSEL_DATA_DIR is {given!r}: {reason}. Give the path of a folder.") from error


def _in_url(file: Path) -> str:
    """Return a path so that a URL holds it as it is: these two characters mean something else there."""
    return str(file).replace("%", "%25").replace("?", "%3F")
