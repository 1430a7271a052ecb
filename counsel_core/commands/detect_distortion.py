"""`detect-distortion`: CoCoA's detection alone, an utterance a line, or measured on labelled sentences."""

from __future__ import annotations

import argparse

from counsel_core.agents.cocoa.detection import Detection, find_distortion
from counsel_core.agents.cocoa.evaluation import evaluate_detection, figures_as_json, load_labelled
from counsel_core.agents.cocoa.state import Exchange
from counsel_core.commands._base import (
    DONE,
    FAILED_ITEMS,
    Command,
    input_lines,
    one_line,
    print_json,
    print_line,
    read_utterance,
    report,
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
    parser.add_argument(
        "--evaluate",
        action="store_true",
        help="measure it on the labelled sentences instead of reading lines",
    )
    parser.add_argument("--split", default="untouched", help="tuning or untouched (default) sentences")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    caller = Caller(open_model(arguments.model, settings))
    if arguments.evaluate:
        return _evaluate(arguments, caller)
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


def _evaluate(arguments: argparse.Namespace, caller: Caller) -> int:
    rows = load_labelled(arguments.split)
    errors: list[str] = []

    def detect(sentence: str) -> str | None:
        try:
            return find_distortion(caller, Exchange("", sentence), "en").type or ""
        except CounselError as error:
            errors.append(one_line(error))
            return None

    found = evaluate_detection(rows, detect, split=arguments.split, model=caller.model.spec.label)
    for error in errors:
        report(f"no answer: {error}")
    if arguments.json:
        print_json(figures_as_json(found))
        return FAILED_ITEMS if errors else DONE
    print_line(f"{found.model}, {found.split} sentences written for this project; in brackets 95 % intervals")
    print_line(
        f"{found.distorted} distorted: {_share(found.recall, found.recall_interval)} got a type that fits; "
        f"{found.undistorted} not: {_share(found.false_alarms, found.false_alarms_interval)} false alarms; "
        f"{found.failed} without an answer"
    )
    for one in found.types:
        recall = _share(one.recall, one.recall_interval)
        precision = _share(one.precision, one.precision_interval)
        print_line(f"{one.name:28} recall {recall} of {one.n:3}   precision {precision} of {one.found:3}")
    return FAILED_ITEMS if errors else DONE


def _share(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None or interval is None:
        return "missing           "
    return f"{value:4.0%} [{interval[0]:.0%}, {interval[1]:.0%}]"


def _shown(found: Detection) -> dict[str, object]:
    ranking = [[name, score] for name, score in found.ranking]  # a language model gives none
    return {"type": found.type, "severity": found.severity, "ranking": ranking}


DETECT_DISTORTION = Command(
    "detect-distortion", "Find the cognitive distortion of utterances; one a line.", _configure, _run
)
