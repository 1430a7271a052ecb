"""The journal: what is counted is on the disk, and what a crash cut short is done anew."""

from __future__ import annotations

import errno
import os
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.errors import RunError
from counsel_core.runs.journal import Entry, Journal, read_entry, read_journal

ENTRIES = [
    Entry(0, "recycling", 0.1 + 0.2),
    Entry(0, "simplicity", None, "it has 3 words"),
    Entry(1, "agreeability", 7.0, detail={"calls": [{"text": "7 – “yes”\n"}]}),
    Entry(2, "agreeability", error="the server did not answer"),
]


def written(path: Path, entries: list[Entry] = ENTRIES) -> bytes:
    journal = Journal(path, "plan", read_entry)
    journal.append(entries)
    journal.close()
    return path.read_bytes()


def test_what_was_appended_is_read_again_as_it_was(tmp_path):
    written(tmp_path / "j")
    # floats are written so that they come back bit for bit: 0.1 + 0.2 is not 0.3
    assert list(read_journal(tmp_path / "j", "plan", read_entry).values()) == ENTRIES


def test_cut_at_any_byte_it_opens_with_the_whole_lines_and_goes_on(tmp_path):
    path = tmp_path / "j"
    data = written(path)
    for length in range(len(data)):
        path.write_bytes(data[:length])
        whole = data[:length].count(b"\n")
        expected = ENTRIES[: max(0, whole - 1)]  # the first line names the plan
        assert list(read_journal(path, "plan", read_entry).values()) == expected
        journal = Journal(path, "plan", read_entry)
        assert list(journal.entries.values()) == expected
        journal.append(ENTRIES[len(expected) :])
        journal.close()
        assert path.read_bytes() == data


def test_of_two_entries_on_one_thing_the_last_counts(tmp_path):
    written(tmp_path / "j", [*ENTRIES, Entry(2, "agreeability", 5.0)])
    assert read_journal(tmp_path / "j", "plan", read_entry)[2, "agreeability"].value == 5.0


@pytest.mark.parametrize("open_again", [Journal, read_journal])
def test_another_plans_results_are_refused(tmp_path, open_again):
    before = written(tmp_path / "j")
    with pytest.raises(RunError, match="another plan"):
        open_again(tmp_path / "j", "other", read_entry)
    assert (tmp_path / "j").read_bytes() == before


@pytest.mark.parametrize("line", [b"\x00\x00\n", b"[]\n", b'{"u": 3}\n', b"\xff\n", b"7\n"])
def test_a_damaged_line_is_named(tmp_path, line):
    (tmp_path / "j").write_bytes(written(tmp_path / "j") + line)
    with pytest.raises(RunError, match=r"line 6: it is damaged"):
        read_journal(tmp_path / "j", "plan", read_entry)


def test_a_full_disk_is_said_and_leaves_whole_lines(tmp_path, monkeypatch):
    path = tmp_path / "j"
    journal = Journal(path, "plan", read_entry)
    journal.append(ENTRIES[:2])
    before = path.read_bytes()
    real = os.pwrite

    def half_then_full(file: int, data: bytes, offset: int) -> int:
        if offset > len(before):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(file, data[: len(data) // 2], offset)

    monkeypatch.setattr(os, "pwrite", half_then_full)
    with pytest.raises(RunError, match=r"cannot be written: no space left on device\. Free space"):
        journal.append(ENTRIES[2:])
    assert path.read_bytes() == before
    assert list(journal.entries.values()) == ENTRIES[:2]
    monkeypatch.setattr(os, "pwrite", real)
    journal.append(ENTRIES[2:])
    journal.close()
    assert list(read_journal(path, "plan", read_entry).values()) == ENTRIES


def test_a_folder_that_is_not_there_is_said(tmp_path):
    with pytest.raises(RunError, match="cannot be written: no such file"):
        Journal(tmp_path / "none" / "j", "plan", read_entry)


texts = st.text(max_size=20)
entries = st.builds(
    Entry,
    st.integers(0, 10**6),
    st.text(string.ascii_lowercase, min_size=1, max_size=5),
    st.none() | st.floats(allow_nan=False, allow_infinity=False),
    texts,
    st.dictionaries(texts, st.none() | texts | st.integers() | st.lists(texts)),
)


@given(st.lists(entries, unique_by=lambda entry: entry.key))
def test_any_text_comes_back(tmp_path_factory, given_entries):
    path = tmp_path_factory.mktemp("journal") / "j"
    written(path, given_entries)
    assert list(read_journal(path, "plan", read_entry).values()) == given_entries
