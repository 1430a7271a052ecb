"""What a GGUF file says of itself, read from its header alone and within bounds."""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from counsel_core.errors import DataFileError

MAGIC = b"GGUF"
MOST_ENTRIES, MOST_ITEMS, LONGEST_TEXT = 100_000, 10_000_000, 50_000_000
"""A header beyond these is no model's: vocabularies have some hundred thousand items."""

_QUANTISATIONS = """
F32 F16 Q4_0 Q4_1 . . . Q8_0 Q5_0 Q5_1 Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_K_S Q4_K_M Q5_K_S Q5_K_M Q6_K
IQ2_XXS IQ2_XS Q2_K_S IQ3_XS IQ3_XXS IQ1_S IQ4_NL IQ3_S IQ3_M IQ2_S IQ2_M IQ4_XS IQ1_M BF16
"""  # general.file_type from 0 on, as llama.cpp's llama_ftype numbers it; a dot was taken back

# Encoders and parts of other models; the further parts of a model in several files name no architecture.
_SILENT = re.compile(r"|clip|t5encoder|wavtokenizer-dec|gemma-embedding|.*bert.*")

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True, slots=True)
class GgufFacts:
    """What the header says; `context_length` is what the model was trained for, in tokens.

    `quantisation` is '' where it is not told, or is one that came later than this list.
    """

    name: str
    architecture: str
    context_length: int | None
    size_label: str
    quantisation: str
    licence: str
    chats: bool
    bytes: int

    @property
    def answers(self) -> bool:
        """Whether it can be a language model that writes."""
        return _SILENT.fullmatch(self.architecture) is None


def read_facts(path: Path) -> GgufFacts:
    """Read the header of a GGUF file (versions 2 and 3, little-endian).

    Raises
    ------
    DataFileError
        It cannot be read, is no GGUF file, is cut off, or its header is absurd.
    """
    try:
        with path.open("rb") as file:
            values = _read(file, str(path))
        size = path.stat().st_size
    except OSError as error:
        reason = f"it cannot be read: {error.strerror or error}. Give the path of a GGUF file"
        raise DataFileError(str(path), reason) from error
    architecture = str(values.get("general.architecture", ""))
    context = values.get(f"{architecture}.context_length")
    return GgufFacts(
        name=str(values.get("general.name", "")) or path.stem,
        architecture=architecture,
        context_length=context if isinstance(context, int) and 0 < context < 1 << 31 else None,
        size_label=str(values.get("general.size_label", "")),
        quantisation=_quantisation(values.get("general.file_type")),
        licence=str(values.get("general.license", "")),
        chats="tokenizer.chat_template" in values,
        bytes=size,
    )


def _quantisation(kind: Any) -> str:
    names = _QUANTISATIONS.split()
    return names[kind].strip(".") if isinstance(kind, int) and 0 <= kind < len(names) else ""


def _read(file: BinaryIO, name: str) -> dict[str, Any]:
    if file.read(4) != MAGIC:
        raise DataFileError(name, "it is no GGUF file: its first four bytes are not GGUF")
    reader = _Reader(file, name)
    version, _, entries = reader.number("I"), reader.number("Q"), reader.number("Q")
    if version not in (2, 3):
        raise DataFileError(name, f"it is GGUF of version {version}; versions 2 and 3 can be read")
    if entries > MOST_ENTRIES:
        raise DataFileError(name, f"its header claims {entries:,} entries: it is damaged")
    values = {}
    for _ in range(entries):
        key = reader.text()
        values[key] = reader.value(reader.number("I"))
    return values


class _Reader:
    """Reads a header's values one after the other."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name

    def number(self, kind: str) -> Any:
        """Return one number."""
        return struct.unpack("<" + kind, self._bytes(struct.calcsize("<" + kind)))[0]

    def text(self) -> str:
        """Return one text."""
        length = self.number("Q")
        if length > LONGEST_TEXT:
            raise self._damaged(f"a text of {length:,} bytes")
        return self._bytes(length).decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        """Return a scalar or a text; of an array its length, for none is needed here."""
        if kind in _SCALARS:
            return self.number(_SCALARS[kind])
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            raise self._damaged(f"a value of the unknown kind {kind}")
        inner, length = self.number("I"), self.number("Q")
        if length > MOST_ITEMS:
            raise self._damaged(f"an array of {length:,} items")
        if inner in _SCALARS:
            self._bytes(length * struct.calcsize("<" + _SCALARS[inner]))
        elif inner == _STRING:
            for _ in range(length):
                self.text()
        else:
            raise self._damaged(f"an array of the kind {inner}")
        return length

    def _bytes(self, count: int) -> bytes:
        data = self._file.read(count)
        if len(data) != count:
            raise DataFileError(self._name, "it is cut off within its header; download it once more")
        return data

    def _damaged(self, what: str) -> DataFileError:
        return DataFileError(self._name, f"its header holds {what}: it is damaged; download it once more")
