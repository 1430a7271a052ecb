"""False alarms on texts nobody wrote for us; the corpora are no part of the project: skipped without them."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from counsel_core.safety.reply import check_reply
from counsel_core.safety.risk import check_risk
from counsel_core.settings import PROJECT

CORPORA = PROJECT.parent / "shared" / "data"
COUNSEL_CHAT = CORPORA / "20220401_counsel_chat.csv"
CPSYCOUND = CORPORA / "cpsycound"
GOEMOTIONS = CORPORA / "goemotions" / "test.tsv"


def _present(path: Path) -> Path:
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return path


def _counsel_chat() -> list[dict[str, str]]:
    with _present(COUNSEL_CHAT).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_questions_about_everyday_topics_rarely_alarm() -> None:
    # Marriage, work, stress, sleep: topics whose questions speak of danger now and then only.
    everyday = {"marriage", "relationships", "intimacy", "workplace-relationships", "career-counseling"}
    everyday |= {
        "sleep-improvement",
        "social-relationships",
        "professional-ethics",
        "counseling-fundamentals",
    }
    rows = {row["questionID"]: row for row in _counsel_chat() if row["topic"] in everyday}
    texts = [f"{row['questionTitle']}. {row['questionText']}" for row in rows.values()]
    levels = [check_risk(text).level for text in texts]
    assert len(levels) > 200
    assert sum(level != "none" for level in levels) / len(levels) < 0.08
    assert sum(level == "imminent" for level in levels) <= 1


def test_questions_filed_under_danger_alarm_more_often_than_not() -> None:
    rows = {
        row["questionID"]: row
        for row in _counsel_chat()
        if row["topic"] in {"self-harm", "domestic-violence"}
    }
    levels = [check_risk(f"{row['questionTitle']}. {row['questionText']}").level for row in rows.values()]
    assert sum(level != "none" for level in levels) / len(levels) > 0.5


def test_therapists_answers_pass_the_reply_check() -> None:
    answers = [row["answerText"] for row in _counsel_chat() if row["answerText"].strip()][::4]
    found = [{finding.rule for finding in check_reply(answer)} for answer in answers]
    # Therapists are human and may say so; nothing else should be found in more than 1 % of their answers.
    assert sum(bool(rules - {"claims to be human"}) for rules in found) / len(found) < 0.01
    assert sum("claims to be human" in rules for rules in found) / len(found) < 0.10


def test_chinese_dialogues_rarely_alarm() -> None:
    said = re.compile(r"\s*(来访者|心理咨询师|咨询师)[:：]\s*(.+)")
    lines = [
        match.groups()
        for path in sorted(_present(CPSYCOUND).glob("case_*.txt"))
        for line in path.read_text("utf-8").splitlines()
        if (match := said.match(line))
    ]
    clients = [text for speaker, text in lines if speaker == "来访者"]
    counsellors = [text for speaker, text in lines if speaker != "来访者"]
    assert sum(check_risk(text).level != "none" for text in clients) / len(clients) < 0.03
    assert sum(bool(check_reply(text)) for text in counsellors) / len(counsellors) < 0.01


def test_everyday_comments_rarely_alarm() -> None:
    lines = _present(GOEMOTIONS).read_text("utf-8").splitlines()[:1500]
    levels = [check_risk(line.split("\t")[0]).level for line in lines]
    assert sum(level != "none" for level in levels) / len(levels) < 0.01
