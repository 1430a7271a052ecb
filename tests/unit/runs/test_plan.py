"""Plans: what a run depends on, and what is refused before it begins."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest

from counsel_core.errors import (
    InputError,
    LocalOnlyError,
    MissingKeyError,
    RunError,
    UnknownNameError,
)
from counsel_core.llm.catalogue import save_model, set_local_only
from counsel_core.metrics import metrics
from counsel_core.records import REFERENCE
from counsel_core.runs.plan import Plan, differences, make_plan, read_plan
from counsel_core.settings import read_settings
from tests.fakes_runs import TEXT_METRICS

HOSTED = {
    "name": "hosted",
    "base_url": "https://models.example.org/v1",
    "model": "big-1",
    "key_variable": "EXAMPLE_KEY",
}


def test_without_a_judge_the_proxies_stand_in_and_with_one_they_do_not(small, settings):
    assert set(make_plan(small, app=settings).metrics) == {
        name for name, metric in metrics().items() if metric.work != "judge"
    }
    save_model({**HOSTED, "base_url": "http://127.0.0.1:9/v1", "key_variable": ""}, settings)
    judged = make_plan(small, app=settings, judge="hosted")
    assert set(judged.metrics) == {name for name, metric in metrics().items() if not metric.proxy_of}
    assert (judged.judge, judged.judge_model) == ("hosted", "big-1")


def test_the_order_in_which_metrics_are_named_does_not_count(small, settings):
    one, other = (make_plan(small, app=settings, names=names) for names in (TEXT_METRICS, TEXT_METRICS[::-1]))
    assert one == other


def test_an_emotion_model_is_recorded_with_its_weights(small, settings):
    plan = make_plan(small, app=settings, names=["emotion_consistency"])
    assert plan.emotion_model == "embedded"
    assert "sha256:" in plan.emotion_weights


@pytest.mark.parametrize(
    ("given", "error", "word"),
    [
        ({"preset": "strict"}, UnknownNameError, "Choose one of: paper, standard"),
        ({"names": ["readability"]}, UnknownNameError, "simplicity"),
        ({"names": []}, UnknownNameError, "metric"),
        ({"names": ["agreeability"]}, InputError, "agreeability_proxy"),
        ({"judge": "guided"}, InputError, "judging needs a language model"),
        ({"judge": "nobody"}, UnknownNameError, "guided"),
        ({"settings": {"rbo": 0.9}}, UnknownNameError, "rbo_p"),
        ({"sources": ["claude"]}, UnknownNameError, REFERENCE),
    ],
)
def test_what_cannot_be_is_refused_with_the_choices(small, settings, given, error, word):
    with pytest.raises(error, match=word):
        make_plan(small, app=settings, **given)


def test_a_hosted_judge_is_refused_while_local_only_and_without_its_key(small, settings):
    save_model(HOSTED, settings)
    with pytest.raises(LocalOnlyError):
        make_plan(small, app=settings, judge="hosted")
    set_local_only(False, settings)
    with pytest.raises(MissingKeyError):
        make_plan(small, app=settings, judge="hosted")


def test_a_key_is_no_part_of_a_plan(small, settings, monkeypatch):
    monkeypatch.setenv("EXAMPLE_KEY", "sk-very-secret")
    save_model(HOSTED, settings)
    set_local_only(False, settings)
    plan = make_plan(small, app=read_settings(), judge="hosted")
    assert "sk-very-secret" not in json.dumps(plan.as_json())


def test_a_plan_comes_back_from_json_and_what_its_results_depend_on_counts(small, settings):
    plan = make_plan(small, app=settings, names=TEXT_METRICS)
    assert read_plan(json.loads(json.dumps(plan.as_json()))) == plan
    other = {
        "sources": ("gpt",),
        "metrics": ("recycling",),
        "settings": {"rbo_p": 0.8},
        "versions": {"textblob": "0"},
        "seed": 7,
    }
    for field in fields(Plan):
        changed = replace(plan, **{field.name: other.get(field.name, "another")})
        beside = field.name in ("dataset_name", "cache")
        assert (changed.digest == plan.digest) == beside, field.name
        assert bool(differences(plan, changed)) != beside, field.name


def test_another_reading_of_the_same_file_is_another_data_set(small, settings):
    plan = make_plan(small, app=settings, names=TEXT_METRICS)
    reread = make_plan(replace(small, answers=small.answers[:-1]), app=settings, names=TEXT_METRICS)
    assert differences(plan, reread) == ["the data set has changed"]


def test_edited_fluff_words_are_another_plan(small, settings, tmp_path, monkeypatch):
    plan = make_plan(small, app=settings, names=["recycling"])
    edited = tmp_path / "fluff_words.txt"
    edited.write_text("the\n", encoding="utf-8")
    monkeypatch.setattr("counsel_core.runs.plan.FLUFF_FILE", edited)
    assert make_plan(small, app=settings, names=["recycling"]).digest != plan.digest


@pytest.mark.parametrize("value", [None, [], {}, {"sources": [], "metrics": []}])
def test_what_is_no_plan_is_refused(value):
    with pytest.raises(RunError, match="cannot be read"):
        read_plan(value)
