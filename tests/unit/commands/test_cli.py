"""The command line as a shell sees it: its output, its exit codes, its one line of refusal."""

from __future__ import annotations

import io
import json
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from counsel_core.cli import main
from counsel_core.conversation import retry_turn
from counsel_core.errors import DataFileError
from counsel_core.llm.catalogue import open_model, save_model
from counsel_core.records import RISK_LEVELS
from counsel_core.settings import PROJECT, Settings
from counsel_core.storage.database import open_database
from counsel_core.storage.sessions import list_sessions, load_turns
from tests.fakes.openai_server import OpenAIServer, drop, hang, status, text

CLIENT = "I am behind on the rent.", "My sister and I argue about it.", "I sleep badly."


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    def run(*arguments: str, lines: str | bytes = "") -> tuple[int, str, str]:
        raw = lines if isinstance(lines, bytes) else lines.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        try:
            code = main(arguments)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


def _refused(code: int, out: str, err: str) -> bool:
    return code == 2 and out == "" and err.startswith("error: ") and err.count("\n") == 1


def test_chat_prints_a_json_line_a_turn(shell: Any) -> None:
    code, out, _ = shell("chat", "--agent", "sudosys", "--json", lines="\n".join(CLIENT))
    turns = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [turn["turn"] for turn in turns] == [1, 2, 3]
    assert [turn["client"] for turn in turns] == list(CLIENT)
    for turn in turns:
        assert set(turn) == {"turn", "client", "reply", "agent", "risk", "seconds", "state"}
        assert turn["agent"] == "sudosys"
        assert turn["risk"] == {"level": "none", "evidence": []}
        assert set(turn["state"]["stage"]) == {"number", "name", "status", "complete"}
        assert turn["state"]["stage"]["number"] in range(1, 8)
        assert turn["state"]["stage"]["status"] in (-1, 0, 1)
    assert "rent" in turns[0]["state"]["topics"]["1"]["problems"]


def test_chat_cocoa_shows_memory_scores_and_target(shell: Any) -> None:
    lines = "I missed a call today.\nI always ruin everything, I never do it right.\nI am a total loser."
    code, out, _ = shell("chat", "--agent", "cocoa", "--json", lines=lines)
    states = [json.loads(line)["state"] for line in out.splitlines()]
    assert code == 0
    keys = {"insights", "distortions", "scores", "target", "technique", "technique_stage"}
    assert all(set(state) == keys for state in states)
    last = states[-1]
    assert last["distortions"]
    for row in last["scores"]:  # all weights are 1, so that the components add up to the total
        assert row["total"] == pytest.approx(row["recency"] + row["frequency"] + row["severity"])
    assert last["target"] == max(last["scores"], key=lambda row: row["total"])["type"]


def test_chat_freezes_on_imminent_risk_and_goes_on_answering(shell: Any) -> None:
    lines = "I sleep badly.\nI have the pills here and I am going to take them all tonight.\nAre you there?"
    code, out, _ = shell("chat", "--agent", "sudosys", "--json", lines=lines)
    turns = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [turn["risk"]["level"] for turn in turns] == ["none", "imminent", "none"]
    assert turns[1]["state"]["topics"] == turns[0]["state"]["topics"]
    assert "emergency" in turns[1]["reply"]
    assert "emergency" in turns[2]["reply"]
    assert turns[1]["reply"] != turns[2]["reply"]


