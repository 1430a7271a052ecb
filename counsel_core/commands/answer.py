"""`answer`: one-shot answers of models and agents to a data set's questions, in a new file."""

from __future__ import annotations

import argparse
from pathlib import Path

from counsel_core.commands._base import DONE, FAILED_ITEMS, INTERRUPTED, Command, print_line, report
from counsel_core.commands._long_work import Bar, names_of, read_file, stop_at_interrupt
from counsel_core.errors import InputError
from counsel_core.settings import Settings


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="a data set: CSV, TSV, XLSX, JSON, JSONL or Parquet")
    parser.add_argument("--models", metavar="M1,M2", help="models that answer by themselves")
    parser.add_argument(
        "--agents", metavar="A1,A2", help="agents that answer, by rules; NAME@MODEL for an agent with a model"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the CSV file to write")
    parser.add_argument(
        "--resume", action="store_true", help="go on where it stopped, items that failed included"
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="ask the models anew, even what they were asked before"
    )


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    from counsel_core.datasets import read_dataset
    from counsel_core.datasets.writing import write_wide
    from counsel_core.runs.answering import Answered, answer_dataset, journal_of, read_respondents
    from counsel_core.runs.folder import write_whole

    out: Path = arguments.out.resolve()
    respondents = read_respondents(
        names_of("--models", arguments.models) if arguments.models is not None else (),
        names_of("--agents", arguments.agents) if arguments.agents is not None else (),
    )
    dataset = read_dataset(arguments.file.name, read_file(arguments.file))
    _check_out(out, journal_of(out), resume=arguments.resume)
    with stop_at_interrupt() as stop, Bar() as bar:
        answered: Answered = answer_dataset(
            dataset,
            respondents,
            settings,
            journal_of(out),
            cancel=stop,
            listen=bar.show,
            use_cache=not arguments.no_cache,
        )
    if stop.is_set():
        report(f"stopped; {answered.left} answers are left. Add --resume to go on.")
        return INTERRUPTED
    write_whole(out, write_wide(answered.dataset))
    for reply in answered.failed:
        report(f"item {reply.item}, {reply.source} failed: {' '.join(reply.error.split())}")
    for word in answered.stopped:
        report(f"error: {word}")
    fresh = len(answered.dataset.answers) - len(dataset.answers)
    print_line(
        f"{out}: {fresh} new answers, {answered.blocked} of them blocked, {len(answered.failed)} failed, "
        f"{answered.left} not asked; items without a question: {answered.without_question}"
    )
    return FAILED_ITEMS if answered.failed or answered.stopped else DONE


def _check_out(out: Path, journal: Path, *, resume: bool) -> None:
    if not out.parent.is_dir():
        raise InputError(f"--out is {out}: there is no folder {out.parent}. Make it first.")
    if out.is_dir():
        raise InputError(f"--out is {out}: that is a folder. Give the name of a file in it.")
    for file in (out, journal):
        if file.exists() and not resume:
            raise InputError(f"{file} exists already. Add --resume to go on with it, or name another file.")
    if out.exists() and not journal.exists():
        raise InputError(
            f"{out} was not made by this command, or its {journal.name} is gone. Name another file."
        )


ANSWER = Command("answer", "Let models and agents answer a data set's questions.", _configure, _run)
