"""`evaluate-safety`: how good the risk check is on labelled utterances."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

from counsel_core.commands._base import DONE, Command, print_json, print_line
from counsel_core.safety.risk import check_risk
from counsel_core.safety.screening import screen
from counsel_core.settings import Settings

if TYPE_CHECKING:
    from counsel_core.safety.evaluation import LabelledUtterance, Measured

RULES, BOTH = "rules alone", "rules and second opinion"
OTHERS = "by others"


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", type=Path, help="labelled utterances of your own (CSV)")
    parser.add_argument("--half", choices=("untouched", "tune"), help="of the project's own set")
    parser.add_argument("--misses", action="store_true", help="list what was missed or raised wrongly")
    parser.add_argument("--json", action="store_true", help="a JSON line a half and check")
    parser.add_argument("--write", action="store_true", help="write the totals that the page shows")


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    from counsel_core.safety import evaluation as ev

    del settings
    utterances = ev.read_labelled(arguments.file or ev.LABELLED)
    own = arguments.file is not None
    halves = [None] if own else [arguments.half] if arguments.half else list(ev.HALVES)
    found = {half or "all": _measured(utterances, half) for half in halves}
    if not own and not arguments.half:
        found = {OTHERS: _measured(ev.read_labelled(ev.BY_OTHERS), None), **found}
    for half, checks in found.items():
        for measured in checks:
            if arguments.json:
                print_json(_as_json(half, measured, misses=arguments.misses))
            else:
                print_line(_as_text(half, measured, misses=arguments.misses))
    if not arguments.json:
        print_line(f"Rules alone: {_microseconds(utterances):,.0f} µs an utterance.")
    if arguments.write and not own:
        ev.write_figures(found)
    return DONE


def _measured(utterances: tuple[LabelledUtterance, ...], half: str | None) -> list[Measured]:
    from counsel_core.safety import evaluation as ev

    return [ev.measure(utterances, check_risk, RULES, half), ev.measure(utterances, screen, BOTH, half)]


def _as_json(half: str, measured: Measured, *, misses: bool) -> dict[str, object]:
    from counsel_core.safety import evaluation as ev

    told: dict[str, object] = {"half": half, **ev.totals_of(measured), "targets": dict(ev.TARGETS)}
    if misses:
        told["misses"] = [[one.level, found, one.text] for one, found in measured.misses]
        told["false_alarms"] = [[one.level, found, one.text] for one, found in measured.false_alarms]
    return told


def _as_text(half: str, measured: Measured, *, misses: bool) -> str:
    from counsel_core.safety import evaluation as ev

    lines = [f"{half}: {len(measured.outcomes)} utterances, {measured.name}"]
    for key, one in measured.shares().items():
        aim = ev.TARGETS[key]
        met = "" if one.value is None else "met" if one.value >= aim else "NOT met"
        interval = "" if one.low is None else f"{one.low:.0%} to {one.high:.0%}"
        share = "–" if one.value is None else f"{one.value:.1%}"
        lines.append(
            f"  {ev.ABOUT[key]:<34}{one.count:>4} of {one.n:<5}{share:>7}  ({interval}); aim {aim:.0%}: {met}"
        )
    kept = {name: measured.shares(category=name)["none_kept"] for name in measured.categories()}
    alarms = [f"{name} {one.n - one.count} of {one.n}" for name, one in kept.items() if one.n]
    lines.append(f"  false alarms by category: {', '.join(alarms)}")
    if misses:
        lines += [f"  missed: {one.level} as {found}: {one.text}" for one, found in measured.misses]
        lines += [f"  false alarm: {found}: {one.text}" for one, found in measured.false_alarms]
    return "\n".join([*lines, ""])


def _microseconds(utterances: tuple[LabelledUtterance, ...]) -> float:
    started = time.perf_counter()
    for one in utterances:
        check_risk(one.text)
    return (time.perf_counter() - started) / len(utterances) * 1e6


EVALUATE_SAFETY = Command(
    "evaluate-safety", "Measure the risk check on labelled utterances.", _configure, _run
)