def test_chat_takes_settings_and_refuses_unknown_ones_with_the_list(shell: Any) -> None:
    assert shell("chat", "--agent", "sudosys", "--set", "history_turns=0", lines="Hi there.")[0] == 0
    code, out, err = shell("chat", "--agent", "sudosys", "--set", "history=0", lines="Hi.")
    assert _refused(code, out, err)
    assert "history_turns" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("chat", "--agent", "freud", "--json"), "sudosys"),
        (("chat", "--agent", "sudosys", "--model", "no-such-model"), "guided"),
        (("chat", "--agent", "sudosys", "--protocol", "no_such_protocol"), "pm_plus_en"),
        (("chat", "--agent", "sudosys", "--set", "history_turns"), "KEY=VALUE"),
        (("chat", "--agent", "sudosys", "--set", "history_turns=-1"), "history_turns"),
        (("chat", "--agent", "sudosys", "--language", "fr"), "zh"),
        (("unpack", "--keys", " , "), "--keys is empty"),
        (("export", "0123456789abcdef", "--format", "md"), "0123456789abcdef"),
        (("export", "../../etc/passwd", "--format", "md"), "passwd"),
        (("no-such-command",), "no-such-command"),
        ((), "COMMAND"),
    ],
)
def test_refusals_are_one_line_that_says_what_to_do(
    shell: Any, arguments: tuple[str, ...], said: str
) -> None:
    code, out, err = shell(*arguments, lines="Hello.\n")
    assert _refused(code, out, err)
    assert said in err


def test_chinese_without_a_language_model_fails_by_name(shell: Any) -> None:
    code, out, err = shell("chat", "--agent", "sudosys", "--language", "zh", "--json", lines="我睡不好。")
    assert code == 1
    assert "language model" in err
    assert not any("reply" in json.loads(line) for line in out.splitlines())


def _with_server(settings: Settings, server: OpenAIServer) -> None:
    save_model(
        {"name": "near", "base_url": server.base_url, "model": "m", "options": {"retries": 0}}, settings
    )


def test_a_failed_line_is_listed_and_the_conversation_goes_on(shell: Any, settings: Settings) -> None:
    lines = "My rent went up.\n\nMy sister shouts.\nI sleep badly.\n"
    with OpenAIServer() as server:
        _with_server(settings, server)
        server.answers(text("One."), status(500), text("Three."))
        code, out, err = shell("chat", "--agent", "plain", "--model", "near", "--json", lines=lines)
    first, failed, third = (json.loads(line) for line in out.splitlines())
    assert code == 1
    assert (first["turn"], first["reply"], third["turn"], third["reply"]) == (1, "One.", 2, "Three.")
    assert set(failed) == {"turn", "line", "client", "error"}
    assert (failed["turn"], failed["line"], failed["client"]) == (2, 3, "My sister shouts.")
    assert "answered 500" in failed["error"]
    assert err.splitlines()[1:] == [f"line 3 failed: {failed['error']}"]


def test_a_last_line_that_failed_is_kept_and_can_be_retried(shell: Any, settings: Settings) -> None:
    with OpenAIServer() as server:
        _with_server(settings, server)
        server.answers(drop())
        code, _, err = shell("chat", "--agent", "plain", "--model", "near", lines="Hello.\nMy rent went up.")
    assert code == 1
    assert "line 1 failed" in err
    with open_database(settings.database_url) as db:
        (session,) = list_sessions(db)
        (turn,) = load_turns(db, session.id)
        assert (turn.number, turn.status, turn.client) == (1, "failed", "My rent went up.")
        assert retry_turn(db, open_model("guided", settings), session.id).status == "answered"


