"""What a run says of itself while it works, and the bar that shows it."""

from __future__ import annotations

import io
import sys

import pytest

from counsel_core.commands._long_work import Bar
from counsel_core.errors import RunError
from counsel_core.runs import progress
from counsel_core.runs.encoding import RankedOnce
from counsel_core.runs.folder import RunFolder, create_folder, hold, write_json
from counsel_core.runs.progress import Progress, Step, read_status


@pytest.fixture
def folder(tmp_path) -> RunFolder:
    made = RunFolder(tmp_path)
    create_folder(made.work)
    return made


def test_time_left_is_the_pace_since_the_step_began_times_what_is_left(folder, monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    heard = []
    with hold(folder), Progress(folder, [Step("Text metrics", 50, done=10)], heard.append) as said:
        said.begin("Text metrics")
        clock[0] += 5
        said.add("Text metrics", 10, 1)
        # ten results in 5 seconds, the ten of before do not count: half a second each, 30 are left
        assert heard[-1].seconds_left == 15.0
        assert (heard[-1].done, heard[-1].failed, heard[-1].total, heard[-1].share) == (20, 1, 50, 0.4)
        said.end("finished")
    assert (read_status(folder).state, read_status(folder).done) == ("finished", 20)


def test_it_gives_a_sign_of_life_while_nothing_lands(folder, monkeypatch):
    monkeypatch.setattr(progress, "_BEAT", 0.01)
    with hold(folder), Progress(folder, [Step("Judged metrics", 5)], lambda status: None) as said:
        said.begin("Judged metrics")
        first = read_status(folder).updated
        for _ in range(500):
            if read_status(folder).updated > first:
                break
            said._end.wait(0.01)
        assert read_status(folder).updated > first
        assert (read_status(folder).state, read_status(folder).current) == ("running", "Judged metrics")


def test_a_status_of_another_version_is_said(folder):
    write_json(folder.status, {"state": "running"})
    with pytest.raises(RunError, match="another version"):
        read_status(folder)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_on_a_terminal_and_nothing_elsewhere(monkeypatch):
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        monkeypatch.setattr(sys, "stderr", stream)
        with Bar() as bar:
            bar.show(0, 0)
            bar.show(500, 1000, 75.2, "Text metrics")
            bar.show(600, 1000, 60.0)  # within a tenth of a second: not drawn
            bar.show(1000, 1000)
    assert pipe.getvalue() == ""
    first, last = terminal.getvalue().removeprefix("\r").split("\r")
    assert first == f"[{'#' * 15}{'.' * 15}] 500 of 1,000 Text metrics, 1 min 15 s left"
    assert last.rstrip() == f"[{'#' * 30}] 1,000 of 1,000"
    assert last.endswith("\n")
    assert len(last) - 1 == len(first)  # what stood there before is written over


def test_emotions_of_a_text_are_ranked_once():
    class Model:
        name, labels, weights = "m", ("joy",), "w"

        def __init__(self) -> None:
            self.read: list[str] = []

        def rank(self, texts):
            self.read += texts
            return [[("joy", float(len(text)))] for text in texts]

    model = Model()
    once = RankedOnce(model)
    assert once.rank(["a", "bb", "a"]) == [[("joy", 1.0)], [("joy", 2.0)], [("joy", 1.0)]]
    assert once.rank(["bb", "ccc"]) == [[("joy", 2.0)], [("joy", 3.0)]]
    assert model.read == ["a", "bb", "ccc"]
    assert (once.name, once.labels, once.weights) == ("m", ("joy",), "w")
