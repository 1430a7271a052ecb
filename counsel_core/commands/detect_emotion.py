"""`detect-emotion`: the emotions of texts, one a line."""

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
from counsel_core.errors import CounselError, InputError
from counsel_core.language.emotion import EMBEDDED, EmotionModel, Ranking, emotion_model
from counsel_core.language.recognise import is_english
from counsel_core.llm.catalogue import effective_local_only
from counsel_core.settings import Settings


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--model",
        default=EMBEDDED,
        help="the folder or hub name of a text classifier for transformers (default: embedded)",
    )


def _run(arguments: argparse.Namespace, settings: Settings) -> int:
    model = emotion_model(arguments.model, download=not effective_local_only(settings))
    code = DONE
    for number, line in input_lines():
        try:
            ranking = _rank(model, read_utterance(line), english=arguments.model == EMBEDDED)
        except CounselError as error:
            code = report_failure(number, error)
            print_json({"error": str(error)})
            continue
        print_json({"ranking": [[label, probability] for label, probability in ranking]})
    return code


def _rank(model: EmotionModel, text: str, *, english: bool) -> Ranking:
    if english and not is_english(text):
        raise InputError("The embedded emotion model reads English only; give another one with --model.")
    return model.rank([text])[0]


DETECT_EMOTION = Command("detect-emotion", "Rank the emotions of texts; one a line.", _configure, _run)
