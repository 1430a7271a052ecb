"""What a TOML file beside a data set says of it: who wrote the references, what answered."""

from __future__ import annotations

from pathlib import Path

from counsel_core.errors import DataFileError
from counsel_core.toml_file import parse_toml


def read_about(file: Path) -> dict[str, str]:
    """Return what stands in the file of the same name that ends in .toml; nothing where there is none.

    Its values are texts. What it says under `reference` of the reference answers is shown on every result.

    Raises
    ------
    DataFileError
        It is no TOML, or a value is no text; line or key is named.
    """
    path = file.with_suffix(".toml")
    if not path.is_file():
        return {}
    about = parse_toml(path.read_bytes(), path.name)
    for name, value in about.items():
        if not isinstance(value, str):
            raise DataFileError(path.name, "a text is expected", key=name)
    return about
