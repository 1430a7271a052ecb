"""Runs and the cache: what was asked before is not asked again, and the results say so."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest

from counsel_core.cli import main
from counsel_core.datasets import read_dataset
from counsel_core.llm.cache import cache_file, cache_statistics, clear_cache
from counsel_core.llm.catalogue import save_model
from counsel_core.runs import runs
from counsel_core.runs.answering import answer_dataset, read_respondents
from counsel_core.runs.card_facts import measured_seconds
from counsel_core.runs.folder import RunFolder
from counsel_core.runs.plan import make_plan
from counsel_core.runs.worker import work
from tests.fakes import openai_server as fake
from tests.fakes_runs import dataset_of, wait_until

METRICS = ["--metrics", "agreeability,active_listening"]


@pytest.fixture
def server():
    with fake.OpenAIServer() as running:
        running.answers(fake.text('{"score": 7}', reasoning="It agrees.", tokens=(100, 10)))
        yield running


@pytest.fixture
def judge(server, settings) -> str:
    """A judge behind the scripted server, with prices."""
    prices = {"price_input": 2.0, "price_output": 10.0, "price_currency": "USD"}
    entry = {"name": "judge", "base_url": server.base_url, "model": "scripted"}
    save_model({**entry, "options": {"retries": 0, **prices}}, settings)
    return "judge"


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "question", "reference", "gpt"])
        rows.writerows(
            [[n, f"I feel sad, case {n}.", f"Rest, case {n}.", f"Be happy {n}."] for n in range(3)]
        )
    return path


def evaluate(file: Path, out: Path, *options: str) -> dict:
    assert main(["evaluate", str(file), "--out", str(out), "--judge", "judge", *METRICS, *options]) == 0
    return json.loads((out / "run.json").read_text())["judge"]


def calls_of(out: Path) -> list[dict]:
    lines = (out / "journal" / "results.jsonl").read_text().splitlines()[1:]
    return [call for line in lines for call in json.loads(line)["d"]["calls"]]


def test_a_run_that_is_repeated_makes_no_call_and_says_so(server, judge, file, tmp_path, capsys):
    facts = evaluate(file, tmp_path / "a")
    # 3 items x 2 sources x 2 metrics; 12 calls of 100 + 10 tokens at 2 and 10 a million
    assert len(server.log) == 12
    assert (facts["calls"], facts["cached"], facts["prompt_tokens"], facts["completion_tokens"]) == (
        12, 0, 1200, 120,
    )  # fmt: skip
    assert facts["cost"] == pytest.approx(1200 * 2e-6 + 120 * 10e-6)
    assert (facts["currency"], facts["tokens_estimated"]) == ("USD", False)
    assert "judge: 12 calls, about" in capsys.readouterr().err

    again = evaluate(file, tmp_path / "b")
    assert len(server.log) == 12
    assert (again["calls"], again["cached"], again["seconds"], again["cost"]) == (0, 12, 0.0, 0.0)
    (one, *_) = calls_of(tmp_path / "b")
    assert (one["cached"], one["seconds"], one["prompt_tokens"]) == (True, 0.0, 100)
    assert (one["text"], one["reasoning"]) == ('{"score": 7}', "It agrees.")
    assert not any(call["cached"] for call in calls_of(tmp_path / "a"))
    scores = [(tmp_path / name / "scores.parquet").read_bytes() for name in "ab"]
    assert scores[0] == scores[1]


def test_without_the_cache_everything_is_asked_anew(server, judge, file, tmp_path, settings):
    evaluate(file, tmp_path / "a", "--no-cache")
    assert not cache_file(settings).exists()
    evaluate(file, tmp_path / "b")
    evaluate(file, tmp_path / "c", "--no-cache")
    assert len(server.log) == 36
    plan = json.loads((tmp_path / "c" / "run.json").read_text())["plan"]
    assert plan["cache"] is False


def test_a_run_may_be_resumed_with_or_without_it(server, judge, file, tmp_path, settings):
    out = tmp_path / "a"
    evaluate(file, out, "--no-cache")
    lines = (out / "journal" / "results.jsonl").read_text().splitlines(keepends=True)
    (out / "journal" / "results.jsonl").write_text("".join(lines[:7]))  # six of twelve results are left
    evaluate(file, out, "--resume")
    assert len(server.log) == 18
    assert cache_statistics(settings).entries == 6


def test_the_repeats_of_a_judge_are_calls_of_their_own(server, judge, settings, tmp_path):
    ratings = iter([3, 5, 10, 1, 1, 1])
    server.answers_by(lambda body: fake.text(f'{{"score": {next(ratings)}}}'))
    data = dataset_of(("I feel sad.", {"gpt": "Be happy."}))
    plan = make_plan(data, app=settings, names=["agreeability"], judge="judge", settings={"repeats": 3})
    for name in "ab":
        folder = RunFolder(tmp_path / name)
        runs.prepare(folder, plan, data)
        assert work(folder, settings).state == "finished"
        (value,) = pd.read_parquet(folder.root / "scores.parquet")["value"]
        assert value == 6.0  # of 3, 5 and 10, in the repeated run too
    assert len(server.log) == 3


def test_a_judge_that_could_not_be_read_is_asked_anew_by_a_later_run(server, judge, file, tmp_path):
    server.answers(fake.text("I would rather not say."))
    facts = evaluate(file, tmp_path / "a")
    assert (facts["calls"], len(server.log)) == (36, 36)  # 12 ratings, three tries each
    server.answers(fake.text('{"score": 7}'))
    evaluate(file, tmp_path / "b")
    assert len(server.log) == 48
    assert set(pd.read_parquet(tmp_path / "b" / "scores.parquet")["value"]) == {7.0}


def test_a_worker_process_uses_it_too(server, judge, settings, file, tmp_path):
    evaluate(file, tmp_path / "a")
    data = read_dataset(file.name, file.read_bytes())
    plan = make_plan(data, app=settings, names=METRICS[1].split(","), judge="judge")
    run = runs.start(plan, data, settings)
    wait_until(lambda: not runs.status(run).at_work, 120)
    assert runs.status(run).state == "finished"
    assert len(server.log) == 12
    clear_cache(settings)
    run = runs.start(plan, data, settings)
    wait_until(lambda: not runs.status(run).at_work, 120)
    assert len(server.log) == 24


ASKED = dataset_of(*((f"I feel sad in year {n}.", {"reference": "r"}) for n in range(4)))


def test_answers_are_had_once_and_a_cached_one_measures_nothing(server, judge, settings, tmp_path):
    server.answers(fake.text("That sounds hard."))
    first = answer_dataset(ASKED, read_respondents(["judge"], []), settings, tmp_path / "a")
    second = answer_dataset(ASKED, read_respondents(["judge"], []), settings, tmp_path / "b")
    third = answer_dataset(ASKED, read_respondents(["judge"], []), settings, tmp_path / "c", use_cache=False)
    assert len(server.log) == 8
    assert [[reply.text for reply in one.replies] for one in (second, third)] == [
        ["That sounds hard."] * 4
    ] * 2
    assert [reply.calls[0]["cached"] for reply in second.replies] == [True] * 4
    assert (list(measured_seconds(first.replies)), measured_seconds(second.replies)) == (
        ["seconds an answer of judge"],
        {},
    )


def test_a_reply_that_must_not_be_shown_is_asked_for_anew_and_not_given_back_twice(
    server, judge, settings, tmp_path
):
    replies = iter(["You clearly have depression.", "That sounds hard."] * 4)
    server.answers_by(lambda body: fake.text(next(replies)))
    data = dataset_of(("I feel sad.", {"reference": "r"}))
    for name in "ab":
        answered = answer_dataset(data, read_respondents(["judge"], []), settings, tmp_path / name)
        assert [(reply.text, reply.blocked) for reply in answered.replies] == [("That sounds hard.", "")]
    assert len(server.log) == 2


def test_an_empty_answer_is_asked_for_again_on_resume(server, judge, settings, tmp_path):
    data = dataset_of(("I feel sad.", {"reference": "r"}))
    server.answers(fake.text(""))
    answered = answer_dataset(data, read_respondents(["judge"], []), settings, tmp_path / "a")
    assert len(answered.failed) == 1
    server.answers(fake.text("That sounds hard."))
    answered = answer_dataset(data, read_respondents(["judge"], []), settings, tmp_path / "a")
    assert [reply.text for reply in answered.replies] == ["That sounds hard."]


def test_the_commands_switch_for_answers(server, judge, file, tmp_path):
    server.answers(fake.text("That sounds hard."))
    for number, options in enumerate([[], [], ["--no-cache"]]):
        out = tmp_path / f"{number}.csv"
        assert main(["answer", str(file), "--models", "judge", "--out", str(out), *options]) == 0
    assert len(server.log) == 6


def test_a_damaged_cache_ends_a_run_in_words_and_nothing_is_lost(
    server, judge, file, tmp_path, settings, capsys
):
    cache_file(settings).parent.mkdir(parents=True)
    cache_file(settings).write_bytes(b"no database at all " * 100)
    arguments = ["evaluate", str(file), "--out", str(tmp_path / "a"), "--judge", "judge", *METRICS]
    assert main(arguments) == 2
    assert "it is damaged; clear it on the Models page" in capsys.readouterr().err
    assert server.log == []
    assert evaluate(file, tmp_path / "a", "--resume", "--no-cache")["calls"] == 12


def test_rules_alone_make_no_cache(settings, tmp_path):
    answer_dataset(ASKED, read_respondents(["guided"], []), settings, tmp_path / "a")
    assert not cache_file(settings).exists()
