"""`export`: a saved session to standard output."""

from __future__ import annotations

import argparse

from counsel_core.commands._base import DONE, Command, print_line
from counsel_core.exports import FORMATS, export_session
from counsel_core.settings import Settings
from counsel_core.storage.database import open_database


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", help="the session's id")
    parser.add_argument("--format", choices=FORMATS, required=True)


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    with open_database(settings.database_url) as database:
        print_line(export_session(database, arguments.session, arguments.format))
    return DONE


EXPORT = Command("export", "Write a saved session to standard output.", _configure, _run)
