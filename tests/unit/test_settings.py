from __future__ import annotations

from pathlib import Path

import pytest

from counsel_core.errors import InputError
from counsel_core.settings import PROJECT, read_settings
from counsel_core.storage.database import open_database


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


@pytest.mark.parametrize("name", ["why?", "100%41", "a#b", "数据 here"])
def test_a_folder_of_any_name_holds_its_own_database(tmp_path: Path, name: str) -> None:
    settings = read_settings({"COUNSEL_DATA_DIR": str(tmp_path / name)})
    with open_database(settings.database_url) as db:
        assert db.file == tmp_path / name / "counsel.sqlite3"
    assert [folder.name for folder in tmp_path.iterdir()] == [name]


def test_a_home_that_nobody_has_is_refused() -> None:
    with pytest.raises(InputError, match=r"COUNSEL_DATA_DIR is '~no-such-user/data'.*Give the path"):
        read_settings({"COUNSEL_DATA_DIR": "~no-such-user/data"})


def test_an_unreadable_switch_is_refused_rather_than_guessed() -> None:
    with pytest.raises(InputError, match="'perhaps'; use 1"):
        read_settings({"COUNSEL_LOCAL_ONLY": "perhaps"})


def test_secrets_do_not_show_in_a_representation() -> None:
    settings = read_settings({"SOME_KEY": "sk-marked"}, {"OTHER_KEY": "sk-other"})
    assert settings.secrets["SOME_KEY"] == "sk-marked"
    assert settings.secrets["OTHER_KEY"] == "sk-other"
    assert "sk-" not in repr(settings)


def test_sessions_are_kept_unless_days_are_given() -> None:
    assert read_settings({}).retention_days is None
    assert read_settings({"COUNSEL_RETENTION_DAYS": " 90 "}).retention_days == 90


@pytest.mark.parametrize("given", ["0", "-3", "soon", "1.5", "²", "99999999"])
def test_a_retention_that_is_no_number_of_days_is_refused(given: str) -> None:
    with pytest.raises(InputError, match="from 1 to 36500"):
        read_settings({"COUNSEL_RETENTION_DAYS": given})
