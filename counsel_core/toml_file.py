"""TOML that people write: parsed, or refused with file, line and reason."""

from __future__ import annotations

import re
import tomllib

from counsel_core.errors import DataFileError
from counsel_core.records import Json

_LINE = re.compile(r"\(at line (\d+)")


def parse_toml(content: bytes, file: str) -> Json:
    r"""Parse the bytes of a TOML file; `file` is what errors call it. A byte order mark is passed over.

    Raises
    ------
    DataFileError
        It is not UTF-8 or not TOML; the line is named.

    Examples
    --------
    >>> parse_toml(b"\xef\xbb\xbfstages = [1, 2]", "p.toml")
    {'stages': [1, 2]}
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DataFileError(file, "it is not UTF-8; save the file as UTF-8", line=line) from error
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise DataFileError(file, "it is not valid TOML: its brackets are nested too deep") from error
    except ValueError as error:  # tomllib's own error is one; a number of thousands of digits raises another
        place = _LINE.search(str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        reason = str(error).split(" (at")[0].split(";")[0]
        raise DataFileError(file, f"it is not valid TOML: {reason}", line=line) from error
