"""`check-risk`: the rules of the risk check, an utterance a line."""

from __future__ import annotations

import argparse

from counsel_core.commands._base import (
    DONE,
    Command,
    input_lines,
    print_json,
    read_utterance,
    report_failure,
)
from counsel_core.errors import InputError
from counsel_core.safety.risk import check_risk
from counsel_core.settings import Settings


def _run(_: argparse.Namespace, __: Settings) -> int:
    code = DONE
    for number, line in input_lines():
        try:
            risk = check_risk(read_utterance(line))
        except InputError as error:
            code = report_failure(number, error)
            print_json({"error": str(error)})
            continue
        print_json({"level": risk.level, "evidence": list(risk.evidence)})
    return code


CHECK_RISK = Command(
    "check-risk", "Check utterances for risk by rules alone; one a line.", lambda parser: None, _run
)
