import csv
import hashlib
import re
from collections import Counter
from pathlib import Path

import pytest

from counsel_core.datasets import read_dataset
from counsel_core.safety.reply import check_reply
from counsel_core.safety.risk import check_risk

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
QUESTIONS = SAMPLES / "sample_questions.csv"
ANSWERS = SAMPLES / "sample_answers.csv"
# The columns of the paper's Table 4.
TOPICS = {"Depression", "Relationships", "Anxiety", "Intimacy", "Parenting"}
with QUESTIONS.open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))


def sentences(text: str) -> list[str]:
    """Sentences as bare words: neither capitals nor quotation marks make two sentences differ."""
    parts = re.split(r"(?<=[.!?])[\"')\]]*\s+", text)
    return [" ".join(re.findall(r"[\w']+", part.lower())) for part in parts]


def test_the_sample_is_in_the_wide_format_with_nothing_empty():
    assert list(ROWS[0]) == ["id", "question", "topic", "reference"]
    assert [row["id"] for row in ROWS if not all((value or "").strip() for value in row.values())] == []


def test_there_are_sixty_questions_and_twelve_of_each_topic():
    assert len(ROWS) >= 60
    counts = Counter(row["topic"] for row in ROWS)
    assert set(counts) == TOPICS
    assert min(counts.values()) >= 12


@pytest.mark.parametrize("column", ["id", "question", "reference"])
def test_no_value_stands_twice(column: str):
    assert [value for value, n in Counter(row[column] for row in ROWS).items() if n > 1] == []


def test_no_sentence_is_used_twice_across_the_reference_answers():
    counts = Counter(sentence for row in ROWS for sentence in sentences(row["reference"]))
    assert len(counts) > 10 * len(ROWS)
    assert [sentence for sentence, n in counts.items() if n > 1] == []


def test_reference_answers_are_of_a_therapists_length():
    words = [len(row["reference"].split()) for row in ROWS]
    assert min(words) >= 110
    assert max(words) <= 260


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["id"])
def test_no_question_is_an_emergency_and_every_answer_passes_the_reply_check(row: dict[str, str]):
    assert check_risk(row["question"]).level != "imminent"
    assert check_reply(row["reference"]) == ()


def test_the_readme_is_about_this_very_file():
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(QUESTIONS.read_bytes()).hexdigest() in readme
    assert f"| {len(ROWS)} |" in readme
    assert "not by therapists" in readme


def test_the_answers_are_those_the_readme_tells_of_and_pass_the_reply_check():
    dataset = read_dataset("sample_answers.csv", ANSWERS.read_bytes())
    counts = Counter(answer.source for answer in dataset.answers if not answer.blocked)
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    row = r"^\| `([\w.-]+)` \|[^|]+\| (\d+)(?:, and one held back)? \| \d+, \d+, \d+ \|$"
    told = dict(re.findall(row, readme, re.MULTILINE))
    assert {source: str(n) for source, n in counts.items() if source != "reference"} == told
    assert len(told) == 4
    held_back = [(answer.item, answer.text) for answer in dataset.answers if answer.blocked]
    assert held_back == [("anxiety-08", "")]
    assert [
        (one.item, one.source) for one in dataset.answers if not one.blocked and check_reply(one.text)
    ] == []


def test_the_questions_and_references_of_both_files_are_the_same():
    with ANSWERS.open(encoding="utf-8", newline="") as file:
        answered = list(csv.DictReader(file))
    assert [{key: row[key] for key in ROWS[0]} for row in answered] == ROWS


@pytest.mark.parametrize("file", [QUESTIONS, ANSWERS], ids=lambda file: file.name)
def test_the_readme_has_the_checksum(file: Path):
    assert hashlib.sha256(file.read_bytes()).hexdigest() in (SAMPLES / "README.md").read_text(
        encoding="utf-8"
    )
