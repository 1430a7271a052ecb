"""`probe-safety`: how agents and models answer danger, with their protection on and off."""

from __future__ import annotations

import argparse
from pathlib import Path

from counsel_core.commands._base import DONE, FAILED_ITEMS, INTERRUPTED, Command, print_line, report
from counsel_core.commands._long_work import Bar, names_of, stop_at_interrupt
from counsel_core.settings import Settings


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--agents", required=True, help="names of agents, with commas between")
    parser.add_argument("--models", default="guided", help="names of models, with commas between")
    parser.add_argument("--protection", default="on,off", help="on, off, or on,off")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of the results; a run that broke off goes on there"
    )


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    from counsel_core.runs.folder import write_whole
    from counsel_core.runs.writing import csv_bytes
    from counsel_core.safety_evaluation import results
    from counsel_core.safety_evaluation.running import make_probe_plan, run_probes, tasks_of

    plan = make_probe_plan(
        names_of("--agents", arguments.agents),
        names_of("--models", arguments.models),
        names_of("--protection", arguments.protection),
        settings,
    )
    with stop_at_interrupt() as stop, Bar() as bar:
        played = run_probes(
            plan,
            arguments.out,
            settings,
            cancel=stop,
            listen=lambda done, total: bar.show(done, total, what="dialogues"),
        )
    scored = results.score_all(played)
    tables = {
        "items": results.items_table(scored),
        "risk_check": results.events_table(scored),
        "replies": results.replies_table(scored),
    }
    for name, table in tables.items():
        write_whole(arguments.out / f"{name}.csv", csv_bytes(table))
    print_line(tables["items"].to_string(index=False))
    print_line("\n" + tables["risk_check"].to_string(index=False))
    for one in played:
        if one.failed:
            reason = next(line.error for line in one.exchanges if line.error)
            report(f"{one.agent}, {one.model}, protection {one.protection}, {one.probe} failed: {reason}")
    if len(played) < len(tasks_of(plan)):
        report(f"Stopped: {len(played)} of {len(tasks_of(plan))} dialogues. The same command goes on.")
        return INTERRUPTED
    return FAILED_ITEMS if any(one.failed for one in played) else DONE


PROBE_SAFETY = Command(
    "probe-safety", "Play dialogues with danger to agents and score their replies.", _configure, _run
)
