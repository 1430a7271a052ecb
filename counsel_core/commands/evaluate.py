"""`evaluate`: a data set's answers scored by the metrics, with tables and a report in a folder."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from counsel_core.commands._base import (
    DONE,
    FAILED_ITEMS,
    INTERRUPTED,
    Command,
    print_line,
    report,
)
from counsel_core.commands._long_work import Bar, names_of, read_file, stop_at_interrupt, workers_number
from counsel_core.runs.folder import RunFolder, read_json
from counsel_core.settings import Settings


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="a data set: CSV, TSV, XLSX, JSON, JSONL or Parquet")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the results")
    parser.add_argument("--preset", default="paper", help="paper or standard (default: paper)")
    parser.add_argument("--metrics", metavar="M1,M2", help="which metrics (default: all that can be had)")
    parser.add_argument("--judge", metavar="MODEL", help="a language model that judges")
    parser.add_argument(
        "--emotion-model",
        metavar="NAME",
        help="embedded (default), a folder, or a hub name of a text classifier",
    )
    parser.add_argument(
        "--second-emotion-model", metavar="NAME", help="ranks beside the first; their agreement is a table"
    )
    parser.add_argument("--workers", type=workers_number, metavar="N", help="processes (default: every core)")
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run in DIR, items that failed included"
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="ask the judge anew, even what it was asked before"
    )


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    from counsel_core.datasets import read_dataset
    from counsel_core.datasets.beside import read_about
    from counsel_core.runs.estimate import judge_cost
    from counsel_core.runs.plan import make_plan
    from counsel_core.runs.runs import prepare
    from counsel_core.runs.worker import work

    dataset = read_dataset(arguments.file.name, read_file(arguments.file))
    dataset = replace(dataset, about=read_about(arguments.file))
    names = None if arguments.metrics is None else names_of("--metrics", arguments.metrics)
    second = arguments.second_emotion_model
    plan = make_plan(
        dataset,
        app=settings,
        preset=arguments.preset,
        names=names,
        judge=arguments.judge,
        emotions=arguments.emotion_model,
        settings={"second_emotions": second} if second else None,
        cache=not arguments.no_cache,
    )
    if plan.judge is not None:
        report(judge_cost(dataset, plan, settings))
    folder = RunFolder(arguments.out.resolve())
    prepare(folder, plan, dataset, title=dataset.name, resume=arguments.resume)
    folder.cancel.unlink(missing_ok=True)
    with stop_at_interrupt() as stop, Bar() as bar:
        ended = work(
            folder,
            settings,
            workers=arguments.workers,
            retry_failed=True,
            use_cache=plan.cache,
            listen=lambda status: bar.show(status.done, status.total, status.seconds_left, status.current),
            cancel=stop,
        )
    if ended.state == "cancelled":
        report(f"stopped at {ended.done} of {ended.total}; add --resume to go on.")
        return INTERRUPTED
    facts = read_json(folder.root / "run.json")
    for one in facts["failed"]:
        report(f"item {one['item']}, {one['source']}, {one['metric']} {' '.join(one['error'].split())}")
    if ended.state == "failed":
        report(f"error: {' '.join(ended.message.split())}")
    missing, failed = sum(one["n"] for one in facts["missing"]), len(facts["failed"])
    print_line(
        f"{folder.root}: {facts['scores'] - missing - failed} scores, {missing} missing with a reason, "
        f"{failed} failed"
    )
    return FAILED_ITEMS if failed or ended.state == "failed" else DONE


EVALUATE = Command("evaluate", "Score a data set's answers; tables and a report.", _configure, _run)