@pytest.mark.parametrize("command", ["chat --agent cocoa --model near", "detect-distortion --model near"])
def test_ctrl_c_ends_at_once_and_keeps_the_line(settings: Settings, command: str) -> None:
    with OpenAIServer() as server:
        _with_server(settings, server)
        server.answers(hang())
        process = subprocess.Popen(
            [sys.executable, "-m", "counsel_core", *command.split()],
            cwd=PROJECT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # Where the tests run in the background the signal is ignored, and a child would inherit that.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )
        assert process.stdin
        process.stdin.write(b"I always fail.\n")
        process.stdin.flush()
        while not server.log:
            time.sleep(0.02)
        interrupted = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert time.monotonic() - interrupted < 10
    assert process.returncode == 130
    assert b"Traceback" not in err
    with open_database(settings.database_url) as db:
        for session in list_sessions(db):
            (turn,) = load_turns(db, session.id)
            assert (turn.status, turn.client) == ("failed", "I always fail.")


def test_a_data_file_that_is_wrong_at_the_start_is_one_line(shell: Any, monkeypatch: Any) -> None:
    def broken() -> Any:
        raise DataFileError("texts_en.toml", "it is not valid TOML", line=3)

    monkeypatch.setattr("counsel_core.cli.commands", broken)
    assert shell("check-risk", lines="Hi.") == (2, "", "error: texts_en.toml, line 3: it is not valid TOML\n")


def test_nothing_at_all_on_standard_input_is_no_conversation(shell: Any, monkeypatch: Any) -> None:
    assert shell("check-risk")[:2] == (0, "")
    monkeypatch.setattr(sys, "stdin", None)  # as with `<&-`
    assert main(["check-risk"]) == 0


def test_an_output_that_cannot_be_written_is_one_line(settings: Settings) -> None:
    for command in ("check-risk", "chat --agent plain --json", "doctor"):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "counsel_core", *command.split()],
                cwd=PROJECT,
                input=b"Hello there.\n",
                stdout=full,
                stderr=subprocess.PIPE,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr.decode().splitlines()[-1] == (
            "error: Standard output cannot be written: no space left on device. Send it elsewhere."
        )


def test_progress_that_nobody_can_read_does_not_get_into_the_output(settings: Settings) -> None:
    for nowhere in ("2>&-", "2>/dev/full"):
        command = f"{sys.executable} -m counsel_core chat --agent plain --json {nowhere}"
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=PROJECT,
            input=b"Hello there.\n",
            stdout=subprocess.PIPE,
            check=False,
        )
        assert done.returncode == 0
        assert json.loads(done.stdout)["turn"] == 1


def test_a_page_long_line_is_refused_by_its_length_alone(shell: Any) -> None:
    code, out, err = shell("detect-distortion", lines="I am a loser.\n" + "I am a loser. " * 1000)
    assert code == 1
    assert json.loads(out.splitlines()[0])["type"] == "Labeling"
    assert "line 2 failed: The utterance has 13,999 characters; at most 8,000" in err


@pytest.mark.parametrize("lines", [b"", b" \n\n", b"\xff\xfe\n", b"\x00\n", b"a" * 8001], ids=repr)
def test_a_chat_in_which_nothing_was_said_leaves_no_session(
    shell: Any, settings: Settings, lines: bytes
) -> None:
    code, out, err = shell("chat", "--agent", "plain", "--json", lines=lines)
    if b"\xff" in lines:
        assert _refused(code, out, err)
        assert "line 1: byte 1 is not UTF-8" in err
    else:
        assert code == int(bool(lines.strip()))
    with open_database(settings.database_url) as db:
        assert list_sessions(db) == []


def test_a_chat_that_ends_in_bytes_of_no_text_keeps_what_was_said(shell: Any, settings: Settings) -> None:
    code, out, err = shell("chat", "--agent", "plain", "--json", lines=b"My rent went up.\n\xff\n")
    assert code == 2
    assert [json.loads(line)["turn"] for line in out.splitlines()] == [1]
    assert err.splitlines()[1:] == [
        "error: standard input, line 2: byte 1 is not UTF-8; save the input as UTF-8."
    ]
    with open_database(settings.database_url) as db:
        assert [session.turn_count for session in list_sessions(db)] == [1]


def test_an_overlong_line_is_not_passed_off_as_checked(shell: Any) -> None:
    lines = "I want to kill myself tonight.\n" + "a b " * 250_000 + "I want to kill myself.\nHello.\n"
    code, out, err = shell("check-risk", lines=lines)
    first, failed, last = (json.loads(line) for line in out.splitlines())
    assert code == 1
    assert (first["level"], last["level"]) == ("imminent", "none")
    assert set(failed) == {"error"}
    assert err == f"line 2 failed: {failed['error']}\n"
    assert "1,000,022 characters; at most 8,000" in err


