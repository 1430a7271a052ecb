"""The encoding of a text file: found from its bytes, and its lines decoded one by one."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass

from counsel_core.errors import DatasetError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CHUNK = 1 << 20
_ENOUGH = 20_000  # characters that decide between cp1252 and GB18030


@dataclass(frozen=True, slots=True)
class EncodedText:
    """A text's bytes and encoding; lines that `main` cannot read are of `other`, where there is one."""

    data: bytes
    encoding: str
    main: str
    other: str = ""

    def lines(self) -> Iterator[tuple[str, bool]]:
        """Yield each line with its ending, and whether it had to be read with the other encoding.

        Raises
        ------
        UnicodeDecodeError
            A line is of neither.
        """
        for raw in io.BytesIO(self.data):
            try:
                yield raw.decode(self.main), False
            except UnicodeDecodeError:
                if not self.other:
                    raise
                yield raw.decode(self.other), True


def find_encoding(file: str, data: bytes) -> EncodedText:
    """Find the encoding: by its mark, then UTF-16 by its zeros, UTF-8, GB18030 and cp1252.

    A file in UTF-8 with some lines in another encoding is read line by line.

    Raises
    ------
    DatasetError
        The bytes are no text, or break off within a character.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(file, data, mark, encoding)
    encoding = _zeros(data[:2000])
    if encoding:
        return EncodedText(_as_utf8(file, data, encoding), encoding, "utf-8")
    if b"\0" in data[:2000]:
        raise DatasetError(file, "it is no text: it holds zero bytes. Save it as CSV in UTF-8.", row=1)
    if _is_utf8(data):
        return EncodedText(data, "utf-8", "utf-8")
    return _of_two(data, "utf-8")


def undecodable(file: str, error: UnicodeDecodeError, row: int) -> DatasetError:
    """Say that a row is in none of the encodings."""
    byte = error.object[error.start]
    reason = f"byte 0x{byte:02x} is neither UTF-8, GB18030 nor cp1252. Save the file as UTF-8."
    return DatasetError(file, reason, row=row)


def _marked(file: str, data: bytes, mark: bytes, encoding: str) -> EncodedText:
    if encoding != "utf-8-sig":
        return EncodedText(_as_utf8(file, data, encoding), encoding, "utf-8")
    rest = data[len(mark) :]
    return EncodedText(rest, encoding, "utf-8") if _is_utf8(rest) else _of_two(rest, encoding)


def _as_utf8(file: str, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except UnicodeDecodeError as error:
        row = data[: error.start].decode(encoding, errors="replace").count("\n") + 1
        reason = f"byte {error.start + 1:,} is no {encoding.upper()}. Save it as UTF-8."
        raise DatasetError(file, reason, row=row) from error


def _zeros(start: bytes) -> str:
    """Recognise UTF-16 without its mark: in Latin text every other byte is zero."""
    even, odd = start[::2].count(0), start[1::2].count(0)
    if max(even, odd) < max(1, len(start) // 2 * 0.6) or (even and odd):
        return ""
    return "utf-16-be" if even else "utf-16-le"


def _is_utf8(data: bytes) -> bool:
    decode = codecs.getincrementaldecoder("utf-8")().decode
    try:
        for start in range(0, len(data), _CHUNK):
            decode(data[start : start + _CHUNK])
        decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _of_two(data: bytes, utf8: str) -> EncodedText:
    """Tell a file of one other encoding from one in UTF-8 that holds lines of another."""
    good, bad, seen = list[bytes](), list[bytes](), 0
    for raw in io.BytesIO(data):
        if raw.isascii():
            continue
        (good if _is_utf8(raw) else bad).append(raw)
        seen += len(raw)
        if seen > 50 * _ENOUGH and bad:
            break
    other = "gb18030" if _is_chinese(b"".join(bad)) else "cp1252"
    # A short line of GB18030 may happen to be UTF-8, though hardly of Chinese characters.
    mixed = any(other == "cp1252" or _cjk_share(raw.decode("utf-8")) > 0.5 for raw in good)
    return EncodedText(data, f"{utf8}, {other}", "utf-8", other) if mixed else EncodedText(data, other, other)


def _is_chinese(data: bytes) -> bool:
    """Return whether bytes read as GB18030 are mostly the characters that Chinese is written in."""
    return _cjk_share(data[: 4 * _ENOUGH].decode("gb18030", errors="replace"), common=True) > 0.8


def _cjk_share(text: str, *, common: bool = False) -> float:
    foreign = [c for c in text[:_ENOUGH] if c > "\x7f"]
    if not foreign:
        return 0.0
    if common:  # accents of cp1252 with the letter after them make characters that GB2312 lacks
        return sum(bool(c.encode("gb2312", errors="ignore")) for c in foreign) / len(foreign)
    return sum("\u3000" <= c <= "\u9fff" or "\uff00" <= c <= "\uffef" for c in foreign) / len(foreign)
