from __future__ import annotations

from pathlib import Path

import pytest

from counsel_core.errors import InputError
from counsel_core.settings import PROJECT, read_settings


def test_defaults_are_local_and_inside_a_git_ignored_folder() -> None:
    settings = read_settings({})
    assert settings.local_only
    assert not settings.local_only_locked
    assert settings.data_dir == PROJECT / "user_data"
    assert "user_data/" in (PROJECT / ".gitignore").read_text().splitlines()


def test_the_environment_decides(tmp_path: Path) -> None:
    settings = read_settings({"COUNSEL_DATA_DIR": str(tmp_path), "COUNSEL_LOCAL_ONLY": "off"})
    assert settings.database_url == f"sqlite:///{tmp_path}/counsel.sqlite3"
    assert not settings.local_only
    assert settings.local_only_locked


def test_an_unreadable_switch_is_refused_rather_than_guessed() -> None:
    with pytest.raises(InputError, match="'perhaps'; use 1"):
        read_settings({"COUNSEL_LOCAL_ONLY": "perhaps"})


def test_secrets_do_not_show_in_a_representation() -> None:
    settings = read_settings({"SOME_KEY": "sk-marked"}, {"OTHER_KEY": "sk-other"})
    assert settings.secrets["SOME_KEY"] == "sk-marked"
    assert settings.secrets["OTHER_KEY"] == "sk-other"
    assert "sk-" not in repr(settings)
