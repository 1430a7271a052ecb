"""The names and other words of this installation that must not leave it: one a line, in the data folder."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from counsel_core.errors import DataFileError, InputError
from counsel_core.privacy.identifiers import read_words
from counsel_core.settings import Settings

MOST_WORDS = 500


def load_words(settings: Settings) -> tuple[str, ...]:
    """Return the words; none if there is no file.

    Raises
    ------
    DataFileError
        The file cannot be read: then nothing may leave, for it would leave with the names.
    """
    file = _file(settings)
    try:
        return read_words(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise DataFileError(
            str(file), f"it cannot be read: {error}. Write one word a line, as UTF-8"
        ) from error


def save_words(text: str, settings: Settings) -> tuple[str, ...]:
    """Write the words, one a line, readable by their owner alone; return them.

    Raises
    ------
    InputError
        There are too many.
    DataFileError
        The folder cannot be written to.
    """
    words = read_words(text)
    if len(words) > MOST_WORDS:
        raise InputError(f"{len(words)} words were given; at most {MOST_WORDS} are kept.")
    file = _file(settings)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=file.name, suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as out:
                out.write("".join(f"{word}\n" for word in words))
            Path(temporary).replace(file)
        finally:
            Path(temporary).unlink(missing_ok=True)
    except OSError as error:
        raise DataFileError(str(file), f"it cannot be written ({error.strerror}); nothing changed") from error
    return words


def _file(settings: Settings) -> Path:
    return settings.data_dir / "private_words.txt"
