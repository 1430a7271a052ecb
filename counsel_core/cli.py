"""The command line: everything that the pages do, without a mouse."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from counsel_core.commands import commands
from counsel_core.commands._base import DONE, INTERRUPTED, REFUSED, one_line, report
from counsel_core.errors import CounselError
from counsel_core.settings import read_settings


class _Parser(argparse.ArgumentParser):
    """A parser that refuses with one line."""

    def error(self, message: str) -> NoReturn:
        report(f"error: {message}; see `{self.prog} --help`")
        raise SystemExit(REFUSED)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 done with failed items, 2 refused."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # Half a surrogate pair, which UTF-8 cannot hold, is written as JSON writes it: \ud83d.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return _run(arguments)
    except CounselError as error:
        report(f"error: {one_line(error)}")
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is wrong, and nobody is left to be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _run(arguments: Sequence[str] | None) -> int:
    known = commands()
    parser = _Parser(prog="python -m counsel_core", description=__doc__)
    below = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in known.values():
        command.configure(below.add_parser(command.name, help=command.help, description=command.help))
    chosen = parser.parse_args(arguments)
    return known[chosen.command].run(chosen, read_settings())
