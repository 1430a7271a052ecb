"""The risk check measured on the labelled set, and what must hold for any text."""

from __future__ import annotations

import csv
from collections import Counter
from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from counsel_core.records import RISK_LEVELS
from counsel_core.safety.patterns import SAFETY_DATA
from counsel_core.safety.risk import check_risk

LABELLED = SAFETY_DATA / "labelled_utterances.csv"

DANGER = [
    "I am going to kill myself tonight.",
    "I took a whole bottle of pills.",
    "I want to die.",
    "I cut myself again.",
    "My husband hits me when he drinks.",
    "My brother is going to hang himself.",
    "我今晚要自杀。",
    "我不想活了。",
    "我爸经常用皮带抽我。",
]
BENIGN = [
    "The rent went up again.",
    "My sister called on Sunday and we talked about her garden.",
    "I was only joking.",
    "Ten years ago I lived in Leeds.",
    "This homework is killing me.",
    "I saw a film about a detective.",
    "房租又涨了。",
    "我和姐姐吵架了。",
]


def level(text: str) -> str:
    return check_risk(text).level


def rank(name: str) -> int:
    return [*RISK_LEVELS].index(name)  # type: ignore[arg-type]


# ---- the labelled set ----------------------------------------------------------------------------------


def _outcomes(half: str, language: str | None = None) -> Counter[tuple[str, str]]:
    with LABELLED.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["half"] == half]
    chosen = [row for row in rows if language in {None, row["language"]}]
    return Counter((row["level"], level(row["text"])) for row in chosen)


def _share(outcomes: Counter[tuple[str, str]], label: str, *found: str) -> float:
    all_of_it = sum(n for (wanted, _), n in outcomes.items() if wanted == label)
    return sum(outcomes[label, one] for one in found) / all_of_it


def test_the_set_is_balanced_and_large_enough() -> None:
    for half in ("tune", "untouched"):
        for language in ("en", "zh"):
            counts = Counter[str]()
            for (wanted, _), n in _outcomes(half, language).items():
                counts[wanted] += n
            assert all(counts[name] >= 20 for name in RISK_LEVELS)
    assert sum((_outcomes("tune") + _outcomes("untouched")).values()) >= 300


@pytest.mark.parametrize("half", ["untouched", "tune"])
def test_harmless_lines_are_left_alone_and_concern_does_not_freeze(half: str) -> None:
    """What a check that only raises could lose unnoticed; the shares are the project's aims."""
    for language in (None, "en", "zh"):
        outcomes = _outcomes(half, language)
        assert _share(outcomes, "none", "none") >= 0.92
        assert _share(outcomes, "concern", "none", "concern") >= 0.85


def test_what_the_rules_were_written_for_stays_found() -> None:
    """The lines read while rules were written: floors a little below what was reached then."""
    outcomes = _outcomes("tune")
    assert _share(outcomes, "imminent", "concern", "imminent") >= 0.90
    assert _share(outcomes, "imminent", "imminent") >= 0.87
    assert _share(outcomes, "concern", "concern", "imminent") >= 0.83


# ---- any text ------------------------------------------------------------------------------------------


@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    risk = check_risk(text, previous=[text])
    assert risk.level in RISK_LEVELS
    assert bool(risk.evidence) == (risk.level != "none")
    assert all(phrase in text for phrase in risk.evidence)


@given(st.sampled_from(DANGER), st.data())
def test_spaces_and_invisible_characters_lower_nothing(text: str, data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=12))
    invisible = "".join(
        ("\u200b\u00ad" if place in places else "") + letter + ("  \n\t" if letter == " " else "")
        for place, letter in enumerate(text)
    )
    assert rank(level(invisible)) >= rank(level(text))
    assert rank(level(" ".join(text))) >= rank(level(text))  # every letter set apart


@given(
    st.sampled_from(DANGER),
    st.lists(st.sampled_from(BENIGN), max_size=4),
    st.lists(st.sampled_from(BENIGN), max_size=4),
)
def test_harmless_lines_around_a_danger_do_not_clear_it(
    text: str, before: list[str], after: list[str]
) -> None:
    assert level(" ".join([*before, text, *after])) != "none"


@example("I want to die.", "S")  # was read as "dies"
@given(st.sampled_from(DANGER), st.text(max_size=200))
def test_any_line_after_a_danger_does_not_clear_it(text: str, after: str) -> None:
    assert level(f"{text} {after}") != "none"


HOSTILE = [
    *("a", "he ", "i want to ", "k i l l ", "my best friend is ", "!a!b", "a*b*"),
    *("no plans or thoughts of ", "all of the whole bottle of ", "我要", "自*"),
]


@pytest.mark.parametrize("fragment", HOSTILE)
def test_a_long_hostile_text_takes_time_in_proportion(fragment: str) -> None:
    def seconds(length: int) -> float:
        text = (fragment * (length // len(fragment) + 1))[:length]
        start = process_time()
        check_risk(text)
        return process_time() - start

    # A quadratic expression would take hours at 100 kB if it took a tenth of this at 10 kB.
    assert seconds(10_000) < 2
    assert seconds(100_000) < 20


def test_an_ordinary_line_takes_little_time() -> None:
    line = "My sister called again last night and we argued about the rent; I couldn't sleep until three."
    check_risk(line)
    start = process_time()
    for _ in range(50):
        check_risk(line)
    # The goal is 2 ms; the bound leaves room for a slow machine under load.
    assert (process_time() - start) / 50 < 0.02
