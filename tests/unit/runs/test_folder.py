"""The folder of a run: whole files, clear words, and one worker at a time."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from counsel_core.errors import RunError
from counsel_core.runs.folder import RunFolder, create_folder, hold, is_held, read_json, write_whole
from counsel_core.settings import PROJECT
from tests.fakes_runs import wait_until

HOLDER = """
import sys
from pathlib import Path
from counsel_core.runs.folder import RunFolder, hold
with hold(RunFolder(Path(sys.argv[1]))):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    made = RunFolder(tmp_path / "run")
    create_folder(made.work)
    return made


def test_a_file_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    file = tmp_path / "f"
    write_whole(file, b"old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"f cannot be written: no space left on device"):
        write_whole(file, b"new")
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_folder_below_a_file_is_refused(tmp_path):
    (tmp_path / "f").write_bytes(b"")
    with pytest.raises(RunError, match="cannot be written: not a directory"):
        create_folder(tmp_path / "f" / "run")


@pytest.mark.parametrize("content", [None, b"{", b"\xff"])
def test_a_missing_or_damaged_file_is_said(tmp_path, content):
    if content is not None:
        (tmp_path / "plan.json").write_bytes(content)
    with pytest.raises(RunError, match=r"plan\.json: .*start a new run"):
        read_json(tmp_path / "plan.json")


def test_one_worker_at_a_time_and_a_killed_one_lets_go(folder, monkeypatch, processes):
    monkeypatch.setattr("counsel_core.runs.folder._PATIENCE", 0.2)
    assert not is_held(folder)
    command = [sys.executable, "-c", HOLDER, str(folder.root)]
    with subprocess.Popen(command, cwd=PROJECT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        processes.append(other.pid)
        assert other.stdout.readline() == b"held\n"
        assert is_held(folder)
        with pytest.raises(RunError, match="another process is at work"), hold(folder):
            pass
        other.kill()
        other.wait()
        wait_until(lambda: not is_held(folder))
        with hold(folder):
            assert is_held(folder)
    assert not is_held(folder)
