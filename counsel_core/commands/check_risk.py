"""`check-risk`: the rules of the risk check, an utterance a line."""

from __future__ import annotations

import argparse

from counsel_core.commands._base import DONE, Command, input_lines, print_json
from counsel_core.safety.risk import check_risk
from counsel_core.settings import Settings


def _run(_: argparse.Namespace, __: Settings) -> int:
    for _number, line in input_lines():
        risk = check_risk(line)
        print_json({"level": risk.level, "evidence": list(risk.evidence)})
    return DONE


CHECK_RISK = Command(
    "check-risk", "Check utterances for risk by rules alone; one a line.", lambda parser: None, _run
)
