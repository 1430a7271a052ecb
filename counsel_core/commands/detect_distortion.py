"""`detect-distortion`: CoCoA's detection alone, an utterance a line."""

from __future__ import annotations

import argparse

from counsel_core.agents.cocoa.detection import Detection, find_distortion
from counsel_core.agents.cocoa.state import Exchange
from counsel_core.commands._base import (
    DONE,
    Command,
    input_lines,
    print_json,
    read_utterance,
    report_failure,
)
from counsel_core.errors import CounselError
from counsel_core.llm._base import Caller
from counsel_core.llm.catalogue import open_model
from counsel_core.records import LANGUAGES
from counsel_core.settings import Settings


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", default="guided", help="a model of the Models page (default: guided)")
    parser.add_argument("--language", choices=LANGUAGES, default="en")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    caller = Caller(open_model(arguments.model, settings))
    code = DONE
    for number, line in input_lines():
        try:
            found = find_distortion(caller, Exchange("", read_utterance(line)), arguments.language)
        except CounselError as error:
            code = report_failure(number, error)
            print_json({"error": str(error)})
            continue
        print_json(_shown(found))
    return code


def _shown(found: Detection) -> dict[str, object]:
    ranking = [[name, score] for name, score in found.ranking]  # a language model gives none
    return {"type": found.type, "severity": found.severity, "ranking": ranking}


DETECT_DISTORTION = Command(
    "detect-distortion", "Find the cognitive distortion of utterances; one a line.", _configure, _run
)