@pytest.mark.parametrize(
    "command", ["chat --agent plain", "check-risk", "detect-distortion", "unpack --keys a"]
)
def test_a_line_without_an_end_is_refused_before_it_fills_the_memory(
    settings: Settings, command: str
) -> None:
    with Path("/dev/zero").open("rb") as endless:
        done = subprocess.run(
            [sys.executable, "-m", "counsel_core", *command.split()],
            cwd=PROJECT,
            stdin=endless,
            capture_output=True,
            check=False,
            timeout=30,
        )
    assert done.returncode == 2
    assert done.stderr == b"error: standard input, line 1: it is longer than 4,000,000 bytes; split it.\n"


def test_input_that_is_not_utf_8_is_refused_by_line(shell: Any) -> None:
    code, _, err = shell("check-risk", lines=b"fine\n\xff\xfe\n")
    assert code == 2
    assert "line 2" in err


def test_check_risk_prints_level_and_evidence(shell: Any) -> None:
    code, out, _ = shell("check-risk", lines="This homework is killing me.\nI want to kill myself tonight.\n")
    rows = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert rows[0] == {"level": "none", "evidence": []}
    assert rows[1]["level"] == RISK_LEVELS[-1]
    assert rows[1]["evidence"]


def test_unpack_prints_topics_or_the_error(shell: Any) -> None:
    good = 'Sure!\n```json\n{"topics": {"Problems": "can\'t pay"}, "status": "+1", "reply": "I see."}\n```'
    lines = "\n".join(json.dumps(raw) for raw in (good, "<html>502</html>"))
    code, out, _ = shell("unpack", "--keys", "problems,feelings", lines=lines)
    first, second = (json.loads(line) for line in out.splitlines())
    assert code == 0
    assert first["ok"] is True
    assert first["topics"] == {"problems": "can't pay"}
    assert (first["status"], first["reply"]) == (1, "I see.")
    assert second["ok"] is False
    assert second["error"]


def test_unpack_refuses_a_line_that_is_no_json_string(shell: Any) -> None:
    for line in ("not json", '{"reply": "an object, not a string"}', "[" * 100_000, "1" * 5000):
        code, out, err = shell("unpack", "--keys", "problems", lines=f"\n{line}")
        assert _refused(code, out, err)
        assert "line 2 is" in err


def test_half_a_surrogate_pair_is_written_as_json_writes_it(settings: Settings) -> None:
    raw = json.dumps(json.dumps({"reply": ["\ud83d"]}))
    done = subprocess.run(
        [sys.executable, "-m", "counsel_core", "unpack", "--keys", "problems"],
        cwd=PROJECT,
        input=raw.encode(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout)["error"] == '"reply" has to be a text; it is ["\ud83d"].'


def test_detect_distortion_prints_type_severity_and_ranking(shell: Any) -> None:
    code, out, _ = shell("detect-distortion", lines="I am a complete loser.\nI took the bus to work.\n")
    distorted, plain = (json.loads(line) for line in out.splitlines())
    assert code == 0
    assert distorted["type"] == "Labeling"
    assert distorted["severity"] in range(1, 6)
    assert plain["type"] is None
    assert plain["severity"] is None
    for row in (distorted, plain):
        scores = [score for _, score in row["ranking"]]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)


def test_an_export_is_taken_in_again(shell: Any, tmp_path: Path) -> None:
    _, _, err = shell("chat", "--agent", "plain", lines="I am behind on the rent.")
    code, out, _ = shell("export", err.split()[1], "--format", "json")
    file = tmp_path / "session.json"
    file.write_text(out, encoding="utf-8")
    code, out, _ = shell("import", str(file))
    found = json.loads(out)
    assert (code, found["turns"], found["frozen"]) == (0, 1, False)
    assert shell("export", found["session"], "--format", "md")[0] == 0
    code, out, err = shell("import", str(tmp_path / "none.json"))
    assert (code, out) == (2, "")
    assert "No such file" in err


