"""`write-safety-transcripts`: the long dialogues about danger, played anew for the documentation."""

from __future__ import annotations

import argparse
from pathlib import Path

from counsel_core.commands._base import DONE, Command, print_line
from counsel_core.settings import Settings


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, help="folder of the transcripts (default: docs/transcripts)")
    parser.add_argument("--record", metavar="MODEL", help="let this model answer anew where rules cannot")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    from counsel_core.safety_evaluation.dialogues import TRANSCRIPTS, write_transcripts

    for path in write_transcripts(settings, arguments.out or TRANSCRIPTS, arguments.record):
        print_line(str(path))
    return DONE


WRITE_SAFETY_TRANSCRIPTS = Command(
    "write-safety-transcripts", "Play the long dialogues about danger and write them down.", _configure, _run
)
