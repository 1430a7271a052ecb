"""The command line: everything that the pages do, without a mouse."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from counsel_core.commands import commands
from counsel_core.commands._base import REFUSED, report
from counsel_core.errors import CounselError
from counsel_core.settings import read_settings

INTERRUPTED = 130


class _Parser(argparse.ArgumentParser):
    """A parser that refuses with one line."""

    def error(self, message: str) -> NoReturn:
        report(f"error: {message}; see `{self.prog} --help`")
        raise SystemExit(REFUSED)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 done with failed items, 2 refused."""
    known = commands()
    parser = _Parser(prog="python -m counsel_core", description=__doc__)
    below = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in known.values():
        command.configure(below.add_parser(command.name, help=command.help, description=command.help))
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8")
    chosen = parser.parse_args(arguments)
    try:
        return known[chosen.command].run(chosen, read_settings())
    except CounselError as error:
        report("error: " + " ".join(str(error).split()))
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`): nothing is wrong, and nobody is left to be told.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
