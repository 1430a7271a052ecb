"""`purge`: delete sessions that nobody has used for long."""

from __future__ import annotations

import argparse

from counsel_core.commands._base import DONE, Command, print_json
from counsel_core.errors import InputError
from counsel_core.settings import Settings
from counsel_core.storage.database import open_database
from counsel_core.storage.retention import list_due, purge


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--days", type=int, help="unused for so many days (else COUNSEL_RETENTION_DAYS)")
    parser.add_argument("--dry-run", action="store_true", help="list what would be deleted")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    days = arguments.days if arguments.days is not None else settings.retention_days
    if days is None or days < 1:
        given = "missing, and COUNSEL_RETENTION_DAYS is not set" if days is None else str(days)
        raise InputError(f"--days is {given}; give the number of days, 1 or more.")
    with open_database(settings.database_url) as database:
        held = [one for one in list_due(database, days) if one.held]
        if arguments.dry_run:
            gone = tuple(one for one in list_due(database, days) if not one.held)
        else:
            gone = purge(database, days)
    for one in gone:
        print_json(
            {"session": one.session, "updated": one.updated.isoformat(), "deleted": not arguments.dry_run}
        )
    for one in held:
        print_json({"session": one.session, "updated": one.updated.isoformat(), "kept": one.held})
    return DONE


PURGE = Command("purge", "Delete sessions that nobody has used for long.", _configure, _run)
