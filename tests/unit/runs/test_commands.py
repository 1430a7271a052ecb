"""`evaluate` and `answer` from the outside: files, exit codes, one line for what is refused."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from counsel_core.cli import main
from counsel_core.datasets import read_dataset
from counsel_core.llm.catalogue import save_model
from counsel_core.runs.folder import OUTPUTS
from counsel_core.settings import PROJECT
from tests.fakes_runs import TEXT_METRICS, many, wait_until

TEXT = ["--metrics", ",".join(TEXT_METRICS)]
COUNSEL_CHAT = PROJECT.parent / "shared" / "data" / "20220401_counsel_chat.csv"


@pytest.fixture
def wide(tmp_path) -> Path:
    file = tmp_path / "data.csv"
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "question", "reference", "topic", "gpt"])
        rows.writerow(["1", "I feel sad about my rent.", "Your rent is a good topic.", "money", "Be happy."])
        rows.writerow(["2", "My bad boss shouts.", "That is awful. Rest is nice.", "work", "Leave the boss."])
        rows.writerow(["3", "I sleep badly.", "A good walk helps.", "=1+1", "<script>alert(1)</script> nice"])
    return file


def evaluate(file: Path, out: Path, *options: str) -> int:
    return main(["evaluate", str(file), "--out", str(out), *options])


def test_evaluate_writes_every_file_with_the_columns_of_the_manual(wide, tmp_path, capsys):
    out = tmp_path / "out"
    assert evaluate(wide, out, *TEXT) == 0
    # 3 items × 2 sources × 4 metrics; no answer has more than 100 words: simplicity is missing 6 times
    assert capsys.readouterr().out == f"{out}: 18 scores, 6 missing with a reason, 0 failed\n"
    assert {path.name for path in out.iterdir()} >= set(OUTPUTS)
    columns = {
        "summary": ["source", "metric", "mean", "n", "ci_low", "ci_high"],
        "topic_summary": ["topic", "source", "metric", "mean", "n", "ci_low", "ci_high"],
        "correlations": ["source", "r", "p", "p_holm", "n"],
        "topics": ["topic", "source", "r", "p", "p_holm", "n"],
        "z_scores": ["source", "topic_1", "topic_2", "z", "p", "formula"],
    }
    for name, expected in columns.items():
        assert list(pd.read_csv(out / f"{name}.csv").columns)[: len(expected)] == expected
    scores = pd.read_parquet(out / "scores.parquet")
    assert list(scores.columns) == ["item", "topic", "source", "metric", "value", "reason", "position"]
    assert scores.value.isna().sum() == (scores.reason != "").sum() == 6
    assert set(pd.read_csv(out / "z_scores.csv").formula) <= {"paper", "standard"}


def test_proxies_and_what_stands_beside_a_metric_are_told(wide, tmp_path):
    out = tmp_path / "out"
    assert (
        evaluate(
            wide, out, "--preset", "standard", "--metrics", "agreeability_proxy,recycling,sentiment_change"
        )
        == 0
    )
    for name in (
        "correlations",
        "distances",
        "topics",
        "topic_distances",
        "z_scores",
        "model_cards",
        "contrasts",
    ):
        table = pd.read_csv(out / f"{name}.csv")
        assert set(table["proxies"]) <= {1}, name
    # Without the proxy itself there is none behind the number.
    without = pd.read_csv(out / "without_each.csv").fillna("").set_index("without")["proxies"]
    assert set(without.loc[["agreeability_proxy"]]) == {0}
    assert set(without.loc[[""]]) == {1}
    assert (out / "z_scores.csv").read_text().count("formula") == 1
    beside = pd.read_csv(out / "beside.csv")
    assert set(beside["measure"]) == {"Symmetric sentiment difference (−1 to 1)"}
    assert beside["n"].gt(0).all()


def test_a_missing_mean_says_why_its_scores_are_missing(wide, tmp_path):
    out = tmp_path / "out"
    assert evaluate(wide, out, "--metrics", "simplicity") == 0
    (reason,) = set(pd.read_csv(out / "summary.csv").query("source == 'reference'")["reason"])
    assert "words; more than 100 are needed" in reason


def test_two_emotion_models_are_compared_in_a_table_of_their_own(wide, tmp_path):
    out = tmp_path / "out"
    options = ["--metrics", "emotion_consistency", "--second-emotion-model", "embedded"]
    assert main(["evaluate", str(wide), "--out", str(out), *options]) == 0
    # The same model twice: the same values, the same rankings.
    table = pd.read_csv(out / "emotion_models.csv").set_index("source")
    assert (table["mean_first"] == table["mean_second"]).all()
    assert table["overlap"].to_list() == pytest.approx([1.0] * len(table))
    assert "Emotion consistency by two emotion models" in (out / "report.html").read_text()
    assert "second emotion model" in json.loads((out / "run.json").read_text())["plan"]["versions"]


def test_a_second_emotion_model_without_its_metric_is_refused(wide, tmp_path, capsys):
    options = ["--metrics", "recycling", "--second-emotion-model", "embedded"]
    assert main(["evaluate", str(wide), "--out", str(tmp_path / "out"), *options]) == 2
    assert "emotion consistency is not among the metrics" in capsys.readouterr().err


def test_a_file_without_models_is_valid_and_its_correlations_have_a_header_only(tmp_path):
    (tmp_path / "d.csv").write_text(
        "question,reference\nWhy am I sad?,It may pass.\nHow can I sleep?,Walk.\n"
    )
    assert evaluate(tmp_path / "d.csv", tmp_path / "out", *TEXT) == 0
    for name in ("correlations", "topics", "z_scores"):
        assert len((tmp_path / "out" / f"{name}.csv").read_text().splitlines()) == 1


def test_no_text_of_the_file_is_html_in_the_report_or_a_formula_in_a_table(wide, tmp_path):
    out = tmp_path / "out"
    assert evaluate(wide.rename(tmp_path / "<b>data.csv"), out, *TEXT) == 0
    report = (out / "report.html").read_text()
    assert "&lt;b&gt;data.csv" in report
    assert "<b>" not in report
    assert "http" not in report.replace("http://www.w3.org", "")  # self-contained: nothing is fetched
    assert "'=1+1" in (out / "topic_summary.csv").read_text()
    assert "=1+1" in set(pd.read_parquet(out / "scores.parquet").topic)


def test_what_is_there_is_neither_written_over_nor_mixed(wide, tmp_path, capsys):
    out = tmp_path / "out"
    assert evaluate(wide, out, *TEXT) == 0
    before = (out / "scores.parquet").read_bytes()
    assert evaluate(wide, out, *TEXT) == 2
    assert evaluate(wide, out, *TEXT, "--preset", "standard", "--resume") == 2
    wide.write_text(wide.read_text().replace("Be happy.", "Be glad."))
    assert evaluate(wide, out, *TEXT, "--resume") == 2
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 3
    assert all(line.startswith("error: ") for line in errors)
    assert "Give --resume" in errors[0]
    assert "preset: paper → standard" in errors[1]
    assert "the data set has changed" in errors[2]
    assert (out / "scores.parquet").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--metrics", "clarity"], "Choose one of: active_listening"),
        (["--metrics", "recycling,,"], "names with commas"),
        (["--metrics", "agreeability"], "agreeability_proxy"),
        (["--preset", "strict"], "paper, standard"),
        (["--judge", "guided"], "needs a language model"),
        (["--workers", "0"], "no number of workers"),
    ],
)
def test_what_is_refused_takes_one_line(wide, tmp_path, capsys, options, word):
    try:
        code = evaluate(wide, tmp_path / "out", *options)
    except SystemExit as ended:  # argparse ends by itself
        code = ended.code
    error = capsys.readouterr().err
    assert (code, error.count("\n"), error[:7]) == (2, 1, "error: ")
    assert word in error
    assert not (tmp_path / "out").exists()


def test_a_file_that_cannot_be_read_and_a_folder_that_cannot_be_made_are_refused(wide, tmp_path, capsys):
    assert evaluate(tmp_path / "none.csv", tmp_path / "out") == 2
    assert evaluate(wide, wide / "out", *TEXT) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "none.csv cannot be read: no such file" in first
    assert "cannot be written: not a directory" in second


def test_a_judge_that_does_not_answer_is_listed_and_exits_with_1(wide, tmp_path, capsys, settings):
    save_model(
        {
            "name": "away",
            "base_url": "http://127.0.0.1:9/v1",  # the discard port: nobody listens
            "model": "m",
            "options": {"retries": 0, "connect_seconds": 1},
        },
        settings,
    )
    options = ["--judge", "away", "--metrics", "recycling,agreeability"]
    assert evaluate(wide, tmp_path / "out", *options) == 1
    said = capsys.readouterr()
    assert "item 1, reference, agreeability failed: " in said.err
    assert "error: Stopped after 5 failures in a row" in said.err
    assert "6 scores" in said.out  # recycling is there: three items, two sources
    facts = json.loads((tmp_path / "out" / "run.json").read_text())
    assert not facts["complete"]
    assert facts["plan"]["judge_model"] == "m"


def test_killed_it_goes_on_with_resume(tmp_path):
    data = many(400)
    questions = {item.id: item.question for item in data.items}
    file = tmp_path / "data.csv"
    with file.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "question", "source", "answer"])
        rows.writerows([one.item, questions[one.item], one.source, one.text] for one in data.answers)
    command = [sys.executable, "-m", "counsel_core", "evaluate", str(file), *TEXT, "--workers", "1", "--out"]
    journal = tmp_path / "out" / "journal" / "results.jsonl"
    with subprocess.Popen([*command, str(tmp_path / "out")], cwd=PROJECT) as process:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 400, 120)
        os.kill(process.pid, signal.SIGKILL)
    assert not (tmp_path / "out" / "scores.parquet").exists()
    done = subprocess.run(
        [*command, str(tmp_path / "out"), "--resume"], cwd=PROJECT, capture_output=True, check=True
    )
    assert done.stderr == b""  # no bar where there is no terminal
    lines = journal.read_bytes().splitlines()
    keys = [(value["u"], value["m"]) for value in map(json.loads, lines[1:])]
    assert len(keys) == len(set(keys)) == 400 * 2 * 4
    subprocess.run([*command, str(tmp_path / "whole")], cwd=PROJECT, capture_output=True, check=True)
    one, other = (tmp_path / name / "scores.parquet" for name in ("out", "whole"))
    assert one.read_bytes() == other.read_bytes()


def test_ctrl_c_stops_in_order_and_says_how_to_go_on(tmp_path, wide):
    rows = "".join(
        f'{n},"I am sad about case {n}. It is bad.","{"A good day. " * 60}{n}"\n' for n in range(900)
    )
    file = tmp_path / "long.csv"
    file.write_text(f"id,question,reference\n{rows}")
    command = [sys.executable, "-m", "counsel_core", "evaluate", str(file), *TEXT, "--workers", "1"]
    command += ["--out", str(tmp_path / "out")]
    journal = tmp_path / "out" / "journal" / "results.jsonl"
    with subprocess.Popen(command, cwd=PROJECT, stderr=subprocess.PIPE, text=True) as process:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 1, 120)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error.startswith("stopped at ")
    assert error.endswith("add --resume to go on.\n")


def test_answer_writes_the_data_set_with_new_columns(wide, tmp_path, capsys):
    out = tmp_path / "answered.csv"
    command = ["answer", str(wide), "--models", "guided", "--agents", "cocoa", "--out", str(out)]
    assert main(command) == 0
    said = capsys.readouterr().out
    assert (
        said
        == f"{out}: 6 new answers, 0 of them blocked, 0 failed, 0 not asked; items without a question: 0\n"
    )
    answered = read_dataset(out.name, out.read_bytes())
    assert set(answered.sources) == {"reference", "gpt", "guided", "cocoa"}
    before = out.read_bytes()
    assert main(command) == 2
    assert "Add --resume" in capsys.readouterr().err
    assert main([*command, "--resume"]) == 0
    assert out.read_bytes() == before
    assert main([*command[:4], "--resume", "--out", str(out), "--agents", "sudosys"]) == 2
    assert "another plan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ([], "Nobody was named"),
        (["--models", "nobody"], "Choose one of: guided"),
        (["--agents", "nobody"], "Choose one of: cocoa"),
        (["--models", ","], "names with commas"),
    ],
)
def test_answer_refuses_with_one_line(wide, tmp_path, capsys, options, word):
    assert main(["answer", str(wide), *options, "--out", str(tmp_path / "a.csv")]) == 2
    error = capsys.readouterr().err
    assert (error.count("\n"), word in error) == (1, True)
    assert not (tmp_path / "a.csv").exists()


def test_answer_writes_over_nothing_it_did_not_make(wide, tmp_path, capsys):
    other = tmp_path / "other.csv"
    other.write_text("mine")
    command = ["answer", str(wide), "--models", "guided", "--out"]
    assert main([*command, str(other), "--resume"]) == 2
    assert main([*command, str(tmp_path)]) == 2
    assert main([*command, str(tmp_path / "none" / "a.csv")]) == 2
    made, folder, absent = capsys.readouterr().err.splitlines()
    assert "was not made by this command" in made
    assert "that is a folder" in folder
    assert "there is no folder" in absent
    assert other.read_text() == "mine"


@pytest.mark.skipif(not COUNSEL_CHAT.exists(), reason="Counsel Chat is not here (see data/README.md)")
def test_counsel_chat_gives_the_published_reference_row(tmp_path):
    assert evaluate(COUNSEL_CHAT, tmp_path / "out", *TEXT) == 0
    summary = pd.read_csv(tmp_path / "out" / "summary.csv").set_index(["source", "metric"])
    # Table 2 of the evaluation paper, row GS; n as counted in the file (of 935 gold answers)
    printed = {
        "sentiment_change": (0.7017, 861),
        "intra_sentiment": (0.5003, 935),
        "simplicity": (86.8240, 702),
        "recycling": (0.0725, 861),
    }
    for metric, (mean, n) in printed.items():
        row = summary.loc["reference", metric]
        assert (round(row["mean"], 4), row["n"]) == (mean, n)
    data = read_dataset(COUNSEL_CHAT.name, COUNSEL_CHAT.read_bytes())
    topics = set(pd.read_csv(tmp_path / "out" / "topic_summary.csv", keep_default_na=False).topic)
    assert topics == {item.topic for item in data.items if item.topic}