def test_a_session_is_exported_in_each_format(shell: Any) -> None:
    _, _, err = shell("chat", "--agent", "plain", lines="I am behind on the rent.")
    session = err.split()[1]
    for form, begins in (("json", "{"), ("md", "#"), ("html", "<!")):
        code, out, _ = shell("export", session, "--format", form)
        assert code == 0
        assert out.lstrip().lower().startswith(begins)
        assert "behind on the rent" in out


def test_the_risk_check_is_measured_on_lines_of_ones_own(shell: Any, tmp_path: Path) -> None:
    file = tmp_path / "lines.csv"
    rows = ["half,language,level,category,feature,text", "x,en,none,everyday,plain,The rent went up again."]
    rows.append("x,en,imminent,suicide,plain,I am going to kill myself tonight.")
    rows.append("x,en,concern,suicide,plain,The bus was late.")
    file.write_text("\n".join(rows), encoding="utf-8")
    code, out, _ = shell("evaluate-safety", str(file), "--json", "--misses")
    rules, both = map(json.loads, out.splitlines())
    assert code == 0
    assert rules["check"] == "rules alone"
    for told in (rules, both):
        counts = {key: (one["count"], one["n"]) for key, one in told["shares"]["all"].items()}
        assert counts["imminent_as_imminent"] == counts["none_kept"] == (1, 1)
        assert counts["concern_raised"] == (0, 1)
        assert told["misses"] == [["concern", "none", "The bus was late."]]
    code, out, _ = shell("evaluate-safety", str(file))
    assert "NOT met" in out
    assert "µs an utterance" in out
    code, _, err = shell("evaluate-safety", str(tmp_path / "none.csv"))
    assert (code, "cannot be read" in err) == (2, True)


def test_sessions_unused_for_long_are_purged(shell: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shell("chat", "--agent", "plain", lines="I am behind on the rent.")
    code, out, _ = shell("purge", "--days", "1")
    assert (code, out) == (0, "")  # used today
    code, _, err = shell("purge")
    assert (code, "give the number of days" in err) == (2, True)
    monkeypatch.setenv("COUNSEL_RETENTION_DAYS", "30")
    assert shell("purge", "--dry-run")[:2] == (0, "")


def test_doctor_names_what_is_there(shell: Any) -> None:
    code, out, _ = shell("doctor", "--json")
    rows = {row["subject"]: row for row in map(json.loads, out.splitlines())}
    assert code in (0, 1)
    assert rows["Python"]["state"] == "ok"
    assert rows["model guided"]["state"] == "ok"
    assert rows["database"]["state"] == "ok"
    assert "package torch" in rows


def test_doctor_tries_whether_the_database_can_be_written(shell: Any, settings: Settings) -> None:
    with open_database(settings.database_url) as db, sqlite3.connect(db.file, isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        code, out, _ = shell("doctor", "--json")
        other.execute("ROLLBACK")
    other.close()
    rows = {row["subject"]: row for row in map(json.loads, out.splitlines())}
    assert code == 1
    assert rows["database"]["state"] == "missing"
    assert "locked by another program" in rows["database"]["remedy"]


def test_doctor_does_not_show_the_password_of_a_wrong_database(shell: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("COUNSEL_DATABASE_URL", "postgresql://me:marked-secret@host/db?password=marked-secret")
    code, out, err = shell("doctor")
    assert code == 1
    assert "marked-secret" not in out + err


def test_doctor_reports_a_broken_models_file(shell: Any, tmp_path: Path) -> None:
    file = tmp_path / "user_data" / "models.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("[[model]\nname = 3")
    code, out, _ = shell("doctor", "--json")
    assert code == 1
    assert any("models.toml" in json.loads(line)["remedy"] for line in out.splitlines())
