"""Disguises are undone, and every character still knows where it came from."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.safety.normalise import normalise
from counsel_core.safety.spelling import load_spelling

PLAIN = "i am going to kill myself"


@pytest.mark.parametrize(
    "disguised",
    [
        "I'm going to kill myself",
        "I’m going to kill myself",
        "IM GONNA KILL MYSELF",
        "I am going to   kill\n\tmyself",
        "I am going to ki\u200bll my\u00adself",
        "i am going to k i l l m y s e l f",
        "I.a.m.g.o.i.n.g.t.o.k.i.l.l.m.y.s.e.l.f",
        "im gonna k1ll mys3lf",
        "im gonna k!ll my$elf",
        "im gonna killlllll myseeelf",
        "im gonna kil my self",
        "im gonna ki ll mys elf",
        "im gonna k*ll mys*lf",
        "im gonna killmyself",
        "im gonna kill myslef",
        "im gonna kms",
        "ｉ ａｍ ｇｏｉｎｇ ｔｏ ｋｉｌｌ ｍｙｓｅｌｆ",
        "I am going to 𝐤𝐢𝐥𝐥 myself",
        "I am going to кill mуself",  # Cyrillic к and у
        "I am going to k\u0301ill m\u0308yself",
    ],
)
def test_disguises_of_one_sentence(disguised: str) -> None:
    assert normalise(disguised).text == PLAIN


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("我想 自 杀", "我想自杀"),
        ("我想自*杀", "我想自杀"),
        ("我想自殺，開瓦斯", "我想自杀,开瓦斯"),  # NFKD writes the full-width comma as an ASCII one
        ("我要自sha", "我要自 sha"),
        ("I hate this!I want out", "i hate this!i want out"),
        ("I am n0t suic1dal", "i am not suicidal"),
        ("I ran 5 kms", "i ran 5 kms"),
        ("He shot me a look", "he shot me a look"),
        ("my nose is cold", "my nose is cold"),
        ("We were at 401 k street at 5:30", "we were at 401 k street at 5:30"),
        ("a strange goodbye", "a strange goodbye"),
    ],
)
def test_readings(written: str, read: str) -> None:
    assert normalise(written).text == read


def test_evidence_is_what_was_written() -> None:
    written = "Today I’m gonna k1ll  m y s e l f."
    plain = normalise(written)
    start = plain.text.index("kill")
    assert plain.original(start, start + len("kill myself")) == "k1ll  m y s e l f"


@given(st.text())
def test_places_are_in_order_and_inside_the_source(text: str) -> None:
    plain = normalise(text)
    assert len(plain.starts) == len(plain.ends) == len(plain.text)
    assert list(plain.starts) == sorted(plain.starts)
    assert all(0 <= start <= end <= len(text) for start, end in zip(plain.starts, plain.ends, strict=True))
    assert plain.original(0, len(plain.text)) in text


@given(st.text(max_size=80), st.integers(0, 80), st.sampled_from("\u200b\u200c\u200d\u2060\ufeff\u00ad"))
def test_an_invisible_character_changes_nothing(text: str, place: int, invisible: str) -> None:
    with_it = text[:place] + invisible + text[place:]
    assert normalise(with_it).text == normalise(text).text


def test_ordinary_words_are_not_in_the_way() -> None:
    spelling = load_spelling()
    # Words one letter or one repeat away from a risky one, which mean something else.
    for word in ("bled", "rapped", "nose", "overdone", "strange", "willing", "filling", "like", "sh*t"):
        assert spelling.respell(word) == word
