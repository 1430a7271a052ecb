"""`import`: a session from its JSON export."""

from __future__ import annotations

import argparse
from pathlib import Path

from counsel_core.commands._base import DONE, Command, print_json
from counsel_core.errors import InputError
from counsel_core.importing import import_session
from counsel_core.importing.reading import LARGEST
from counsel_core.settings import Settings
from counsel_core.storage.database import open_database


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="what `export SESSION --format json` wrote")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    try:
        with arguments.file.open("rb") as file:
            content = file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{arguments.file} cannot be read: {error}. Give the path of an export.") from error
    with open_database(settings.database_url) as database:
        session = import_session(database, content)
    print_json(
        {
            "session": session.id,
            "title": session.title,
            "turns": session.turn_count,
            "risk": session.risk,
            "frozen": session.frozen,
        }
    )
    return DONE


IMPORT = Command("import", "Take in a session from its JSON export.", _configure, _run)
