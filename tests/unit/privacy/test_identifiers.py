"""What tells who somebody is: found by pattern and check digit, or because it was named."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counsel_core.privacy.identifiers import find_identifiers, is_card_number, is_chinese_id, read_words


def kinds(text: str, *words: str) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in find_identifiers(text, words)]


@pytest.mark.parametrize(
    ("text", "kind", "found"),
    [
        # Numbers reserved for fiction (Ofcom, NANPA), or examples of their form.
        ("Write to ann.lee+x@mail.example.co.uk now", "EMAIL", "ann.lee+x@mail.example.co.uk"),
        ("Ring 020 7946 0958.", "PHONE", "020 7946 0958"),
        ("or +44 20 7946 0018", "PHONE", "+44 20 7946 0018"),
        ("or (212) 555-0142 please", "PHONE", "(212) 555-0142"),
        ("我的手机是13812345678，晚上打", "PHONE", "13812345678"),
        ("card 4111 1111 1111 1111", "CARD", "4111 1111 1111 1111"),
        ("IBAN GB82 WEST 1234 5698 7654 32", "IBAN", "GB82 WEST 1234 5698 7654 32"),
        ("NI number AB 12 34 56 C", "ID", "AB 12 34 56 C"),
        ("SSN 123-45-6789", "ID", "123-45-6789"),
        ("see https://example.org/ann?x=1 now", "URL", "https://example.org/ann?x=1"),
        ("I am @ann_lee there", "HANDLE", "@ann_lee"),
        ("NHS 943 476 5919", "ID", "943 476 5919"),
        ("身份证11010519491231002X", "ID", "11010519491231002X"),
        ("host 192.168.4.17", "IP", "192.168.4.17"),
        ("I live at 12 Rose Hill Road", "ADDRESS", "12 Rose Hill Road"),
        ("postcode SW1A 1AA", "ADDRESS", "SW1A 1AA"),
        ("我住在中山路128号", "ADDRESS", "128号"),
    ],
)
def test_it_is_found(text: str, kind: str, found: str) -> None:
    (one,) = [one for one in find_identifiers(text) if one.kind == kind]
    assert found in one.text


@pytest.mark.parametrize(
    "text",
    [
        "I slept 4 hours and owe 2,300 pounds since 2019.",
        "On 12 March at 10.30 we met.",
        "card 4111 1111 1111 1112",  # the check digit is wrong
        "身份证110105194912310021",  # so is this one
        "version 1.2.3.4.5",
        "She is 34 and I am 36.",
        "",
    ],
)
def test_ordinary_numbers_are_left_alone(text: str) -> None:
    assert [one for one in find_identifiers(text) if one.kind != "PHONE"] == []


def test_named_words_are_found_whole_and_in_any_case() -> None:
    assert kinds("ANN met Anna and Ann-Marie; ann's dog", "Ann") == [
        ("NAME", w) for w in ("ANN", "Ann", "ann")
    ]
    assert kinds("王小明说他没事", "王小明") == [("NAME", "王小明")]
    assert kinds("Ann Smith rang", "Ann", "Ann Smith") == [("NAME", "Ann Smith")]
    assert kinds("a (b) c", "(b)") == [("NAME", "(b)")]


@given(st.text(max_size=300), st.lists(st.text(max_size=8), max_size=4))
def test_what_is_found_stands_where_it_is_said_and_never_overlaps(text: str, words: list[str]) -> None:
    found = find_identifiers(text, words)
    assert all(text[one.start : one.end] == one.text for one in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(st.text("0123456789", min_size=12, max_size=18))
def test_one_digit_makes_any_number_pass_luhn_and_nine_do_not(digits: str) -> None:
    assert sum(is_card_number(digits + last) for last in "0123456789") == 1


@given(st.text("0123456789", min_size=17, max_size=17))
def test_one_character_makes_any_number_a_chinese_id(digits: str) -> None:
    assert sum(is_chinese_id(digits + last) for last in "0123456789X") == 1


def test_a_list_of_words_is_cleaned() -> None:
    assert read_words("\n  Ann \nANN\n" + "x" * 99) == ("Ann", "x" * 60)
