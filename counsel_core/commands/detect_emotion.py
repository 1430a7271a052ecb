"""`detect-emotion`: the emotions of texts, one a line."""

from __future__ import annotations

import argparse
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor

from counsel_core.commands._base import (
    DONE,
    Command,
    input_lines,
    print_json,
    read_utterance,
    report_failure,
)
from counsel_core.errors import CounselError, InputError
from counsel_core.language.emotion import EMBEDDED, EmotionModel, Ranking, emotion_model
from counsel_core.language.recognise import is_english
from counsel_core.llm.catalogue import effective_local_only
from counsel_core.settings import Settings

AHEAD = 64
"""Lines that are read before the first of them is answered, at most."""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        default=EMBEDDED,
        help="the folder or hub name of a text classifier for transformers (default: embedded)",
    )


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    model = emotion_model(arguments.model, download=not effective_local_only(settings))
    code = DONE
    answers: deque[Future[int]] = deque()
    # Lines that wait are read on several cores; one that comes alone is answered without waiting for a next.
    with ThreadPoolExecutor() as readers, ThreadPoolExecutor(1) as printer:
        for number, line in input_lines():
            ranking = readers.submit(_rank, model, line, english=arguments.model == EMBEDDED)
            answers.append(printer.submit(_answer, number, ranking))
            while answers and (answers[0].done() or len(answers) > AHEAD):
                code = max(code, answers.popleft().result())
        return max([code, *(answer.result() for answer in answers)])


def _answer(number: int, ranking: Future[Ranking]) -> int:
    """Print one line's ranking, or its error; return the exit code that this line asks for."""
    try:
        found = ranking.result()
    except CounselError as error:
        print_json({"error": str(error)})
        return report_failure(number, error)
    print_json({"ranking": [[label, probability] for label, probability in found]})
    return DONE


def _rank(model: EmotionModel, line: str, *, english: bool) -> Ranking:
    text = read_utterance(line)
    if english and not is_english(text):
        raise InputError("The embedded emotion model reads English only; give another one with --model.")
    return model.rank([text])[0]


DETECT_EMOTION = Command("detect-emotion", "Rank the emotions of texts; one a line.", _configure, _run)
