"""Finding what tells who somebody is: addresses, numbers, ids, and words that a user named.

Patterns and check digits; names are found only where they were named. It misses what is written in
another way: whoever sends a text has to read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

REGIONS = ("GB", "US", "CN", "HK", "TW", "AU", "IE")
"""Whose phone numbers are known without their country code."""

LONGEST_WORD = 60

_EMAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}")
_URL = re.compile(r"(?:https?://|www\.)[^\s<>\"'，。）)]{3,200}", re.IGNORECASE)
_HANDLE = re.compile(r"(?<![\w@.])@[A-Za-z_][A-Za-z0-9_.]{2,30}")
_IP = re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.])")
_CARD = re.compile(r"(?<!\d)(?:\d[ -]?){12,18}\d(?!\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b")
_CHINESE_ID = re.compile(r"(?<![0-9A-Za-z])\d{17}[\dXx](?![0-9A-Za-z])")
_NATIONAL_INSURANCE = re.compile(r"\b[A-CEGHJ-PR-TW-Z]{2} ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b", re.IGNORECASE)
_SOCIAL_SECURITY = re.compile(r"(?<![\d-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d{2}\1(?!0000)\d{4}(?![\d-])")
_NHS = re.compile(r"(?<!\d)\d{3}[ -]?\d{3}[ -]?\d{4}(?!\d)")
_POSTCODE = re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}\b")
_STREET = re.compile(
    r"\b\d{1,5}[A-Za-z]? (?:[A-Z][a-z'-]{1,20} ){1,3}"
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Close|Court|Ct|Way|Place|Terrace|Crescent|Boulevard|Blvd)\b"
)
_CHINESE_ADDRESS = re.compile(
    r"[\u4e00-\u9fff]{1,8}(?:路|街|巷|弄|胡同|大道)\d{1,5}(?:号|弄)(?:\d{1,4}(?:号楼|栋|单元|室|号))*"
)
_BANK_LETTERS = {chr(ord("A") + n): str(10 + n) for n in range(26)}


@dataclass(frozen=True, slots=True)
class Identifier:
    """One thing that tells who somebody is, and where it stands: `text[start:end]`."""

    kind: str
    start: int
    end: int
    text: str


def find_identifiers(text: str, words: Iterable[str] = ()) -> tuple[Identifier, ...]:
    """Return what was found, in the order of the text; nothing overlaps, the longer of two counts.

    Parameters
    ----------
    words
        Names and other words that must not leave, in any case; longer ones first where they overlap.

    Examples
    --------
    >>> [(one.kind, one.text) for one in find_identifiers("Ann: ann@example.org, 020 7946 0958", ["Ann"])]
    [('NAME', 'Ann'), ('EMAIL', 'ann@example.org'), ('PHONE', '020 7946 0958')]
    """
    found = sorted(_all(text, words), key=lambda one: (-(one.end - one.start), one.start))
    taken: list[Identifier] = []
    for one in found:
        if all(one.end <= other.start or one.start >= other.end for other in taken):
            taken.append(one)
    return tuple(sorted(taken, key=lambda one: one.start))


def _all(text: str, words: Iterable[str]) -> Iterator[Identifier]:
    for kind, pattern, holds in (
        ("EMAIL", _EMAIL, None),
        ("URL", _URL, None),
        ("HANDLE", _HANDLE, None),
        ("IP", _IP, None),
        ("CARD", _CARD, is_card_number),
        ("IBAN", _IBAN, is_iban),
        ("ID", _CHINESE_ID, is_chinese_id),
        ("ID", _NATIONAL_INSURANCE, None),
        ("ID", _SOCIAL_SECURITY, None),
        ("ID", _NHS, is_nhs_number),
        ("ADDRESS", _POSTCODE, None),
        ("ADDRESS", _STREET, None),
        ("ADDRESS", _CHINESE_ADDRESS, None),
    ):
        for match in pattern.finditer(text):
            if holds is None or holds(match.group()):
                yield Identifier(kind, match.start(), match.end(), match.group())
    yield from _phones(text)
    for word in words:
        yield from _named(text, word)


def _phones(text: str) -> Iterator[Identifier]:
    if sum(character.isdigit() for character in text) < 7:
        return
    import phonenumbers

    for region in REGIONS:
        for match in phonenumbers.PhoneNumberMatcher(text, region):
            yield Identifier("PHONE", match.start, match.end, match.raw_string)


def _named(text: str, word: str) -> Iterator[Identifier]:
    word = " ".join(word.split())
    if not word:
        return
    # Latin words end at a border; Chinese has none between words.
    start = r"(?<![\w])" if word[0].isascii() else ""
    end = r"(?![\w])" if word[-1].isascii() else ""
    for match in re.finditer(start + re.escape(word) + end, text, re.IGNORECASE):
        yield Identifier("NAME", match.start(), match.end(), match.group())


def digits_of(text: str) -> list[int]:
    """Return the decimal digits of a text."""
    return [int(character) for character in text if character.isascii() and character.isdigit()]


def is_card_number(text: str) -> bool:
    """Whether 13 to 19 digits pass Luhn's check (ISO/IEC 7812-1).

    >>> is_card_number("4111 1111 1111 1111"), is_card_number("4111 1111 1111 1112")
    (True, False)
    """
    digits = digits_of(text)
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return 13 <= len(digits) <= 19 and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def is_iban(text: str) -> bool:
    """Whether a number passes the check of ISO 13616 (modulo 97).

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    plain = text.replace(" ", "").upper()
    moved = "".join(_BANK_LETTERS.get(character, character) for character in plain[4:] + plain[:4])
    return moved.isdigit() and int(moved) % 97 == 1


def is_chinese_id(text: str) -> bool:
    """Whether 18 characters pass the check of GB 11643-1999 (ISO 7064, modulo 11-2).

    >>> is_chinese_id("11010519491231002X"), is_chinese_id("110105194912310021")
    (True, False)
    """
    total = sum(int(digit) * (2 ** (17 - place) % 11) for place, digit in enumerate(text[:17]))
    return text[17].upper() == "10X98765432"[total % 11]


def is_nhs_number(text: str) -> bool:
    """Whether ten digits pass the NHS number's check (modulo 11).

    >>> is_nhs_number("943 476 5919"), is_nhs_number("943 476 5918")
    (True, False)
    """
    digits = digits_of(text)
    total = sum(digit * (10 - place) for place, digit in enumerate(digits[:9]))
    return (11 - total % 11) % 11 == digits[9]


def read_words(text: str) -> tuple[str, ...]:
    r"""Return the words of a list that a user wrote, one a line; too long ones are cut.

    >>> read_words(" Ann Smith \n\nann smith\nBob")
    ('Ann Smith', 'Bob')
    """
    lines: Sequence[str] = [" ".join(line.split())[:LONGEST_WORD] for line in text.splitlines()]
    return tuple({line.casefold(): line for line in reversed(lines) if line}.values())[::-1]
